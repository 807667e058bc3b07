// Which keys of DATA_KEY stored values need. The table `data_keys` is restored together with the
// values, so a database of before a rotation names the old key (docs/platform.md#secrets).
import type { Sql } from '@parley/server/postgres';
import type { Sealer } from '@parley/server/runtime';

/**
 * Ids of needed keys that DATA_KEY lacks; records the key that seals. `parley rewrap` says when a
 * key is no longer needed.
 * @throws Error when the database or the reference of DATA_KEY does not answer
 */
export async function findMissingDataKeys(sql: Sql, sealer: Pick<Sealer, 'keyIds'>): Promise<string[]> {
  const [rows, known] = await Promise.all([
    sql<{ id: string }>('SELECT id FROM data_keys WHERE rewrapped_at IS NULL ORDER BY id'),
    sealer.keyIds(),
  ]);
  const needed = rows.map(({ id }) => id);
  const [sealing] = known;
  if (sealing !== undefined && !needed.includes(sealing)) {
    await sql(
      `INSERT INTO data_keys (id) VALUES ($1)
       ON CONFLICT (id) DO UPDATE SET rewrapped_at = NULL`,
      [sealing],
    );
  }
  return needed.filter((id) => !known.includes(id));
}
