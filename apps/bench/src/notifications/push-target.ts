// The push service process of the suite, and the devices that are registered with it.
import { createCipheriv, createECDH, createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { join } from 'node:path';
import type pg from 'pg';
import { serverFile } from '../http-load.ts';
import { startPinned } from '../pinned-process.ts';

export interface TestDevice {
  readonly endpoint: string;
  readonly keys: { readonly p256dh: string; readonly auth: string };
}

interface Counted {
  readonly received: number;
  readonly wrong: number;
  readonly sampled: number;
  readonly lastAtMs: number;
}

export interface PushTarget {
  readonly caFile: string;
  /**
   * Makes devices `from` to `to` (exclusive). Of one in `SAMPLE_EVERY` every message is decrypted.
   */
  devices(from: number, to: number): TestDevice[];
  /**
   * Counts from zero. Settles when so many messages were answered. @throws Error when they are not
   * in time, or one was wrong
   */
  expect(count: number, withinMs: number): Promise<Counted>;
  stop(): Promise<void>;
}

const SAMPLE_EVERY = 200;

export async function startPushTarget(
  root: string,
  env: Readonly<Record<string, string | undefined>>,
  place: { readonly core: number; readonly pin: boolean },
): Promise<PushTarget> {
  const certificates = join(root, 'libs', 'testing', 'fixtures', 'push-service');
  const { child, stop } = startPinned({
    file: serverFile('push-service'),
    args: [certificates],
    ...place,
    env: { PATH: env['PATH'] },
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  const [{ port }] = (await once(child, 'message')) as [{ port: number }];
  return {
    caFile: join(certificates, 'ca.pem'),
    devices: (from, to) => {
      const samples: { path: string; privateKey: string; authSecret: string }[] = [];
      const devices = Array.from({ length: to - from }, (_, offset) => {
        const path = `/push/device-${from + offset}`;
        const pair = createECDH('prime256v1');
        const p256dh = pair.generateKeys('base64url');
        const auth = randomBytes(16).toString('base64url');
        if (offset % SAMPLE_EVERY === 0)
          samples.push({ path, privateKey: pair.getPrivateKey('base64url'), authSecret: auth });
        return { endpoint: `https://127.0.0.1:${port}${path}`, keys: { p256dh, auth } };
      });
      child.send({ samples });
      return devices;
    },
    expect: async (count, withinMs) => {
      child.send({ expected: count });
      const [counted] = (await once(child, 'message', { signal: AbortSignal.timeout(withinMs) })) as [
        Counted,
      ];
      if (counted.wrong > 0) throw new Error(`${counted.wrong} messages were wrong`);
      return counted;
    },
    stop,
  };
}

export interface Vapid {
  readonly subject: string;
  readonly publicKey: string;
  readonly privateKey: string;
}

export function newVapid(): Vapid {
  const pair = createECDH('prime256v1');
  const publicKey = pair.generateKeys('base64url');
  const privateKey = pair.getPrivateKey().toString('base64url').padStart(43, 'A');
  return { subject: 'mailto:bench@example.com', publicKey, privateKey };
}

/** What a service needs to push to the target. */
export function pushEnvironment({ caFile }: PushTarget, { subject, privateKey }: Vapid) {
  return {
    NOTIFICATIONS_WEB_PUSH_ENABLED: 'true',
    VAPID_SUBJECT: subject,
    VAPID_KEYS: 'env://VAPID_KEYS_VALUE',
    VAPID_KEYS_VALUE: `bench:${privateKey}`,
    NODE_EXTRA_CA_CERTS: caFile,
  };
}

/** Registrations in one statement. */
const ROWS_PER_INSERT = 5_000;

/**
 * Puts devices into the registry as POST /v1/push/registrations does, by the hundred thousand. The
 * sealing is that of libs/server/runtime (s1.<key>.<iv, text, tag>), which a bench may not import;
 * a wrong one would show as a broadcast that never arrives.
 */
export async function seedDevices(
  pool: pg.Pool,
  dataKey: string,
  organizationId: string,
  devices: readonly TestDevice[],
  from: number,
): Promise<void> {
  const [keyName = '', encoded = ''] = dataKey.trim().split(':');
  const key = Buffer.from(encoded, 'base64');
  for (let start = 0; start < devices.length; start += ROWS_PER_INSERT) {
    const rows = devices.slice(start, start + ROWS_PER_INSERT).map(({ endpoint, keys }, offset) => {
      const id = `sub_bench${String(from + start + offset).padStart(9, '0')}`;
      const iv = randomBytes(12);
      const cipher = createCipheriv('aes-256-gcm', key, iv);
      cipher.setAAD(Buffer.from(`push_subscription:${organizationId}:${id}`));
      const text = JSON.stringify([endpoint, keys.p256dh, keys.auth]);
      const sealed = Buffer.concat([iv, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()]);
      return {
        id,
        hash: createHash('sha256').update(endpoint).digest(),
        sealed: `s1.${keyName}.${sealed.toString('base64url')}`,
        user: `user-${from + start + offset}`,
      };
    });
    await pool.query(
      `INSERT INTO push_subscriptions (id, organization_id, endpoint_hash, endpoint_host, sealed, user_id, platform, key_id, created_at, updated_at)
       SELECT id, $1, hash, '127.0.0.1', sealed, user_id, 'web', 'bench', now(), now()
       FROM unnest($2::text[], $3::bytea[], $4::text[], $5::text[]) AS device (id, hash, sealed, user_id)`,
      [
        organizationId,
        rows.map(({ id }) => id),
        rows.map(({ hash }) => hash),
        rows.map(({ sealed }) => sealed),
        rows.map(({ user }) => user),
      ],
    );
  }
  // What autovacuum does within its minute: until then Postgres plans for a table that it takes to
  // be all but empty.
  await pool.query('ANALYZE push_subscriptions');
}
