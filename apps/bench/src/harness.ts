// Measures variants against each other: interleaved in rounds, each window guarded against what
// else runs on the machine. What comes out is data (docs/performance.md#method).
import { setTimeout as sleep } from 'node:timers/promises';
import { foreignCpuTimer } from './cpu-time.ts';
import { median, ratioOfRounds, type RatioOfRounds, type Target } from './statistics.ts';

/** What one window of one variant came to. */
export interface Window {
  readonly operations: number;
  readonly seconds: number;
  /** CPU seconds of the process that is measured; null where that cannot be known. */
  readonly cpuSeconds: number | null;
}

export interface Variant {
  readonly name: string;
  /** Works for about so long. Throws when an answer is wrong: a fast wrong answer is no figure. */
  run(seconds: number): Window | Promise<Window>;
}

/** `over` divided by `under`, by what one operation takes or by how many are done in a second. */
export interface RatioSpec extends Target {
  readonly of: 'rate' | 'time';
  readonly over: string;
  readonly under: string;
  /** What is hoped for beyond the target. */
  readonly aim?: number;
}

export interface Comparison {
  readonly title: string;
  /** What is counted: `turn`, `request`. */
  readonly operation: string;
  readonly windowSeconds: number;
  readonly variants: readonly Variant[];
  readonly ratios: readonly RatioSpec[];
  /** Said under the table. */
  readonly note?: string;
}

export interface MeasuredVariant {
  readonly name: string;
  /** Medians of the rounds. */
  readonly perSecond: number;
  readonly wallUs: number;
  readonly cpuUs: number | null;
}

export interface MeasuredRatio extends RatioSpec, RatioOfRounds {
  /**
   * The same by the CPU time of the measured process; steadier where others use the machine. Null
   * where unknown.
   */
  readonly byCpu: number | null;
}

export interface Disturbance {
  readonly windows: number;
  /** Windows that were measured again because others used the machine. */
  readonly repeated: number;
  /** Windows above the limit that were kept, for want of a quieter one. */
  readonly disturbed: number;
  /** Cores used by others in the worst window kept; null where that cannot be known. */
  readonly worstCores: number | null;
}

export interface Measured {
  readonly title: string;
  readonly operation: string;
  readonly rounds: number;
  readonly variants: readonly MeasuredVariant[];
  readonly ratios: readonly MeasuredRatio[];
  readonly disturbance: Disturbance;
  readonly note?: string;
}

/** A figure that is not a ratio of two rates: a latency, a rate with a target of its own. */
export interface Figure extends Target {
  readonly name: string;
  readonly value: number;
  readonly unit: string;
}

export interface Reading {
  readonly title: string;
  readonly figures: readonly Figure[];
  readonly note?: string;
}

/** A window in which others kept more than so much of a core busy is measured again. */
export const FOREIGN_CORES_MAX = 0.12;
/** So often at most; then the least disturbed (not the fastest) of its tries is kept. */
const TRIES_MAX = 4;
/** Pause before a disturbed window is repeated. */
const PAUSE_MS = 500;
/**
 * Before the rounds every variant runs for this long, unmeasured: compiled code, full caches, open
 * connections.
 */
const WARM_UP_SECONDS = 2;

interface Tried extends Window {
  readonly foreign: number | null;
}

interface ChosenWindow extends Tried {
  readonly tries: number;
}

export async function measure(
  comparison: Comparison,
  rounds: number,
  signal: AbortSignal,
): Promise<Measured> {
  const { variants } = comparison;
  for (const variant of variants) {
    signal.throwIfAborted();
    await variant.run(WARM_UP_SECONDS);
  }
  const kept = new Map<string, ChosenWindow[]>(variants.map(({ name }) => [name, []]));
  for (let round = 0; round < rounds; round += 1) {
    // There and back: a machine that warms up or slows down in a round favours neither side.
    for (const variant of round % 2 === 0 ? variants : variants.toReversed()) {
      signal.throwIfAborted();
      kept.get(variant.name)!.push(await quietWindow(variant, comparison.windowSeconds));
    }
  }
  return {
    title: comparison.title,
    operation: comparison.operation,
    rounds,
    variants: variants.map(({ name }) => summary(name, kept.get(name)!)),
    ratios: comparison.ratios.map((spec) => ({ ...spec, ...ratioOf(spec, kept) })),
    disturbance: disturbanceOf([...kept.values()].flat()),
    ...(comparison.note === undefined ? {} : { note: comparison.note }),
  };
}

async function quietWindow(variant: Variant, seconds: number): Promise<ChosenWindow> {
  let best: Tried | undefined;
  for (let tries = 1; ; tries += 1) {
    const tried = await guarded(variant, seconds);
    if (best === undefined || (tried.foreign ?? 0) < (best.foreign ?? 0)) best = tried;
    if ((best.foreign ?? 0) <= FOREIGN_CORES_MAX || tries === TRIES_MAX) return { ...best, tries };
    await sleep(PAUSE_MS);
  }
}

async function guarded(variant: Variant, seconds: number): Promise<Tried> {
  const foreign = foreignCpuTimer();
  const startedAt = performance.now();
  const window = await variant.run(seconds);
  const used = foreign();
  return { ...window, foreign: used === null ? null : used / ((performance.now() - startedAt) / 1000) };
}

function summary(name: string, windows: readonly ChosenWindow[]): MeasuredVariant {
  const cpu = windows.flatMap(({ cpuSeconds, operations }) =>
    cpuSeconds === null ? [] : [(cpuSeconds * 1e6) / operations],
  );
  return {
    name,
    perSecond: median(windows.map((window) => window.operations / window.seconds)),
    wallUs: median(windows.map((window) => (window.seconds * 1e6) / window.operations)),
    cpuUs: cpu.length === 0 ? null : median(cpu),
  };
}

function ratioOf(
  spec: RatioSpec,
  kept: ReadonlyMap<string, readonly ChosenWindow[]>,
): RatioOfRounds & { byCpu: number | null } {
  const windows = (name: string): readonly ChosenWindow[] => {
    const found = kept.get(name);
    if (found === undefined) throw new Error(`there is no variant "${name}"`);
    return found;
  };
  const [over, under] = [windows(spec.over), windows(spec.under)];
  const divided = (cost: (window: ChosenWindow) => number): RatioOfRounds =>
    spec.of === 'time'
      ? ratioOfRounds(over.map(cost), under.map(cost))
      : ratioOfRounds(under.map(cost), over.map(cost));
  const cpuKnown = [...over, ...under].every(({ cpuSeconds }) => cpuSeconds !== null);
  return {
    ...divided(({ operations, seconds }) => seconds / operations),
    byCpu: cpuKnown ? divided(({ operations, cpuSeconds }) => cpuSeconds! / operations).median : null,
  };
}

function disturbanceOf(windows: readonly ChosenWindow[]): Disturbance {
  const foreign = windows.flatMap((window) => (window.foreign === null ? [] : [window.foreign]));
  return {
    windows: windows.length,
    repeated: windows.filter(({ tries }) => tries > 1).length,
    disturbed: foreign.filter((cores) => cores > FOREIGN_CORES_MAX).length,
    worstCores: foreign.length === 0 ? null : Math.max(...foreign),
  };
}
