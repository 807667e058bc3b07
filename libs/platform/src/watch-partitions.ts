// A metric of the partitions that exist ahead (docs/scale.md#partitions).
import { readSecondsAhead, type PartitionedTable } from '@parley/server/postgres';
import type { Platform } from './platform.ts';

export function watchPartitions(
  { metrics, sql, clock }: Pick<Platform, 'metrics' | 'sql' | 'clock'>,
  tables: readonly PartitionedTable[],
): void {
  metrics.gauge(
    'partitions_ahead_seconds',
    'Seconds until the last week that has a partition ends',
    ['table'],
    async (gauge) => {
      for (const table of tables)
        gauge.set({ table: table.table }, await readSecondsAhead(sql, table, clock()));
    },
  );
}
