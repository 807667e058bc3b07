// Rows by the million, in a fraction of the time that they would take one by one: the indexes are
// built when all are there.
import type pg from 'pg';

/** For the building of an index; the default of 64 MB spills. */
const MEMORY = '512MB';

/**
 * Calls `load` while these tables have no index but those of their constraints, and gives them back
 * what they had.
 */
export async function loadBare(
  pool: pg.Pool,
  tables: readonly string[],
  load: () => Promise<unknown>,
): Promise<void> {
  const { rows: indexes } = await pool.query<{ name: string; definition: string }>(
    `SELECT indexname AS name, indexdef AS definition FROM pg_indexes
     WHERE schemaname = 'public' AND tablename = ANY($1::text[])
       AND NOT EXISTS (SELECT FROM pg_constraint WHERE conindid = format('%I.%I', schemaname, indexname)::regclass)`,
    [tables],
  );
  for (const { name } of indexes) await pool.query(`DROP INDEX "${name}"`);
  await load();
  const client = await pool.connect();
  try {
    await client.query(`SET maintenance_work_mem = '${MEMORY}'`);
    for (const { definition } of indexes) await client.query(definition);
    await client.query('RESET maintenance_work_mem');
  } finally {
    client.release();
  }
}
