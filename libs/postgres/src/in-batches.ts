// Work on many rows in statements that each take milliseconds and hold few locks.

export interface BatchLimits {
  /** Rows of one statement. */
  readonly rowsMax: number;
  /** Statements of one call; what is left is for the next one. */
  readonly batchesMax: number;
}

/** `round` works on at most `limit` rows and gives them; repeated until there are no more. Gives how many there were. */
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
