// Postgres as every service uses it: one pool, one way to run a statement, one listener.
export { createListener, LISTENER_TRUST_MS, type Listener } from './listener.ts';
export { createNoticedCache, notifyChanged, type NoticedCache } from './noticed-cache.ts';
export { createDatabaseClock, type DatabaseClock } from './database-clock.ts';
export { countFitting, boundBytesSql, type SizedRow } from './within-bytes.ts';
export { findMissingMigrations, listMigrations } from './migrations.ts';
export { inBatches } from './in-batches.ts';
export { keepPartitions, readSecondsAhead, trimEarlier } from './partitions.ts';
export type { PartitionedTable } from './partitions.rules.ts';
export { findPoolerProblem } from './pooler.ts';
export { createPool, type PoolOptions } from './pool.ts';
export { inTransaction, sqlOf, type Sql } from './sql.ts';
export { countRefusals, isPostgresUnavailable, isRefusedValue } from './unavailable.ts';
