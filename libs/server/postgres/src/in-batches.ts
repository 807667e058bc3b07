// Processes many rows in statements that take milliseconds each and hold few locks.

export interface BatchLimits {
  /** Rows of one statement. */
  readonly rowsMax: number;
  /** Statements of one call; the rest is for the next call. */
  readonly batchesMax: number;
}

/**
 * Calls `round`, which processes and returns at most `limit` rows, until there are no more. Returns
 * their number.
 */
export async function inBatches(
  { rowsMax, batchesMax }: BatchLimits,
  round: (limit: number) => Promise<readonly unknown[]>,
): Promise<number> {
  let rows = 0;
  for (let batch = 0; batch < batchesMax; batch += 1) {
    const { length } = await round(rowsMax);
    rows += length;
    if (length < rowsMax) break;
  }
  return rows;
}
