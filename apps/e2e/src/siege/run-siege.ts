// Runs an attack on a service and compares the other tenant's times with those before the attack.
// The attack succeeds when the process ends, an answer is unexpected, the other tenant is refused,
// or a bound is exceeded. A p99 of about 150 samples is their second worst, so an attack that
// exceeds a p99 bound is repeated, and all samples count.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Attack } from './attack.ts';
import type { AttackResult } from './attacker.ts';
import type { Target } from './target.ts';
import type { Measurements } from './other-tenant.ts';

/**
 * The promises (docs/performance.md#what-one-request-may-take). `healthMs` holds during a single
 * request.
 */
export const bounds = { healthMs: 100, p99Ratio: 1.5 } as const;
/** Below this p99 a ratio says more about the machine than about the service. */
const P99_FLOOR_MS = 10;
/**
 * The watch before an attack, and the shortest watch from its start: in three seconds a p99 hides a
 * stop of 30 ms.
 */
const QUIET_MS = 2_000;
const WATCH_MS = 3_000;
const UNTIMED_MS = 300;
const WARM_UP_MS = 5_000;
const QUIET_FIRST = 5;
const ROUNDS_MAX = 5;

export interface SiegeRow {
  readonly attack: string;
  /** 0 for no answer. */
  readonly status: number;
  readonly code: string;
  /** How often the attack ran. Times are the longest of all rounds; the answer is the last one. */
  readonly rounds: number;
  readonly ms: number;
  readonly healthMsWorst: number;
  /** How long the other tenant's process stood still. */
  readonly ownLagMs: number;
  /** The other tenant's times; null without samples. */
  readonly requests: P99Change | null;
  readonly deliveries: P99Change | null;
  /** P99 bounds that were exceeded: more samples may clear them. */
  readonly slow: readonly string[];
  /** All failures, including `slow`; empty when the service held. */
  readonly fallen: readonly string[];
}

/** The p99 during the attack, and its ratio to the baseline. */
export interface P99Change {
  readonly p99Ms: number;
  readonly ratio: number;
}

export interface SiegeOptions {
  readonly signal: AbortSignal;
  /** Does not judge times, because other tests run at the same time. */
  readonly untimed?: boolean;
}

/**
 * The other tenant's p99 of each quiet period. Several, because an attack may leave work behind.
 */
export interface Baseline {
  readonly requests: number[];
  readonly deliveries: number[];
}

export const emptyBaseline = (): Baseline => ({ requests: [], deliveries: [] });

/**
 * Before the first attack, because a process that has just started is slow and would flatter the
 * comparison.
 */
export async function warmUp(target: Target, signal: AbortSignal): Promise<Baseline> {
  await target.otherTenant.watch(signal, () => sleep(WARM_UP_MS));
  const quiet = emptyBaseline();
  for (let stretch = 0; stretch < QUIET_FIRST; stretch += 1)
    await watchQuiet(target, quiet, signal, QUIET_MS);
  return quiet;
}

async function watchQuiet(
  { otherTenant }: Target,
  quiet: Baseline,
  signal: AbortSignal,
  ms: number,
): Promise<void> {
  const { requests, deliveries } = await otherTenant.watch(signal, () => sleep(ms));
  quiet.requests.push(p99(requests));
  quiet.deliveries.push(p99(deliveries));
}

export async function runAttack(
  target: Target,
  attack: Attack,
  quiet: Baseline,
  options: SiegeOptions,
): Promise<SiegeRow> {
  const observed: Observation[] = [];
  for (let round = 0; ; round += 1) {
    const unprepared = await target.attacker.prepare(attack, round, options.signal);
    if (unprepared !== undefined) return { ...createRow(attack), fallen: [`not prepared: ${unprepared}`] };
    observed.push(await observe(target, attack, round, quiet, options));
    const row = judge(attack, observed, quiet, options);
    const hasOnlySlowness = row.slow.length > 0 && row.fallen.length === row.slow.length;
    if (!hasOnlySlowness || attack.once || round + 1 === ROUNDS_MAX) return row;
  }
}

/** What one round of an attack measured. */
interface Observation extends AttackResult {
  readonly during: Measurements;
  readonly ended: string | undefined;
}

async function observe(
  target: Target,
  attack: Attack,
  round: number,
  quiet: Baseline,
  { signal, untimed = false }: SiegeOptions,
): Promise<Observation> {
  if (!attack.derived) await watchQuiet(target, quiet, signal, untimed ? UNTIMED_MS : QUIET_MS);
  let attacked: AttackResult | undefined;
  const during = await target.otherTenant.watch(signal, async () => {
    attacked = await target.attacker.attack(attack, round, signal);
    await sleep(Math.max(0, (untimed || attack.derived ? UNTIMED_MS : WATCH_MS) - attacked.ms));
  });
  return { ...attacked!, during, ended: target.ended() };
}

/** Judges all rounds together. */
function judge(
  attack: Attack,
  observed: readonly Observation[],
  quiet: Baseline,
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
    wrong.push(`the other tenant was refused ${refused.length} times: ${refused[0]}`);
  if (missing > 0) wrong.push(`${missing} deliveries of the other tenant did not arrive`);
  const healthMsWorst = Math.max(...all.map((one) => one.healthMsWorst));
  const requests = computeChange(
    all.flatMap((one) => one.requests),
    quiet.requests,
  );
  const deliveries = computeChange(
    all.flatMap((one) => one.deliveries),
    quiet.deliveries,
  );
  const slow: string[] = [];
  if (!untimed && !attack.kills) {
    if ((attack.request || attack.derived) && healthMsWorst > bounds.healthMs) wrong.push('/health was slow');
    if (!attack.derived && requests && requests.ratio > bounds.p99Ratio)
      slow.push('requests of the other tenant were slow');
    if (!attack.derived && deliveries && deliveries.ratio > bounds.p99Ratio)
      slow.push('deliveries of the other tenant were slow');
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

function createRow({ name }: Attack): SiegeRow {
  const figures = { ms: 0, healthMsWorst: 0, ownLagMs: 0, requests: null, deliveries: null };
  return { attack: name, status: 0, code: '', rounds: 0, ...figures, slow: [], fallen: [] };
}

/** @param quiet p99 of each quiet period */
function computeChange(during: readonly number[], quiet: readonly number[]): P99Change | null {
  if (during.length === 0) return null;
  const p99Ms = p99(during);
  return { p99Ms, ratio: p99Ms / Math.max(P99_FLOOR_MS, quantile(quiet, 0.5)) };
}

const p99 = (samples: readonly number[]) => quantile(samples, 0.99);

function quantile(samples: readonly number[], share: number): number {
  const sorted = [...samples].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length * share)] ?? 0;
}
