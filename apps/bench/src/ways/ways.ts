// The table of ways: what one request runs through, from its first byte to its last effect.
import type { ServiceName, Stack } from '@parley/dev/stack';
import pg from 'pg';
import type { PushTarget } from '../notifications/push-target.ts';
import { until } from '../service-stack.ts';
import { executeAim } from '../flow/execute.ts';
import { publishBenchFlow } from '../flow/measured-builder.ts';

/** Where the processes that are counted answer. */
export type Origins = Readonly<Partial<Record<ServiceName, string>>>;

export interface Way {
  readonly name: string;
  /** The services that it runs through. */
  readonly services: readonly ServiceName[];
  /** True: it ends at a device, and the services get a push service. */
  readonly pushes?: boolean;
  /**
   * Creates what the way needs, and returns one trip along it. A trip ends when its last effect is visible.
   */
  prepare(origins: Origins, stack: Stack, push?: PushTarget): Promise<() => Promise<void>>;
}

const execute: Way = {
  name: 'execute',
  services: ['flow-builder'],
  prepare: async (origins, stack) => {
    const origin = origins['flow-builder']!;
    const headers = await publishBenchFlow(stack.services['flow-builder'].apiKey, origin);
    const { url, bodies, marker } = executeAim(origin, headers);
    return async () => {
      const response = await fetch(url, { method: 'POST', headers, body: bodies[0]! });
      const text = await response.text();
      if (!response.ok || !text.includes(marker)) throw new Error(`${url}: ${response.status} ${text}`);
    };
  },
};

/** A push service answers and a delivery is recorded within milliseconds, or something is wrong. */
const SENT_WITHIN_MS = 10_000;

const notifyDevice: Way = {
  name: 'notify -> device',
  services: ['notifications'],
  pushes: true,
  prepare: async (origins, stack, push) => {
    const { apiKey, databaseUrl } = stack.services.notifications;
    const origin = origins.notifications!;
    const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' };
    const post = async (path: string, body: object): Promise<unknown> => {
      const response = await fetch(`${origin}${path}`, {
        method: 'POST',
        headers,
        body: JSON.stringify(body),
      });
      if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
      return response.json();
    };
    const [subscription] = push!.devices(0, 1);
    await post('/v1/push/registrations', { subscription, user_id: 'ada' });
    const send = {
      channels: ['web_push'],
      message: 'Tea is served.',
      target: { web_push: { user_id: 'ada' } },
    };
    const pool = new pg.Pool({ connectionString: databaseUrl, max: 1, allowExitOnIdle: true });
    pool.on('error', () => undefined); // the stack stops before the pool is empty
    return async () => {
      const received = push!.expect(1, SENT_WITHIN_MS);
      const { notification_id: id } = (await post('/v1/notify', send)) as { notification_id: string };
      await received;
      await until('the recorded outcome', SENT_WITHIN_MS, async () => {
        const { rowCount } = await pool.query(
          "SELECT 1 FROM deliveries WHERE notification_id = $1 AND status = 'sent'",
          [id],
        );
        return rowCount === 1;
      });
    };
  },
};

export const ways: readonly Way[] = [execute, notifyDevice];
