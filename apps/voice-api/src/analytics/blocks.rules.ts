// The blocks of time that rollups are stored in, and how they cover a window. Pure.

/** All offsets of this century are multiples of a quarter of an hour. */
export const QUARTER_MS = 15 * 60_000;

/**
 * Block lengths in minutes. The longer one serves windows of months: a local day needs at most
 * seven long blocks and two dozen quarters. A year by months then needs under 3,000 rows instead of
 * 35,000. Each further length would double the cost of a fold.
 */
export const LEVELS = [15, 180] as const;
export type Level = (typeof LEVELS)[number];

/** The start of the quarter of an hour that contains an instant. */
export function floorToQuarter(atMs: number): Date {
  return new Date(atMs - mod(atMs, QUARTER_MS));
}

/** The start of the block that contains an instant. Blocks are aligned to UTC. */
export function floorToBlock(level: Level, atMs: number): number {
  return atMs - mod(atMs, level * 60_000);
}

/** Consecutive blocks of one level, half-open, in epoch milliseconds. */
export interface BlockRange {
  readonly level: Level;
  readonly fromMs: number;
  readonly toMs: number;
}

/**
 * Covers the buckets with blocks; each block lies in one bucket.
 * `edges` rise and are aligned to quarters: bucket i is [edges[i], edges[i + 1]). Ranges rise;
 * adjacent ranges of one level are merged, even across buckets.
 */
export function coverBuckets(edges: readonly number[]): BlockRange[] {
  const ranges: { level: Level; fromMs: number; toMs: number }[] = [];
  const add = (level: Level, fromMs: number, toMs: number): void => {
    if (fromMs >= toMs) return;
    const last = ranges.at(-1);
    if (last?.level === level && last.toMs === fromMs) last.toMs = toMs;
    else ranges.push({ level, fromMs, toMs });
  };
  const [fine, coarse] = LEVELS;
  const coarseMs = coarse * 60_000;
  for (let index = 0; index + 1 < edges.length; index += 1) {
    const [fromMs, toMs] = [edges[index]!, edges[index + 1]!];
    const firstWhole = floorToBlock(coarse, fromMs + coarseMs - 1);
    const pastWhole = floorToBlock(coarse, toMs);
    if (firstWhole >= pastWhole) {
      add(fine, fromMs, toMs);
      continue;
    }
    add(fine, fromMs, firstWhole);
    add(coarse, firstWhole, pastWhole);
    add(fine, pastWhole, toMs);
  }
  return ranges;
}

export function countBlocks(ranges: readonly BlockRange[]): number {
  return ranges.reduce((sum, { level, fromMs, toMs }) => sum + (toMs - fromMs) / (level * 60_000), 0);
}

/** Binary search; -1 when the instant is outside all buckets. */
export function findBucket(edges: readonly number[], atMs: number): number {
  if (edges.length < 2 || atMs < edges[0]! || atMs >= edges.at(-1)!) return -1;
  let low = 0;
  let high = edges.length - 1;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (edges[middle]! <= atMs) low = middle;
    else high = middle;
  }
  return low;
}

/** Never negative: instants before 1970 round down as well. */
function mod(value: number, by: number): number {
  return ((value % by) + by) % by;
}
