// Bounds pages of a list in bytes as well: customers' rows may be large, and a hundred of them too
// much for one answer (docs/platform.md#byte-budgets).

/** Rows of one page together. */
const PAGE_BYTES_MAX = 1024 * 1024;
/** Size of a row besides its `size`. */
const ROW_BYTES = 1_000;

export interface SizedRow {
  /** Bytes of the page up to this row. */
  readonly bytes_until: number;
}

/**
 * The rows of `statement` that fit into a page, plus one more if there is one. `size`: SQL of a
 * row's bytes, by the statement's column names, as `order` is.
 */
export function boundBytesSql(statement: string, size: string, order: string): string {
  return `SELECT * FROM (
      SELECT listed.*, (sum(${size} + ${ROW_BYTES}) OVER (ORDER BY ${order}))::float8 AS bytes_until,
        (${size} + ${ROW_BYTES}) AS bytes_of FROM (${statement}) AS listed) AS page
    WHERE bytes_until - bytes_of <= ${PAGE_BYTES_MAX} ORDER BY ${order}`;
}

/** How many of these rows the page shows: at most `limit`, at least one. */
export function countFitting(rows: readonly SizedRow[], limit: number): number {
  const fit = rows.filter(({ bytes_until: until }) => until <= PAGE_BYTES_MAX).length;
  return Math.min(limit, Math.max(1, fit));
}
