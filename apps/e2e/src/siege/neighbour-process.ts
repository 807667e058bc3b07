// The process of the neighbour: what it does at each service while somebody else attacks, and how long that takes; and how long /health of
// the same process takes. neighbour.ts starts it.
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ServiceName } from '@parley/dev/stack';
import { receiver } from '@parley/testing';
import type { At, Told, Watched } from './neighbour.ts';
import { serveSiege } from './other-process.ts';
import { send, written, type AttackRequest } from './send.ts';

interface Scenario {
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

const scenarios: Readonly<Record<ServiceName, Scenario>> = {
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

const ARRIVES_WITHIN_MS = 60_000;
const HEALTH_WITHIN_MS = 60_000;
const never = new AbortController().signal;

interface Watch {
  /** Begins nothing more, and waits for what was begun. */
  end(): Promise<Watched>;
}

/** Its receiver, and what it sends once. Gives what begins a watch. */
async function settle({ service, origin, key, healthUrl }: At): Promise<() => Watch> {
  const { everyMs, request, delivers, prepare } = scenarios[service === 'console' ? 'flow-builder' : service];
  const waiting = new Map<string, (atMs: number) => void>();
  const { url } = await receiver({
    fallback: ({ body }) => {
      const mark = /\[siege \d+\]/.exec(body.toString('latin1'))?.[0] ?? '';
      waiting.get(mark)?.(performance.now());
      return 200;
    },
  });
  for (const one of prepare(url)) {
    const { status, text } = await send(origin, key, written(one), never);
    if (status >= 300 || status === 0) throw new Error(`${one.path}: ${status} ${text}`);
  }
  let marks = Date.now(); // never those of a neighbour before: what is known already is told to nobody

  /** When something with this mark arrives; undefined when it does not in time. */
  const arrivalOf = (mark: string) =>
    Promise.race([
      new Promise<number>((resolve) => waiting.set(mark, resolve)),
      sleep(ARRIVES_WITHIN_MS, undefined, { ref: false }),
    ]).finally(() => waiting.delete(mark));

  return () => {
    const requests: number[] = [];
    const deliveries: number[] = [];
    const refused: string[] = [];
    let missing = 0;
    let healthMsWorst = 0;

    const turn = async (): Promise<void> => {
      const due = performance.now();
      const mark = `[siege ${(marks += 1)}]`;
      const arrival = delivers ? arrivalOf(mark) : undefined;
      const { status, text } = await send(origin, key, written(request(mark, url)), never);
      requests.push(performance.now() - due);
      if (status < 200 || status >= 300) return void refused.push(`${status} ${text.slice(0, 200)}`);
      if (!arrival) return;
      const at = await arrival;
      if (at === undefined) missing += 1;
      else deliveries.push(at - due);
    };
    const health = async (): Promise<void> => {
      const due = performance.now();
      const answer = fetch(healthUrl, { signal: AbortSignal.timeout(HEALTH_WITHIN_MS) });
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
    return {
      end: async () => {
        going = false;
        await pacing;
        await Promise.all(open);
        lag.disable();
        return { requests, deliveries, refused, missing, healthMsWorst, ownLagMs: lag.max / 1e6 };
      },
    };
  };
}

let begin: (() => Watch) | undefined;
let watch: Watch | undefined;

async function hear(told: Told): Promise<Watched | undefined> {
  if (told === 'end') return watch?.end();
  if (told === 'begin') watch = begin?.();
  else begin = await settle(told.settle);
  return undefined;
}

serveSiege(hear);
