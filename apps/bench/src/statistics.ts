// The few numbers a comparison is judged by. Pure.

/** The middle of a list that is not empty; of two middles the mean. */
export function median(values: readonly number[]): number {
  if (values.length === 0) throw new Error('the median of nothing');
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}

/**
 * The value that a part `quantile` of the list does not exceed (nearest rank). The list is not
 * empty.
 */
export function quantileOf(values: readonly number[], quantile: number): number {
  if (values.length === 0) throw new Error('a quantile of nothing');
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(quantile * sorted.length) - 1)]!;
}

export interface RatioOfRounds {
  /**
   * The median of the ratios of the rounds; it may differ a little from the quotient of two
   * medians.
   */
  readonly median: number;
  readonly lowest: number;
  readonly highest: number;
}

/** Divides round by round: what disturbs a whole round disturbs both sides of it alike. */
export function ratioOfRounds(over: readonly number[], under: readonly number[]): RatioOfRounds {
  if (over.length !== under.length) throw new Error(`${over.length} rounds against ${under.length}`);
  const ratios = over.map((value, round) => value / under[round]!);
  return { median: median(ratios), lowest: Math.min(...ratios), highest: Math.max(...ratios) };
}

export interface Target {
  readonly atLeast?: number;
  readonly atMost?: number;
}

/** Whether a ratio keeps its target; null where there is none and the ratio is for information. */
export function keeps(target: Target, ratio: number): boolean | null {
  if (target.atLeast !== undefined) return ratio >= target.atLeast;
  if (target.atMost !== undefined) return ratio <= target.atMost;
  return null;
}
