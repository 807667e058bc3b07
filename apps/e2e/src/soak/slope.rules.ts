// What samples of a long run say: by how much a figure grows. Pure.

export interface Sample {
  /** Seconds since the load began. */
  readonly at: number;
  readonly value: number;
}

export interface Trend {
  readonly first: number;
  readonly last: number;
  readonly largest: number;
  /** The largest during the warm-up: what is needed in any case. */
  readonly warmUp: number;
  /** Of the value, in an hour. Null where there are too few samples. */
  readonly perHour: number | null;
}

/** The beginning is left out: compilers, pools and caches fill up once, which is no leak. */
export const WARM_UP_SHARE = 0.3;
const SAMPLES_MIN = 5;

/**
 * The slope is Theil and Sen's: the median of the slopes between any two samples. A heap goes up and down by a third between two
 * collections, and a line through the least squares follows whichever of them comes last.
 */
export function trendOf(samples: readonly Sample[]): Trend {
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

/** A figure that must not grow: no trend, or one that would not matter in the time for which it was watched. */
export interface Tolerance {
  /** Of its value at the end of the warm-up, in the time that was watched. */
  readonly share: number;
  /** And at least this much. */
  readonly atLeast: number;
}

/** What has only come back to where it was during the warm-up (memory is given back, and taken again) has not grown. */
export function grows(
  { first, last, warmUp, perHour }: Trend,
  watchedSeconds: number,
  tolerance: Tolerance,
): boolean {
  if (perHour === null || last <= warmUp) return false;
  const grown = (perHour * watchedSeconds) / 3600;
  return grown > Math.max(first * tolerance.share, tolerance.atLeast);
}

/**
 * The least value of each stretch of so many samples: what is left of a heap when garbage has been collected, as long as it is
 * collected once in a stretch.
 */
export function floorOf(samples: readonly Sample[], stretch: number): Sample[] {
  const floor: Sample[] = [];
  for (let from = 0; from + stretch <= samples.length; from += stretch)
    floor.push(
      samples.slice(from, from + stretch).reduce((least, one) => (one.value < least.value ? one : least)),
    );
  return floor;
}

/** Prometheus text → the sum of a metric's values, over all of its labels that have these values; null where there is none. */
export function metricOf(
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
