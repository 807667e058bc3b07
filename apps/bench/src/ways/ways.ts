// The table of ways: what one request runs through, from its first byte to its last effect.
import { once } from 'node:events';
import { createServer } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { LOOPBACK } from '@parley/testing/servers';
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
  /** The services that it runs through, which are counted. */
  readonly services: readonly ServiceName[];
  /** Services that the scenario needs and that are not counted. */
  readonly others?: readonly ServiceName[];
  /** True: it ends at a device, and the services get a push service. */
  readonly pushes?: boolean;
  /**
   * Creates what the way needs, and returns one trip along it. A trip ends when its last effect is
   * visible.
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

/** A turn that the flow builder reports, until the webhook's delivery is recorded. */
const delivery: Way = {
  name: 'turn -> signed delivery',
  services: ['voice-api'],
  others: ['flow-builder'],
  prepare: async (origins, stack) => {
    const builder = stack.services['flow-builder'];
    const headers = await publishBenchFlow(builder.apiKey, builder.origin);
    const { url, bodies } = executeAim(builder.origin, headers);
    const voice = stack.services['voice-api'];
    const receiver = createServer((request, response) => request.resume().on('end', () => response.end()));
    await once(receiver.unref().listen(0, LOOPBACK), 'listening');
    const { port } = receiver.address() as { port: number };
    await post(`${origins['voice-api']}/v1/webhooks`, voice.apiKey, {
      url: `http://${LOOPBACK}:${port}/`,
      events: ['bot.message'],
    });
    const pool = new pg.Pool({ connectionString: voice.databaseUrl, allowExitOnIdle: true });
    pool.on('error', () => undefined); // the stack stops before the pool
    let trips = 0;
    return async () => {
      const session = `session-${(trips += 1)}`;
      const turn = { ...(JSON.parse(bodies[0]!) as object), bot_id: 'bot_ways', session_id: session };
      await post(url, builder.apiKey, turn);
      for (let open = true; open; await delay(10)) {
        const { rows } = await pool.query<{ open: boolean }>(RECORDED, [session]);
        open = rows[0]!.open;
      }
      await delay(ACKNOWLEDGED_WITHIN_MS);
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
    const [subscription] = push!.devices(0, 1);
    await post(`${origin}/v1/push/registrations`, apiKey, { subscription, user_id: 'ada' });
    const send = {
      channels: ['web_push'],
      message: 'Tea is served.',
      target: { web_push: { user_id: 'ada' } },
    };
    const pool = new pg.Pool({ connectionString: databaseUrl, max: 1, allowExitOnIdle: true });
    pool.on('error', () => undefined); // the stack stops before the pool is empty
    return async () => {
      const received = push!.expect(1, SENT_WITHIN_MS);
      const { notification_id: id } = (await post(`${origin}/v1/notify`, apiKey, send)) as {
        notification_id: string;
      };
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

/** The acknowledgement of the message follows its commit. */
const ACKNOWLEDGED_WITHIN_MS = 100;

const RECORDED = `SELECT count(*) = 0 AS open FROM webhook_deliveries AS delivery
  JOIN webhook_events AS event ON event.id = delivery.event_id
  WHERE event.conversation_id = $1 AND delivery.status = 'delivered'`;

async function post(url: string, apiKey: string, body: object): Promise<unknown> {
  const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' };
  const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });
  const text = await response.text();
  if (!response.ok) throw new Error(`${url}: ${response.status} ${text}`);
  return JSON.parse(text);
}

export const ways: readonly Way[] = [execute, delivery, notifyDevice];
