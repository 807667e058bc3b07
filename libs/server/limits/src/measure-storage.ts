// Measures the bytes of each organisation in the tables of a service. Reads slices along the
// primary keys with rests, so that statements are short and no writer waits
// (docs/platform.md#storage).
import { setTimeout as delay } from 'node:timers/promises';
import type { Sql } from '@parley/server/postgres';

const SLICE_ROWS = 10_000;
/**
 * Rest after a slice, as a multiple of its duration: a measurement uses a tenth of one connection.
 */
const RESTS = 9;
/** Header of a row, its fixed columns, and its entries in the indexes. */
const ROW_BYTES = 300;

interface TableShape {
  readonly table: string;
  readonly keys: readonly string[];
  readonly types: readonly string[];
  /** Columns of variable size. */
  readonly columns: readonly string[];
}

const SHAPES = `
  SELECT relname AS table,
    (SELECT array_agg(quote_ident(attname) ORDER BY place) FROM unnest(indkey::int2[]) WITH ORDINALITY AS key (number, place)
     JOIN pg_attribute ON attrelid = pg_class.oid AND attnum = number) AS keys,
    (SELECT array_agg(format_type(atttypid, atttypmod) ORDER BY place) FROM unnest(indkey::int2[]) WITH ORDINALITY AS key (number, place)
     JOIN pg_attribute ON attrelid = pg_class.oid AND attnum = number) AS types,
    (SELECT array_agg(quote_ident(attname)) FROM pg_attribute
     WHERE attrelid = pg_class.oid AND attnum > 0 AND attlen = -1 AND NOT attisdropped) AS columns
  FROM pg_class JOIN pg_index ON indrelid = pg_class.oid AND indisprimary WHERE pg_class.oid = $1::text::regclass`;

interface Slice {
  readonly id: string;
  readonly bytes: number;
  readonly rows: number;
  /** The key of the slice's last row. */
  readonly last: string[];
}

/** Counts stored sizes: compressed, and without reading values outside of the row. */
function buildSliceStatement({ table, keys, types, columns }: TableShape, isFirst: boolean): string {
  const from = keys.map((_, index) => `$${index + 2}::text::${types[index]}`);
  const sizes = columns.map((column) => `COALESCE(pg_column_size(${column}), 0)`);
  return `
    WITH slice AS (
      SELECT organization_id AS owner, ${keys.join(', ')}, ${ROW_BYTES} + ${sizes.join(' + ')} AS bytes FROM ${table}
      ${isFirst ? '' : `WHERE (${keys.join(', ')}) > (${from.join(', ')})`} ORDER BY ${keys.join(', ')} LIMIT $1::int)
    SELECT owner AS id, sum(bytes)::float8 AS bytes, count(*)::int AS rows,
      (SELECT json_build_array(${keys.map((key) => `${key}::text`).join(', ')}) FROM slice
       ORDER BY ${keys.map((key) => `${key} DESC`).join(', ')} LIMIT 1) AS last
    FROM slice GROUP BY owner`;
}

/** Bytes by organisation. Stops on `signal`. */
export async function measureTables(
  sql: Sql,
  tables: readonly string[],
  signal: AbortSignal,
): Promise<ReadonlyMap<string, number>> {
  const used = new Map<string, number>();
  for (const name of tables) {
    const [shape] = await sql<TableShape>(SHAPES, [name]);
    if (!shape) throw new Error(`"${name}" has no primary key`);
    let last: readonly string[] | undefined;
    for (let rows = SLICE_ROWS; rows === SLICE_ROWS;) {
      const startedAtMs = performance.now();
      const slice = await sql<Slice>(buildSliceStatement(shape, last === undefined), [
        SLICE_ROWS,
        ...(last ?? []),
      ]);
      for (const { id, bytes } of slice) used.set(id, (used.get(id) ?? 0) + bytes);
      rows = slice.reduce((all, one) => all + one.rows, 0);
      last = slice[0]?.last;
      await delay((performance.now() - startedAtMs) * RESTS, undefined, { signal, ref: false });
    }
  }
  return used;
}
