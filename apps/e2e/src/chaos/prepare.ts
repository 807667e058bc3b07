// Creates what the load needs before it starts: a published flow, a bot, a webhook, devices and
// settings.
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { SERVICES, type ServiceName } from '@parley/dev/stack';
import type { Client } from './client.ts';
import type { Cluster } from './cluster.ts';
import { USER_NAME, type Receivers } from './receivers.ts';

const run = promisify(execFile);

export const FLOW_ID = 'chaos';
/** The user of the watched inbox. */
export const USER_ID = 'chaos';
/** Three chunks of members; the watched user is the last one. */
export const TOPIC_ID = 'chaos';
const MEMBERS = Array.from({ length: 1_200 }, (_, index) => `a-${index}`);

/** The template of digests. */
export const TEMPLATE_ID = 'chaos';
const TEMPLATE = {
  default_locale: 'en',
  locales: [{ locale: 'en', message: '{% for item in items %}{{ item.text }} {% endfor %}' }],
};

/** A template that names the recipient. Only the watched user has a name. */
export const RECIPIENT_TEMPLATE_ID = 'chaos-recipient';
const RECIPIENT_TEMPLATE = {
  default_locale: 'en',
  locales: [
    {
      locale: 'en',
      subject: 'Chaos',
      message: '{{ text }} for {{ recipient.attributes.name | default: recipient.id }}',
    },
  ],
};

/** A workflow with a template of its own. */
export const WORKFLOW_ID = 'chaos';
const WORKFLOW_TEMPLATE_ID = 'chaos-workflow';
const WORKFLOW_TEMPLATE = { default_locale: 'en', locales: [{ locale: 'en', message: '{{ text }}' }] };
const WORKFLOW = { channels: ['chat'], template: { id: WORKFLOW_TEMPLATE_ID } };

export interface Prepared {
  readonly organizationId: string;
  readonly botId: string;
  /** Device parts of the endpoints that a broadcast reaches. */
  readonly devices: readonly string[];
  /** One key of each service, for rotation. */
  readonly keys: Readonly<Record<ServiceName, IssuedKey>>;
}

export interface IssuedKey {
  readonly id: string;
  readonly key: string;
}

/** The environment variables of the services. */
export function serviceEnvironment(receivers: Receivers): Record<string, string> {
  return {
    CHAOS_WEBHOOK_SECRET: receivers.webhookSecret,
    CHAOS_SMTP_URL: receivers.smtpUrl,
    CHAOS_MAILGUN_KEY: receivers.mailgunKey,
    SETTING_DEFAULTS: JSON.stringify({
      smtp_url: 'env://CHAOS_SMTP_URL',
      email_providers: 'smtp',
      mailgun_signing_key: 'env://CHAOS_MAILGUN_KEY',
      email_from: 'Chaos <chaos@example.com>',
    }),
    DELIVERY_TIMEOUT_MS: '5000',
  };
}

/**
 * Real schedules last hours. The voice API has five waits. Notifications wait a random part of
 * theirs, so they have more.
 */
export const RETRY_WAITS: Readonly<Partial<Record<ServiceName, Record<string, string>>>> = {
  'voice-api': { DELIVERY_RETRY_WAITS_MS: '3000,5000,8000,12000,20000' },
  notifications: { DELIVERY_RETRY_WAITS_MS: '5000,10000,10000,10000,10000,10000,10000,10000,10000' },
};

/** A version of the flow. All versions say the same, so that any of them may answer a turn. */
export function buildDefinition(note: string): object {
  return {
    nodes: [
      { id: 'start', type: 'message', text: 'Welcome.' },
      { id: 'name', type: 'collect', prompt: 'What is your name?', variable: 'name' },
      { id: 'seats', type: 'collect', prompt: 'How many seats?', variable: 'seats', cast: 'integer' },
      { id: 'many', type: 'end', message: `Never said, tells versions apart: ${note}` },
      { id: 'few', type: 'end', message: '{{ seats }} seats for {{ name }} are booked.' },
    ],
    edges: [
      { source: 'start', target: 'name' },
      { source: 'name', target: 'seats' },
      { source: 'seats', target: 'many', variable: 'seats', op: 'gt', value: 1_000_000 },
      { source: 'seats', target: 'few', default: true },
    ],
  };
}

export async function prepare(
  cluster: Cluster,
  client: Client,
  receivers: Receivers,
  deviceCount: number,
): Promise<Prepared> {
  const { stack } = cluster;
  await run(process.execPath, [
    stack.cli('notifications'),
    ...['settings', 'set', '--org', stack.organizationId, '--key', 'webhook_secret'],
    ...['--ref', 'env://CHAOS_WEBHOOK_SECRET', '--database-url', stack.services.notifications.databaseUrl],
  ]);
  const create = async <T>(
    service: ServiceName,
    path: string,
    body: object,
    method: 'POST' | 'PUT' = 'POST',
  ): Promise<T> => {
    const reply = await client.ask({ service, method, path, body });
    if (!reply || reply.status >= 300) throw new Error(`${method} ${path}: ${JSON.stringify(reply)}`);
    const answered = reply.body as T & { data?: T };
    return answered.data ?? answered;
  };
  await create('flow-builder', '/v1/flows', { flow_id: FLOW_ID, definition: buildDefinition('first') });
  await create('flow-builder', `/v1/flows/${FLOW_ID}/publish`, {});
  const bot = await create<{ id: string }>('voice-api', '/v1/bots', { name: 'Chaos', flow_id: FLOW_ID });
  const webhook = { url: receivers.urls.webhooks, events: ['*'] };
  receivers.verifyWith((await create<{ secret: string }>('voice-api', '/v1/webhooks', webhook)).secret);
  await create('notifications', `/v1/templates/${TEMPLATE_ID}`, TEMPLATE, 'PUT');
  await create('notifications', `/v1/templates/${WORKFLOW_TEMPLATE_ID}`, WORKFLOW_TEMPLATE, 'PUT');
  await create('notifications', `/v1/templates/${RECIPIENT_TEMPLATE_ID}`, RECIPIENT_TEMPLATE, 'PUT');
  await create('notifications', `/v1/workflows/${WORKFLOW_ID}`, WORKFLOW, 'PUT');
  const devices: string[] = [];
  for (let count = 0; count < deviceCount; count += 1) {
    const subscription = receivers.push.subscribe();
    await create('notifications', '/v1/push/registrations', { subscription, user_id: `device-${count}` });
    devices.push(receivers.push.getDevice(subscription));
  }
  const put = async (path: string, body: object): Promise<void> => {
    const reply = await client.ask({ service: 'notifications', method: 'PUT', path, body });
    if (!reply || reply.status >= 300) throw new Error(`PUT ${path}: ${JSON.stringify(reply)}`);
  };
  await put(`/v1/recipients/${USER_ID}`, { email: 'ada@example.com', attributes: { name: USER_NAME } });
  await put(`/v1/topics/${TOPIC_ID}/members`, { user_ids: [...MEMBERS, USER_ID] });
  const keys = await Promise.all(
    SERVICES.map(async (service) => {
      const key = await create<IssuedKey>(service, '/v1/api-keys', { name: 'chaos', scopes: ['admin'] });
      return [service, key] as const;
    }),
  );
  return {
    organizationId: stack.organizationId,
    botId: bot.id,
    devices,
    keys: Object.fromEntries(keys) as Prepared['keys'],
  };
}
