// Makes one attack after another on a service that has the heap of k8s/base, and compares how the neighbour fares with how it fared until
// then in quiet times. A process that ends, an answer that is none, a neighbour that is refused, and a bound that is passed are falls.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Attack, Field } from './attack.ts';
import type { Fortress } from './fortress.ts';
import { send, written, type Answer, type AttackRequest } from './send.ts';

/** What is promised (docs/performance.md#what-one-request-may-take): the first of a single request. */
export const bounds = { healthMs: 100, p99Ratio: 1.5 } as const;
/** Below it a ratio says more of the machine than of the service. */
const P99_FLOOR_MS = 10;
/** Watched so long before, and at least so long from the attack on: a p99 of four seconds forgives a stop of 40 ms. */
const QUIET_MS = 2_000;
const WATCH_MS = 4_000;
const UNTIMED_MS = 300;
const WARM_UP_MS = 5_000;
const QUIET_FIRST = 3;

export interface SiegeRow {
  readonly attack: string;
  /** 0: no answer. */
  readonly status: number;
  readonly code: string;
  readonly ms: number;
  readonly healthMsWorst: number;
  /** How long the neighbour's process stood still meanwhile. */
  readonly ownLagMs: number;
  /** The neighbour's; null where there are none. */
  readonly requests: Moved | null;
  readonly deliveries: Moved | null;
  /** What fell; empty: it held. */
  readonly fallen: readonly string[];
}

/** The p99 under attack, and by how much it moved. */
export interface Moved {
  readonly p99Ms: number;
  readonly ratio: number;
}

export interface SiegeOptions {
  readonly signal: AbortSignal;
  /** Judges no times: other tests run beside it. */
  readonly untimed?: boolean;
}

/** The neighbour's p99 of each stretch in which nobody attacked: what one attack left behind spoils one, and a single one has luck. */
export interface Quiet {
  readonly requests: number[];
  readonly deliveries: number[];
}

export const noQuiet = (): Quiet => ({ requests: [], deliveries: [] });

/** Before the first attack: a process that has just begun is slow, and whatever is compared with it looks well. */
export async function warmUp(fortress: Fortress, signal: AbortSignal): Promise<Quiet> {
  await fortress.neighbour.watch(signal, () => sleep(WARM_UP_MS));
  const quiet = noQuiet();
  for (let stretch = 0; stretch < QUIET_FIRST; stretch += 1)
    await watchQuiet(fortress, quiet, signal, QUIET_MS);
  return quiet;
}

async function watchQuiet(
  { neighbour }: Fortress,
  quiet: Quiet,
  signal: AbortSignal,
  ms: number,
): Promise<void> {
  const { requests, deliveries } = await neighbour.watch(signal, () => sleep(ms));
  quiet.requests.push(p99(requests));
  quiet.deliveries.push(p99(deliveries));
}

export async function runAttack(
  fortress: Fortress,
  attack: Attack,
  quiet: Quiet,
  { signal, untimed = false }: SiegeOptions,
): Promise<SiegeRow> {
  const field = fieldOf(fortress, attack, signal);
  for (const request of attack.prepare?.() ?? []) {
    const answer = await field.ask(request);
    const { status, text } = answer;
    if (status === 0 || (status >= 300 && !(status === 422 && text.includes('limit_exceeded'))))
      return rowOf(attack, answer, [`not prepared: ${request.path} ${status} ${text.slice(0, 300)}`]);
  }
  await watchQuiet(fortress, quiet, signal, untimed ? UNTIMED_MS : QUIET_MS);
  let answer: Answer = { status: 0, text: '' };
  let ms = 0;
  const wrong: string[] = [];
  const request = attack.request && written(attack.request());
  const during = await fortress.neighbour.watch(signal, async () => {
    const started = performance.now();
    try {
      answer = request ? await send(field.origin, field.key, request, signal) : await attack.load!(field);
    } catch (error) {
      wrong.push(error instanceof Error ? error.message : String(error));
    }
    ms = performance.now() - started;
    await sleep(Math.max(0, (untimed ? UNTIMED_MS : WATCH_MS) - ms));
  });

  const ended = fortress.ended();
  if (ended !== undefined) wrong.push(`the process ended. ${ended}`);
  if (wrong.length === 0 && !attack.expected.includes(answer.status))
    wrong.push(`answered ${answer.status} ${answer.text.slice(0, 200)}`);
  if (wrong.length === 0 && attack.says && !attack.says.test(answer.text))
    wrong.push(`does not say ${String(attack.says)}: ${answer.text.slice(0, 200)}`);
  if (!attack.kills && during.refused.length > 0)
    wrong.push(`the neighbour was refused ${during.refused.length} times: ${during.refused[0]}`);
  if (during.missing > 0) wrong.push(`${during.missing} deliveries of the neighbour did not arrive`);
  const requests = movedOf(during.requests, quiet.requests);
  const deliveries = movedOf(during.deliveries, quiet.deliveries);
  if (!untimed && !attack.kills) {
    if (attack.request && during.healthMsWorst > bounds.healthMs) wrong.push('/health waited');
    if (requests && requests.ratio > bounds.p99Ratio) wrong.push('the neighbour waited');
    if (deliveries && deliveries.ratio > bounds.p99Ratio)
      wrong.push('what the neighbour is delivered waited');
  }
  const { healthMsWorst, ownLagMs } = during;
  return { ...rowOf(attack, answer, wrong), ms, healthMsWorst, ownLagMs, requests, deliveries };
}

function rowOf({ name }: Attack, { status, text }: Answer, fallen: readonly string[]): SiegeRow {
  const code = /"code":"(\w+)"/.exec(text)?.[1] ?? '';
  const figures = { ms: 0, healthMsWorst: 0, ownLagMs: 0, requests: null, deliveries: null };
  return { attack: name, status, code, ...figures, fallen };
}

function fieldOf(fortress: Fortress, { plan }: Attack, signal: AbortSignal): Field {
  const { origin, keys, attacker, restart } = fortress;
  const key = keys[plan ?? 'enterprise'];
  const ask = (request: AttackRequest) => send(origin, key, written(request), signal);
  return { origin, key, ask, ...attacker, kill: restart };
}

/** @param quiet p99 of each stretch */
function movedOf(during: readonly number[], quiet: readonly number[]): Moved | null {
  if (during.length === 0) return null;
  const p99Ms = p99(during);
  return { p99Ms, ratio: p99Ms / Math.max(P99_FLOOR_MS, quantile(quiet, 0.5)) };
}

const p99 = (samples: readonly number[]) => quantile(samples, 0.99);

function quantile(samples: readonly number[], share: number): number {
  const sorted = [...samples].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length * share)] ?? 0;
}
