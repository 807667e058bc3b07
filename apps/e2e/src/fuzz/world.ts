// Sets up a fuzz run: three services, organisations with credentials of every kind, and a victim
// that must not change.
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { promisify } from 'node:util';
import { SignJWT } from 'jose';
import { SERVICES, type ServiceName, type Stack } from '@parley/dev/stack';
import { eventually } from '@parley/testing';
import type { Credential } from './requests.ts';

const run = promisify(execFile);

/** The organisation that sends, another one, and the victim. */
const OWN = 'fuzz';
const OTHER = 'fuzz-other';
const VICTIM = 'fuzz-victim';
const ISSUER = 'fuzz';
const AUDIENCE = 'parley';

/** Environment for identity tokens. `secret` has at least 32 bytes. */
export function identityEnvironment(secret: string): Record<string, string> {
  return {
    FUZZ_IDENTITY_SECRET: secret,
    IDENTITY_SHARED_SECRET: 'env://FUZZ_IDENTITY_SECRET',
    IDENTITY_ISSUER: ISSUER,
    IDENTITY_AUDIENCE: AUDIENCE,
  };
}

export interface Place {
  readonly service: ServiceName;
  /** Relative to `/v1`. */
  readonly path: string;
}

type Ids = Readonly<Record<ServiceName, Readonly<Record<string, readonly string[]>>>>;

export interface World {
  readonly origins: Readonly<Record<ServiceName, string>>;
  /** The Authorization header; undefined for none. */
  credential(service: ServiceName, kind: Credential): string | undefined;
  /** Ids of initial resources, own and the victim's, by service and collection. */
  readonly ids: readonly Ids[];
  /** A text that only the victim's resources contain. */
  readonly canary: string;
  /** Reads the victim's resources, to compare them. */
  look(): Promise<string>;
  /** Ids that the run must not delete. */
  readonly inUse: ReadonlySet<string>;
}

export async function createWorld(stack: Stack, identitySecret: string): Promise<World> {
  const origins = Object.fromEntries(
    SERVICES.map((name) => [name, stack.services[name].origin]),
  ) as World['origins'];
  const cli = (service: ServiceName, ...args: string[]) =>
    run(process.execPath, [stack.cli(service), ...args], { encoding: 'utf8' });
  const url = (service: ServiceName) => ['--database-url', stack.services[service].databaseUrl];

  const firstKey = async (service: ServiceName, org: string) => {
    const { stdout } = await cli(
      service,
      'keys',
      'create',
      '--product',
      service,
      '--org',
      org,
      '--name',
      'fuzz',
      ...url(service),
    );
    return JSON.parse(stdout) as { id: string; key: string };
  };
  const keys = new Map<string, string>();
  const inUse = new Set<string>();
  for (const org of [OWN, OTHER, VICTIM]) {
    await Promise.all(
      SERVICES.map(async (service) => {
        const { id, key } = await firstKey(service, org);
        keys.set(`${service} ${org} admin`, key);
        inUse.add(id);
        const plan = ['--plan', 'enterprise', '--product', service, ...url(service)];
        await cli(service, 'organizations', 'set', '--org', org, ...plan);
      }),
    );
  }
  for (const service of SERVICES) {
    for (const scope of ['read', 'write', 'delete']) {
      const made = await send(
        origins[service],
        keys.get(`${service} ${OWN} admin`)!,
        'POST',
        '/v1/api-keys',
        {
          name: scope,
          scopes: [scope],
        },
      );
      const { id, key } = (made['data'] ?? made) as { id: string; key: string };
      keys.set(`${service} ${OWN} ${scope}`, key);
      inUse.add(id);
    }
  }
  const token = await new SignJWT({ organization_id: OWN, scope: 'read write delete' })
    .setProtectedHeader({ alg: 'HS256' })
    .setSubject('ada')
    .setIssuer(ISSUER)
    .setAudience(AUDIENCE)
    .setExpirationTime('12h')
    .sign(new TextEncoder().encode(identitySecret));

  const canary = `canary-${randomBytes(8).toString('hex')}`;
  const call = (service: ServiceName, method: string, path: string, body?: object) =>
    send(origins[service], keys.get(`${service} ${VICTIM} admin`)!, method, path, body);
  const victim = await createResources(call, canary);
  // Creates own resources, so that the first requests have ids to use.
  const own = await createResources(
    (service, method, path, body) =>
      send(origins[service], keys.get(`${service} ${OWN} admin`)!, method, path, body),
    'own',
  );

  return {
    origins,
    canary,
    inUse,
    ids: [own.ids, victim.ids],
    look: async () => {
      const seen = await Promise.all(
        victim.places.map(async ({ service, path }) => {
          const { meta: _, ...rest } = await call(service, 'GET', `/v1${path}`);
          return [path, rest];
        }),
      );
      return JSON.stringify(seen, null, 1);
    },
    credential: (service, kind) => {
      switch (kind) {
        case 'none':
          return undefined;
        case 'garbage':
          return 'Bearer nonsense';
        case 'identity':
          return `Bearer ${token}`;
        case 'other_organization':
          return `Bearer ${keys.get(`${service} ${OTHER} admin`)}`;
        case 'other_product':
          return `Bearer ${keys.get(`${SERVICES.find((name) => name !== service)!} ${OWN} admin`)}`;
        default:
          return `Bearer ${keys.get(`${service} ${OWN} ${kind}`)}`;
      }
    },
  };
}

