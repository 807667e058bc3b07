// Pages of a list that are bounded in bytes as well: what customers write may be large, and a hundred of it would be too much for one
// answer (docs/platform.md#byte-budgets).

/** Of the rows of one page. */
const PAGE_BYTES_MAX = 1024 * 1024;
/** What a row has beside its `size`. */
const ROW_BYTES = 1_000;

export interface SizedRow {
  /** Bytes of the page up to this row. */
  readonly bytes_until: number;
}

/**
 * The rows of `statement` that fit into a page, and one more where there is one. `size`: SQL of what a row has, by the names of the
 * statement's columns, as `order` is.
 */
export function withinBytes(statement: string, size: string, order: string): string {
  return `SELECT * FROM (
      SELECT listed.*, (sum(${size} + ${ROW_BYTES}) OVER (ORDER BY ${order}))::float8 AS bytes_until,
        (${size} + ${ROW_BYTES}) AS bytes_of FROM (${statement}) AS listed) AS page
    WHERE bytes_until - bytes_of <= ${PAGE_BYTES_MAX} ORDER BY ${order}`;
}

/** How many of these rows the page shows, at most `limit`; one at least. */
export function fitting(rows: readonly SizedRow[], limit: number): number {
  const fit = rows.filter(({ bytes_until: until }) => until <= PAGE_BYTES_MAX).length;
  return Math.min(limit, Math.max(1, fit));
}
