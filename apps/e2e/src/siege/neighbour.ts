// The organisation that must not notice: what it does at each service while somebody else attacks, and how long that takes; and how long
// /health of the same process takes.
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ServiceName } from '@parley/local-stack';
import type { Fortress } from './fortress.ts';
import { send, written, type AttackRequest } from './send.ts';

interface Neighbour {
  /** Sent once, before the first attack. `receiver` is the neighbour's. */
  readonly prepare: (receiver: string) => readonly AttackRequest[];
  readonly everyMs: number;
  /** Where something is delivered because of it, it has the mark in it. */
  readonly request: (mark: string, receiver: string) => AttackRequest;
  readonly delivers: boolean;
}

const greeting = {
  nodes: [
    { id: 'c', type: 'collect', prompt: 'Name?', variable: 'name' },
    { id: 'e', type: 'end', message: 'Bye, {{ name }}.' },
  ],
  edges: [{ source: 'c', target: 'e' }],
};

export const neighbours: Readonly<Record<ServiceName, Neighbour>> = {
  'flow-builder': {
    prepare: () => [
      { method: 'POST', path: '/v1/flows', body: { flow_id: 'neighbour', definition: greeting } },
    ],
    everyMs: 10,
    request: () => ({
      method: 'POST',
      path: '/v1/flows/neighbour/execute',
      body: { current_node: 'c', user_input: 'Ada', variables: {} },
    }),
    delivers: false,
  },
  'voice-api': {
    prepare: (url) => [{ method: 'POST', path: '/v1/webhooks', body: { url, events: ['bot.message'] } }],
    everyMs: 20, // an organisation may send a hundred batches of events a second
    request: (mark) => ({
      method: 'POST',
      path: '/v1/conversations/events',
      body: [
        {
          id: mark,
          type: 'bot.message',
          conversation_id: mark,
          occurred_at: new Date().toISOString(),
          data: { turn_index: 0, text: mark },
        },
      ],
    }),
    delivers: true,
  },
  notifications: {
    prepare: () => [],
    everyMs: 20,
    request: (mark, url) => ({
      method: 'POST',
      path: '/v1/notify',
      body: { channels: ['webhook'], message: mark, target: { webhook: { url } } },
    }),
    delivers: true,
  },
};

/** Milliseconds, from when a request was due. */
export interface Watched {
  readonly requests: readonly number[];
  readonly deliveries: readonly number[];
  readonly healthMsWorst: number;
  /** How long this process, which attacks and measures, stood still itself: so much of the figures may be its own. */
  readonly ownLagMs: number;
  /** What the neighbour was answered instead of success. */
  readonly refused: readonly string[];
  /** Deliveries that did not come. */
  readonly missing: number;
}

const ARRIVES_WITHIN_MS = 60_000;
const HEALTH_WITHIN_MS = 60_000;
let marks = 0;

/** Goes on at a steady pace while `work` does, and waits for what it began. */
export async function watch(
  fortress: Fortress,
  signal: AbortSignal,
  work: () => Promise<void>,
): Promise<Watched> {
  const { service, origin, keys, neighbour } = fortress;
  const { everyMs, request, delivers } = neighbours[service];
  const requests: number[] = [];
  const deliveries: number[] = [];
  const refused: string[] = [];
  let missing = 0;
  let healthMsWorst = 0;

  const turn = async (): Promise<void> => {
    const due = performance.now();
    const mark = `[siege ${(marks += 1)}]`;
    const arrival = delivers ? neighbour.arrival(mark, ARRIVES_WITHIN_MS) : undefined;
    const { status, text } = await send(
      origin,
      keys.neighbour,
      written(request(mark, neighbour.url)),
      signal,
    );
    requests.push(performance.now() - due);
    if (status < 200 || status >= 300) return void refused.push(`${status} ${text.slice(0, 200)}`);
    if (!arrival) return;
    const at = await arrival;
    if (at === undefined) missing += 1;
    else deliveries.push(at - due);
  };
  const health = async (): Promise<void> => {
    const due = performance.now();
    const answer = fetch(`${origin}/health`, { signal: AbortSignal.timeout(HEALTH_WITHIN_MS) });
    await answer.then((response) => response.arrayBuffer()).catch(() => undefined);
    healthMsWorst = Math.max(healthMsWorst, performance.now() - due);
  };

  const lag = monitorEventLoopDelay({ resolution: 1 });
  lag.enable();
  const open = new Set<Promise<void>>();
  let going = true;
  const pacing = (async () => {
    while (going) {
      for (const one of [turn, health]) {
        const begun = one().finally(() => open.delete(begun));
        open.add(begun);
      }
      await sleep(everyMs);
    }
  })();
  await work().finally(() => (going = false));
  await pacing;
  await Promise.all(open);
  lag.disable();
  return { requests, deliveries, refused, missing, healthMsWorst, ownLagMs: lag.max / 1e6 };
}
