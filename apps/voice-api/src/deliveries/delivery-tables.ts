// The partitioned tables of deliveries (docs/scale.md#partitions).
import type { PartitionedTable } from '@parley/server/postgres';

/** Attempts go with their deliveries. Both have the week of the delivery's id. */
export const DELIVERY_TABLES: readonly PartitionedTable[] = [
  { table: 'webhook_deliveries', key: 'id', prefix: 'dlv' },
  { table: 'webhook_delivery_attempts', key: 'delivery_id', prefix: 'dlv' },
];
