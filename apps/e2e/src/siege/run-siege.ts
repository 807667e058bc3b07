// Sends one attack after another to a service that has the heap of k8s/base, and watches meanwhile how long /health of the same process
// takes and how the turns of another organisation fare. A process that ends, an answer that is none, and a bound that is passed are falls.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Stack } from '@parley/local-stack';
import type { Attack, AttackRequest } from './attack.ts';
import { neighbours } from './attacks.ts';

type RunningService = Awaited<ReturnType<Stack['startReplica']>>;

/** What is promised (docs/performance.md#what-one-request-may-take). */
export const bounds = { healthMs: 100, p99Ratio: 1.5 } as const;
/** Below it a ratio says more of the machine than of the service. */
const P99_FLOOR_MS = 10;
const PACE_MS = 10;
/** Watched at least so long, before and from the attack on: some hundred turns. */
const WATCH_MS = 4_000;
const TIMEOUT_MS = 60_000;

export interface SiegeRow {
  readonly attack: string;
  /** 0: no answer. */
  readonly status: number;
  readonly code: string;
  readonly ms: number;
  readonly healthMsWorst: number;
  readonly p99Ratio: number;
  /** What fell; empty: it held. */
  readonly fallen: readonly string[];
}

export interface Besieged {
  /** The process under attack, as production runs it. */
  readonly process: RunningService;
  /** Keys of the attacker and of the organisation that must not notice. */
  readonly attacker: string;
  readonly neighbour: string;
  readonly signal: AbortSignal;
  /** Judges only whether there is an answer and the process lives: other tests run beside it. */
  readonly untimed?: boolean;
}

export async function runAttack(besieged: Besieged, attack: Attack): Promise<SiegeRow> {
  const { process, attacker, neighbour, signal } = besieged;
  const { origin } = process;
  const ask = (key: string, request: AttackRequest) => send(origin, key, written(request), signal);
  for (const request of attack.prepare?.() ?? []) {
    const { status, text } = await ask(attacker, request);
    if (status >= 300 && !(status === 422 && text.includes('limit_exceeded')))
      return fallen(attack, `not prepared: ${request.path} ${status} ${text.slice(0, 300)}`);
  }
  const watchMs = besieged.untimed ? 0 : WATCH_MS;
  const usual = neighbours[attack.service];
  for (const request of usual.prepare) await ask(neighbour, request);
  const before = await watch(
    async () => sleep(watchMs),
    () => ask(neighbour, usual.request),
  );
  let answer = { status: 0, text: '' };
  let ms = 0;
  let healthMsWorst = 0;
  // Written before anybody watches: that takes this process long, and not the one under attack.
  const request = written(attack.request());
  const during = await watch(
    async () => {
      const started = performance.now();
      answer = await send(origin, attacker, request, signal);
      ms = performance.now() - started;
      await sleep(Math.max(0, watchMs - ms));
    },
    () => ask(neighbour, usual.request),
    async () => {
      const started = performance.now();
      await fetch(`${origin}/health`, { signal: AbortSignal.timeout(TIMEOUT_MS) }).catch(() => undefined);
      healthMsWorst = Math.max(healthMsWorst, performance.now() - started);
    },
  );
  const p99Ratio = p99(during) / Math.max(P99_FLOOR_MS, p99(before));
  const wrong: string[] = [];
  if (process.exit() !== null) wrong.push('the process ended');
  if (!attack.expected.includes(answer.status))
    wrong.push(`answered ${answer.status} ${answer.text.slice(0, 200)}`);
  if (!besieged.untimed && healthMsWorst > bounds.healthMs) wrong.push('/health waited');
  if (!besieged.untimed && p99Ratio > bounds.p99Ratio) wrong.push('the neighbour waited');
  const code = /"code":"(\w+)"/.exec(answer.text)?.[1] ?? '';
  return { attack: attack.name, status: answer.status, code, ms, healthMsWorst, p99Ratio, fallen: wrong };
}

function fallen(attack: Attack, what: string): SiegeRow {
  return { attack: attack.name, status: 0, code: '', ms: 0, healthMsWorst: 0, p99Ratio: 0, fallen: [what] };
}

/** Does everything of `steady` at a steady pace while `work` goes on; the milliseconds that the first took, from when it was due. */
async function watch(work: () => Promise<void>, ...steady: (() => Promise<unknown>)[]): Promise<number[]> {
  const taken: number[] = [];
  const open = new Set<Promise<unknown>>();
  let going = true;
  const pacing = (async () => {
    while (going) {
      steady.forEach((one, place) => {
        const due = performance.now();
        const asked = one()
          .catch(() => undefined)
          .then(() => {
            if (place === 0) taken.push(performance.now() - due);
            open.delete(asked);
          });
        open.add(asked);
      });
      await sleep(PACE_MS);
    }
  })();
  await work().finally(() => (going = false));
  await pacing;
  await Promise.all(open);
  return taken;
}

function p99(samples: readonly number[]): number {
  const sorted = [...samples].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length * 0.99)] ?? 0;
}

const written = ({ method, path, body }: AttackRequest) => ({
  method,
  path,
  ...(body === undefined ? {} : { body: JSON.stringify(body) }),
});

async function send(
  origin: string,
  key: string,
  { path, ...request }: ReturnType<typeof written>,
  signal: AbortSignal,
) {
  try {
    const response = await fetch(`${origin}${path}`, {
      ...request,
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]),
    });
    return { status: response.status, text: await response.text() };
  } catch (error) {
    return { status: 0, text: String(error) };
  }
}
