// Web push for integration tests: a service with the flag on, a push service that it trusts, and
// devices.
import { createHash } from 'node:crypto';
import { subscriptionContext } from '@parley/server/sealed-columns';
import { pushService, type PushService, type TestSubscription } from '@parley/testing';
import { checkSubscription } from '../../src/channels/web-push/check-subscription.ts';
import { startNotifications, type NotificationsUnderTest, type StartOptions } from '../service.ts';
import { newVapidKey } from './vapid.ts';

export interface PushUnderTest extends NotificationsUnderTest {
  readonly outside: PushService;
  /** Two active keys; `new` is the current one. */
  readonly vapid: { readonly new: string; readonly old: string };
  /** Registers a device and returns its subscription. */
  register(
    more?: object,
    options?: Parameters<PushService['subscribe']>[0],
  ): Promise<TestSubscription & { readonly subId: string }>;
}

/** The environment that switches web push on. */
export function pushEnvironment(vapid: {
  readonly new: string;
  readonly old: string;
}): Record<string, string> {
  return {
    NOTIFICATIONS_WEB_PUSH_ENABLED: 'true',
    VAPID_KEYS: 'env://TEST_VAPID',
    VAPID_SUBJECT: 'mailto:ops@example.com',
    TEST_VAPID: `new:${vapid.new},old:${vapid.old}`,
    PUSH_THREADS: '0',
  };
}

export async function startPush(options: StartOptions = {}): Promise<PushUnderTest> {
  const outside = await pushService();
  const vapid = { new: newVapidKey(), old: newVapidKey() };
  const service = await startNotifications({
    worker: true,
    ca: outside.ca,
    ...options,
    env: { ...pushEnvironment(vapid), ...options.env },
  });
  return {
    ...service,
    outside,
    vapid,
    register: async (more = {}, subscribe = {}) => {
      const subscription = outside.subscribe(subscribe);
      const reply = await service.api.post('/v1/push/registrations', { subscription, ...more });
      if (reply.status >= 300) throw new Error(`${reply.status} ${reply.text}`);
      return { ...subscription, subId: (reply.body as { sub_id: string }).sub_id };
    },
    stop: async () => {
      await service.stop();
      await outside.close();
    },
  };
}

/** Inserts many devices at once, like registering each, and returns their subscriptions. */
export async function registerMany(
  { deps, outside }: Pick<PushUnderTest, 'deps' | 'outside'>,
  organizationId: string,
  count: number,
  userOf: (index: number) => string | null,
): Promise<TestSubscription[]> {
  const subscriptions = Array.from({ length: count }, () => outside.subscribe());
  const now = new Date(deps.clock());
  const rows = await Promise.all(
    subscriptions.map(async (subscription) => {
      const check = checkSubscription(deps.outbound, subscription);
      if (!check.ok) throw new Error('the test service gives good subscriptions');
      const { endpoint, host, secret } = check.subscription;
      const id = deps.ids('sub');
      const sealed = await deps.dataSealer.seal(secret, subscriptionContext({ organizationId, id }));
      return { id, hash: createHash('sha256').update(endpoint).digest(), host, sealed };
    }),
  );
  await deps.sql(
    `INSERT INTO push_subscriptions (id, organization_id, endpoint_hash, endpoint_host, sealed, user_id, platform, key_id,
       created_at, updated_at)
     SELECT id, $1, hash, host, sealed, user_id, 'web', 'new', $2, $2
     FROM unnest($3::text[], $4::bytea[], $5::text[], $6::text[], $7::text[]) AS device (id, hash, host, sealed, user_id)`,
    [
      organizationId,
      now,
      rows.map(({ id }) => id),
      rows.map(({ hash }) => hash),
      rows.map(({ host }) => host),
      rows.map(({ sealed }) => sealed),
      rows.map((_, index) => userOf(index)),
    ],
  );
  return subscriptions;
}
