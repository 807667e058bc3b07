// The blocks of time that rollups are kept in, and how a window is put together from them. Pure.

/** Every time zone of this century is a multiple of a quarter of an hour away from UTC, so its hours and days are made of these. */
export const QUARTER_MS = 15 * 60_000;

/**
 * Lengths of the blocks, in minutes. The longer one is there for windows of months: a day of any zone is at most seven of it and
 * two dozen quarters, a year by months under 3,000 rows in place of 35,000. Each further length would cost every fold as much again.
 */
export const LEVELS = [15, 180] as const;
export type Level = (typeof LEVELS)[number];

/** The start of the quarter of an hour that holds an instant. */
export function quarterOf(atMs: number): Date {
  return new Date(atMs - mod(atMs, QUARTER_MS));
}

/** The start of the block of a level that holds an instant. Blocks are aligned to UTC. */
export function blockOf(level: Level, atMs: number): number {
  return atMs - mod(atMs, level * 60_000);
}

/** Blocks of one level that follow each other, half-open, in epoch milliseconds. */
export interface BlockRange {
  readonly level: Level;
  readonly fromMs: number;
  readonly toMs: number;
}

/**
 * The blocks that cover the buckets, each block in one bucket only. `edges` rise and are aligned to quarters: bucket i is
 * [edges[i], edges[i + 1]). Ranges rise, and neighbours of one level are one range even across buckets.
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
    const firstWhole = blockOf(coarse, fromMs + coarseMs - 1);
    const pastWhole = blockOf(coarse, toMs);
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

/** How many blocks there are in some ranges. */
export function countBlocks(ranges: readonly BlockRange[]): number {
  return ranges.reduce((sum, { level, fromMs, toMs }) => sum + (toMs - fromMs) / (level * 60_000), 0);
}

/** The index of the bucket that holds an instant, found by halving; -1 outside of all. */
export function bucketOf(edges: readonly number[], atMs: number): number {
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

/** Never negative: instants before 1970 are rounded down as well. */
function mod(value: number, by: number): number {
  return ((value % by) + by) % by;
}