type Call = (
  service: ServiceName,
  method: string,
  path: string,
  body?: object,
) => Promise<Record<string, unknown>>;

/** Creates one resource of every kind, with `canary` in its texts. */
async function createResources(call: Call, canary: string) {
  const flow = { nodes: [{ id: 'e', type: 'end', message: canary }], edges: [] };
  await call('flow-builder', 'POST', '/v1/flows', { flow_id: 'watched', name: canary, definition: flow });
  await call('flow-builder', 'POST', '/v1/flows/watched/publish', {});

  const dataOf = async (body: Promise<Record<string, unknown>>) => (await body)['data'] as { id: string };
  const bot = await dataOf(call('voice-api', 'POST', '/v1/bots', { name: canary }));
  const webhook = await dataOf(
    call('voice-api', 'POST', '/v1/webhooks', {
      url: 'https://hooks.example.com/x',
      events: ['*'],
      description: canary,
    }),
  );
  await call('voice-api', 'PATCH', `/v1/webhooks/${webhook.id}`, { status: 'disabled' });
  const at = new Date().toISOString();
  const event = (id: string, type: string, data: object) => ({
    id,
    type,
    conversation_id: 'watched',
    bot_id: bot.id,
    occurred_at: at,
    data,
  });
  await call('voice-api', 'POST', '/v1/conversations/events', {
    events: [
      event('w1', 'conversation.started', { from: canary }),
      event('w2', 'speech.final', { turn_index: 0, text: canary }),
      event('w3', 'conversation.ended', {}),
    ],
  });
  await eventually(
    async () => {
      const { data } = await call('voice-api', 'GET', '/v1/conversations/watched');
      return (data as { status: string }).status === 'completed';
    },
    { timeoutMs: 30_000 },
  );

  const target = { in_app: { user_id: 'ada' } };
  const sent = await call('notifications', 'POST', '/v1/notify', {
    channels: ['in_app'],
    message: canary,
    target,
  });
  const notificationId = sent['notification_id'] as string;
  const inbox = await call('notifications', 'GET', '/v1/notifications?user_id=ada');
  const [item] = inbox['items'] as { id: string }[];

  const places: Place[] = [
    { service: 'flow-builder', path: '/flows/watched' },
    { service: 'flow-builder', path: '/flows?limit=100' },
    { service: 'voice-api', path: `/bots/${bot.id}` },
    { service: 'voice-api', path: `/webhooks/${webhook.id}` },
    { service: 'voice-api', path: '/conversations/watched' },
    { service: 'voice-api', path: '/conversations/watched/transcript' },
    { service: 'notifications', path: '/notifications?user_id=ada' },
    { service: 'notifications', path: `/notify/${notificationId}` },
  ];
  const ids: Ids = {
    'flow-builder': { flows: ['watched'] },
    'voice-api': { bots: [bot.id], webhooks: [webhook.id], conversations: ['watched'] },
    notifications: { notify: [notificationId], notifications: [item!.id] },
  };
  return { places, ids };
}

async function send(origin: string, key: string, method: string, path: string, body?: object) {
  const response = await fetch(`${origin}${path}`, {
    method,
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    ...(body ? { body: JSON.stringify(body) } : {}),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
  return JSON.parse(text) as Record<string, unknown>;
}
