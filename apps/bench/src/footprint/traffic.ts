// The load that each service is measured under: what it does all day, at a rate that one process of
// it carries well on any machine.
import { setTimeout as sleep } from 'node:timers/promises';
import { newVapid, pushEnvironment, seedDevices, startPushTarget } from '../notifications/push-target.ts';
import { benchFlow, benchTurns } from '../flow/bench-flow.ts';
import { CONNECTIONS, startLoad } from '../http-load.ts';
import { until, type MeasuredService, type ServiceStack } from '../service-stack.ts';
import type { Setting } from '../suites.ts';
import { WEBHOOK_SECRET, startReceiver } from '../voice/receiver.ts';
import { steadyLoad } from '../voice/steady-load.ts';

/** A service's own kind of load. */
export interface Traffic {
  /** For the table: what is sent, and how much of it a second. */
  readonly described: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Puts the service under load for so long. */
  load(service: MeasuredService, seconds: number): Promise<void>;
}

const FLOW_NODES = 50;
const TURNS_PER_SECOND = 1_000;

/** Turns of a conversation, as the bench of execute asks for them. */
export async function turnTraffic({ env }: Setting, stack: ServiceStack): Promise<Traffic> {
  const generator = startLoad(false, env);
  stack.onStop(() => generator.stop());
  let flows = 0;
  return {
    described: `${TURNS_PER_SECOND} turns a second, 2 KB each, over ${CONNECTIONS} connections`,
    load: async ({ origin }, seconds) => {
      const flow = `bench-${(flows += 1)}`;
      const definition = benchFlow(FLOW_NODES);
      await post(stack, `${origin}/v1/flows`, { flow_id: flow, definition });
      await post(stack, `${origin}/v1/flows/${flow}/publish`, {});
      const aim = {
        url: `${origin}/product/v1/flows/${flow}/execute`,
        headers: headersOf(stack),
        bodies: benchTurns().map((turn) => JSON.stringify(turn)),
        marker: '"status":"waiting"',
      };
      await generator.fire(aim, seconds, TURNS_PER_SECOND);
    },
  };
}

const WEBHOOKS = 5;
const MESSAGES_PER_SECOND = 100;

/** Events of conversations in, webhook deliveries out. */
export async function conversationTraffic({ env }: Setting, stack: ServiceStack): Promise<Traffic> {
  const receiver = await startReceiver(env);
  stack.onStop(() => receiver.stop());
  let loads = 0;
  return {
    described:
      `${MESSAGES_PER_SECOND} conversation events a second, told to ${WEBHOOKS} webhooks: ` +
      `${MESSAGES_PER_SECOND * WEBHOOKS} deliveries a second, 2 KB each`,
    load: async ({ origin }, seconds) => {
      const baseUrl = `${origin}/v1`;
      // The webhooks stay with the organisation: the next processes deliver to those of the first.
      for (let index = 0; loads === 0 && index < WEBHOOKS; index += 1) {
        const url = `${receiver.origin}/hook/${index}`;
        await post(stack, `${baseUrl}/webhooks`, { url, events: ['bot.message'], secret: WEBHOOK_SECRET });
      }
      await steadyLoad({
        name: `footprint-${(loads += 1)}`,
        senders: [{ baseUrl, apiKey: stack.apiKey, deliveriesPerMessage: WEBHOOKS }],
        messagesPerSecond: MESSAGES_PER_SECOND,
        seconds,
        receiver,
      });
    },
  };
}

const NOTIFICATIONS_PER_SECOND = 50;
const DEVICES = 1_000;
const BROADCAST_EVERY_MS = 5_000;
const SETTLED_WITHIN_MS = 30_000;
const MESSAGE = 'Your order has left our warehouse and will be with you tomorrow.';

/** To people one by one, in their inbox and on their device, and now and then to all devices. */
export async function notificationTraffic({ env, root }: Setting, stack: ServiceStack): Promise<Traffic> {
  const generator = startLoad(false, env);
  stack.onStop(() => generator.stop());
  const target = await startPushTarget(root, env, { core: 0, pin: false });
  stack.onStop(() => target.stop());
  await seedDevices(stack.pool, stack.dataKey, stack.organizationId, target.devices(0, DEVICES), 0);
  return {
    described:
      `${NOTIFICATIONS_PER_SECOND} notifications a second, each to an inbox and one device, and one to ${DEVICES} devices every ` +
      `${BROADCAST_EVERY_MS / 1000} s`,
    env: pushEnvironment(target, newVapid()),
    load: async ({ origin }, seconds) => {
      const url = `${origin}/v1/notify`;
      const toOne = (user: string) => ({
        channels: ['in_app', 'web_push'],
        message: MESSAGE,
        target: { in_app: { user_id: user }, web_push: { user_id: user } },
      });
      const toAll = { channels: ['web_push'], message: MESSAGE, target: { web_push: { broadcast: true } } };
      const users = Array.from({ length: DEVICES }, (_, index) => `user-${index}`);
      const broadcasts = Math.floor((seconds * 1000) / BROADCAST_EVERY_MS);
      await Promise.all([
        generator.fire(
          {
            url,
            headers: headersOf(stack),
            bodies: users.map((user) => JSON.stringify(toOne(user))),
            marker: '"notification_id":"ntf_',
          },
          seconds,
          NOTIFICATIONS_PER_SECOND,
        ),
        (async () => {
          for (let broadcast = 0; broadcast < broadcasts; broadcast += 1) {
            await post(stack, url, toAll);
            await sleep(BROADCAST_EVERY_MS);
          }
        })(),
      ]);
      await until('the outcome of every delivery', SETTLED_WITHIN_MS, async () => {
        const { rows } = await stack.pool.query<{ status: string }>(
          `SELECT DISTINCT status FROM deliveries WHERE status NOT IN ('sent', 'delivered')`,
        );
        const failed = rows.find(({ status }) => !['queued', 'sending'].includes(status));
        if (failed) throw new Error(`a delivery is ${failed.status}`);
        return rows.length === 0;
      });
    },
  };
}

function headersOf({ apiKey }: ServiceStack) {
  return { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' };
}

async function post(stack: ServiceStack, url: string, body: object): Promise<void> {
  const response = await fetch(url, {
    method: 'POST',
    headers: headersOf(stack),
    body: JSON.stringify(body),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`POST ${url}: ${response.status} ${text.slice(0, 500)}`);
}
