// Computes the trend of a figure from samples of a long run. Pure.

export interface Sample {
  /** Seconds since the load started. */
  readonly at: number;
  readonly value: number;
}

export interface Trend {
  readonly first: number;
  readonly last: number;
  readonly largest: number;
  /** The maximum during the warm-up. */
  readonly warmUp: number;
  /** Growth per hour; null with too few samples. */
  readonly perHour: number | null;
}

/** The share of samples to skip: compilers, pools and caches fill up once, which is no leak. */
export const WARM_UP_SHARE = 0.3;
const SAMPLES_MIN = 5;

/**
 * The Theil-Sen slope: the median of the slopes between any two samples. A heap moves by a third
 * between collections, and least squares would follow the last of them.
 */
export function computeTrend(samples: readonly Sample[]): Trend {
  const values = samples.map(({ value }) => value);
  const first = values[0] ?? 0;
  const end = samples.at(-1)?.at ?? 0;
  const cold = samples.filter(({ at }) => at < end * WARM_UP_SHARE);
  const warm = samples.filter(({ at }) => at >= end * WARM_UP_SHARE);
  const bounds = {
    first,
    last: values.at(-1) ?? 0,
    largest: Math.max(first, ...values),
    warmUp: Math.max(first, ...cold.map(({ value }) => value)),
  };
  if (warm.length < SAMPLES_MIN) return { ...bounds, perHour: null };
  const slopes = warm.flatMap((a, index) =>
    warm
      .slice(index + 1)
      .filter((b) => b.at > a.at)
      .map((b) => (b.value - a.value) / (b.at - a.at)),
  );
  return { ...bounds, perHour: median(slopes) * 3600 };
}

function median(numbers: readonly number[]): number {
  const sorted = [...numbers].sort((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  return sorted.length % 2 === 1 ? sorted[middle]! : ((sorted[middle - 1] ?? 0) + (sorted[middle] ?? 0)) / 2;
}

/** How much a figure may grow. */
export interface Tolerance {
  /** Relative to the value at the end of the warm-up, in the watched time. */
  readonly share: number;
  /** And at least this absolute amount. */
  readonly atLeast: number;
}

/** A figure that only returned to its warm-up maximum has not grown. */
export function isGrowing(
  { first, last, warmUp, perHour }: Trend,
  watchedSeconds: number,
  tolerance: Tolerance,
): boolean {
  if (perHour === null || last <= warmUp) return false;
  const grown = (perHour * watchedSeconds) / 3600;
  return grown > Math.max(first * tolerance.share, tolerance.atLeast);
}

/**
 * The minimum of each group of samples: what garbage collection leaves, if it runs once per group.
 */
export function computeFloor(samples: readonly Sample[], stretch: number): Sample[] {
  const floor: Sample[] = [];
  for (let from = 0; from + stretch <= samples.length; from += stretch)
    floor.push(
      samples.slice(from, from + stretch).reduce((least, one) => (one.value < least.value ? one : least)),
    );
  return floor;
}

/** Sums a metric of a Prometheus text over all series with these labels; null without one. */
export function sumMetric(
  text: string,
  name: string,
  labels: Readonly<Record<string, string>> = {},
): number | null {
  let sum: number | null = null;
  for (const line of text.split('\n')) {
    const match = /^(\w+)(?:\{(.*)\})? (\S+)/.exec(line);
    if (!match || match[1] !== name) continue;
    const has = Object.entries(labels).every(([label, value]) => match[2]?.includes(`${label}="${value}"`));
    if (has) sum = (sum ?? 0) + Number(match[3]);
  }
  return sum;
}
