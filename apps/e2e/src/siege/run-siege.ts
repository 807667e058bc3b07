// Makes one attack after another on a service that has the heap of k8s/base, and compares how the neighbour fares with how it fared until
// then in quiet times. A process that ends, an answer that is none, a neighbour that is refused, and a bound that is passed are falls. Of some
// hundred and fifty samples the p99 is the second worst, and without any attack it moves by half: one that seems to be too slow is made again,
// and the samples of all times count together.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Attack } from './attack.ts';
import type { Attacked } from './attacker.ts';
import type { Fortress } from './fortress.ts';
import type { Watched } from './neighbour.ts';

/** What is promised (docs/performance.md#what-one-request-may-take): the first of a single request. */
export const bounds = { healthMs: 100, p99Ratio: 1.5 } as const;
/** Below it a ratio says more of the machine than of the service. */
const P99_FLOOR_MS = 10;
/** Watched so long before, and at least so long from the attack on: a p99 of three seconds forgives a stop of 30 ms. */
const QUIET_MS = 2_000;
const WATCH_MS = 3_000;
const UNTIMED_MS = 300;
const WARM_UP_MS = 5_000;
const QUIET_FIRST = 5;
const ROUNDS_MAX = 5;

export interface SiegeRow {
  readonly attack: string;
  /** 0: no answer. */
  readonly status: number;
  readonly code: string;
  /** How often the attack was made; of several the longest times, and the last answer. */
  readonly rounds: number;
  readonly ms: number;
  readonly healthMsWorst: number;
  /** How long the neighbour's process stood still meanwhile. */
  readonly ownLagMs: number;
  /** The neighbour's; null where there are none. */
  readonly requests: Moved | null;
  readonly deliveries: Moved | null;
  /** Bounds of a p99 that were passed: further samples may tell otherwise. */
  readonly slow: readonly string[];
  /** What fell, these among them; empty: it held. */
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
  options: SiegeOptions,
): Promise<SiegeRow> {
  const observed: Observed[] = [];
  for (let round = 0; ; round += 1) {
    const unprepared = await fortress.attacker.prepare(attack, round, options.signal);
    if (unprepared !== undefined) return { ...rowOf(attack), fallen: [`not prepared: ${unprepared}`] };
    observed.push(await observe(fortress, attack, round, quiet, options));
    const row = judge(attack, observed, quiet, options);
    const hasOnlySlowness = row.slow.length > 0 && row.fallen.length === row.slow.length;
    if (!hasOnlySlowness || attack.once || round + 1 === ROUNDS_MAX) return row;
  }
}

/** What is seen of one attack. */
interface Observed extends Attacked {
  readonly during: Watched;
  readonly ended: string | undefined;
}

async function observe(
  fortress: Fortress,
  attack: Attack,
  round: number,
  quiet: Quiet,
  { signal, untimed = false }: SiegeOptions,
): Promise<Observed> {
  if (!attack.derived) await watchQuiet(fortress, quiet, signal, untimed ? UNTIMED_MS : QUIET_MS);
  let attacked: Attacked | undefined;
  const during = await fortress.neighbour.watch(signal, async () => {
    attacked = await fortress.attacker.attack(attack, round, signal);
    await sleep(Math.max(0, (untimed || attack.derived ? UNTIMED_MS : WATCH_MS) - attacked.ms));
  });
  return { ...attacked!, during, ended: fortress.ended() };
}

/** By the samples of all attacks together. */
function judge(
  attack: Attack,
  observed: readonly Observed[],
  quiet: Quiet,
  { untimed = false }: SiegeOptions,
): SiegeRow {
  const all = observed.map(({ during }) => during);
  const missing = all.reduce((sum, one) => sum + one.missing, 0);
  const refused = all.flatMap((one) => one.refused);
  const wrong = observed.flatMap(({ ended, wrong: one }) => [
    ...(ended === undefined ? [] : [`the process ended. ${ended}`]),
    ...(one === undefined ? [] : [one]),
  ]);
  if (!attack.kills && refused.length > 0)
    wrong.push(`the neighbour was refused ${refused.length} times: ${refused[0]}`);
  if (missing > 0) wrong.push(`${missing} deliveries of the neighbour did not arrive`);
  const healthMsWorst = Math.max(...all.map((one) => one.healthMsWorst));
  const requests = movedOf(
    all.flatMap((one) => one.requests),
    quiet.requests,
  );
  const deliveries = movedOf(
    all.flatMap((one) => one.deliveries),
    quiet.deliveries,
  );
  const slow: string[] = [];
  if (!untimed && !attack.kills) {
    if ((attack.request || attack.derived) && healthMsWorst > bounds.healthMs) wrong.push('/health waited');
    if (!attack.derived && requests && requests.ratio > bounds.p99Ratio) slow.push('the neighbour waited');
    if (!attack.derived && deliveries && deliveries.ratio > bounds.p99Ratio)
      slow.push('what the neighbour is delivered waited');
  }
  const { status, code } = observed.at(-1)!;
  return {
    attack: attack.name,
    status,
    code,
    rounds: observed.length,
    ms: Math.max(...observed.map(({ ms }) => ms)),
    healthMsWorst,
    ownLagMs: Math.max(...all.map(({ ownLagMs }) => ownLagMs)),
    requests,
    deliveries,
    slow,
    fallen: [...wrong, ...slow],
  };
}

function rowOf({ name }: Attack): SiegeRow {
  const figures = { ms: 0, healthMsWorst: 0, ownLagMs: 0, requests: null, deliveries: null };
  return { attack: name, status: 0, code: '', rounds: 0, ...figures, slow: [], fallen: [] };
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
