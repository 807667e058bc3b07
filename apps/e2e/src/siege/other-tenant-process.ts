// The other tenant's process: sends requests to a service at a steady pace during attacks, and
// measures them and `/health`. other-tenant.ts starts it.
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ServiceName } from '@parley/dev/stack';
import { receiver } from '@parley/testing';
import type { TenantConfig, TenantCommand, Measurements } from './other-tenant.ts';
import { serveCommands } from './child-process.ts';
import { send, encodeRequest, type AttackRequest } from './send.ts';

interface Scenario {
  /** Sent once, before the first attack. `receiver` is the other tenant's. */
  readonly prepare: (receiver: string) => readonly AttackRequest[];
  readonly everyMs: number;
  /** A delivery that it causes contains the mark. */
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
      { method: 'POST', path: '/v1/flows', body: { flow_id: 'other-tenant', definition: greeting } },
    ],
    everyMs: 10,
    request: () => ({
      method: 'POST',
      path: '/v1/flows/other-tenant/execute',
      body: { current_node: 'c', user_input: 'Ada', variables: {} },
    }),
    delivers: false,
  },
  'voice-api': {
    prepare: (url) => [{ method: 'POST', path: '/v1/webhooks', body: { url, events: ['bot.message'] } }],
    everyMs: 20, // the limit is a hundred batches of events a second
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
  /** Sends nothing more and waits for open requests. */
  end(): Promise<Measurements>;
}

/** Starts the receiver and sends the preparation. Returns a function that starts a watch. */
async function setUp({ service, origin, key, healthUrl }: TenantConfig): Promise<() => Watch> {
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
    const { status, text } = await send(origin, key, encodeRequest(one), never);
    if (status >= 300 || status === 0) throw new Error(`${one.path}: ${status} ${text}`);
  }
  let marks = Date.now(); // never marks of an earlier process, because a repeated event is not delivered

  /** Resolves when a delivery with this mark arrives; undefined after the time-out. */
  const waitForArrival = (mark: string) =>
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
      const arrival = delivers ? waitForArrival(mark) : undefined;
      const { status, text } = await send(origin, key, encodeRequest(request(mark, url)), never);
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

async function handle(command: TenantCommand): Promise<Measurements | undefined> {
  if (command === 'end') return watch?.end();
  if (command === 'begin') watch = begin?.();
  else begin = await setUp(command.setUp);
  return undefined;
}

serveCommands(handle);
