// What is set aside in a service's database, for metrics and for the operator (docs/platform.md#quarantine). Every table of work has the
// columns `deaths` and `quarantined_at`, and a time that is never while a row is set aside.
import type { Sql } from '@parley/postgres';
import type { ServiceName } from '@parley/runtime';
import { NEVER } from './ring.rules.ts';

interface QuarantineTable {
  readonly table: string;
  /** SQL of what names a row of its organisation. Default: its `id`. */
  readonly id?: string;
  /** The indexed time at which a row is looked at again. */
  readonly at: string;
  /** SQL of the organisation that a row belongs to, which it calls `row`. */
  readonly organization: string;
}

const inbox: QuarantineTable = {
  table: 'inbox_suspects',
  at: 'next_ring_at',
  organization: 'organization_id',
};

export const quarantines: Readonly<Record<ServiceName, readonly QuarantineTable[]>> = {
  'flow-builder': [inbox],
  'voice-api': [
    inbox,
    { table: 'conversations', at: 'due_at', organization: 'organization_id' },
    {
      table: 'webhook_delivery_batches',
      at: 'next_ring_at',
      organization: `(SELECT event.organization_id FROM webhook_deliveries AS delivery
        JOIN webhook_events AS event ON event.id = delivery.event_id WHERE delivery.id = row.delivery_ids[1])`,
    },
  ],
  notifications: [
    inbox,
    { table: 'deliveries', at: 'next_ring_at', organization: 'organization_id' },
    {
      table: 'push_retries',
      id: "delivery_id || ' ' || subscription_id",
      at: 'next_attempt_at',
      organization: 'organization_id',
    },
    { table: 'push_chunks', at: 'next_ring_at', organization: 'organization_id' },
    { table: 'topic_sends', at: 'next_ring_at', organization: 'organization_id' },
  ],
};

/** SQL of the organisation that a row of a table belongs to, which it calls `row`. */
export function organizationOf(table: string): string {
  const known = Object.values(quarantines)
    .flat()
    .find((one) => one.table === table);
  return known?.organization ?? 'organization_id';
}

/**
 * SQL: nothing of the organisation of `alert` is quarantined in the table that is the subject of the alert. `alert` is the
 * alias of a row with `organization_id` and `subject`.
 */
export function quarantineEnded(service: ServiceName, alert: string): string {
  const tables = quarantines[service].map(
    ({ table, at, organization }) =>
      `${alert}.subject = '${table}' AND NOT EXISTS (SELECT 1 FROM ${table} AS row
         WHERE row.${at} >= '${NEVER.toISOString()}' AND row.quarantined_at IS NOT NULL
           AND ${organization} = ${alert}.organization_id)`,
  );
  return tables.map((one) => `(${one})`).join(' OR ');
}

export interface Quarantined {
  readonly table: string;
  readonly id: string;
  readonly organizationId: string | null;
  readonly quarantinedAt: Date;
}

/** Beyond this the number says nothing more. */
const COUNT_MAX = 10_000;

export async function countQuarantined(
  sql: Sql,
  service: ServiceName,
): Promise<{ table: string; count: number }[]> {
  return Promise.all(
    quarantines[service].map(async ({ table, at }) => {
      const [row] = await sql<{ count: number }>(
        `SELECT count(*)::int AS count FROM
           (SELECT 1 FROM ${table} WHERE ${at} >= $1 AND quarantined_at IS NOT NULL LIMIT ${COUNT_MAX}) AS few`,
        [NEVER],
      );
      return { table, count: row?.count ?? 0 };
    }),
  );
}

/** At most so many of each table. */
const LISTED_MAX = 1_000;

export async function listQuarantined(sql: Sql, service: ServiceName): Promise<Quarantined[]> {
  const found: Quarantined[] = [];
  for (const { table, id = 'row.id', at, organization } of quarantines[service]) {
    const rows = await sql<Omit<Quarantined, 'table'>>(
      `SELECT ${id} AS id, ${organization} AS "organizationId", row.quarantined_at AS "quarantinedAt" FROM ${table} AS row
       WHERE row.${at} >= $1 AND row.quarantined_at IS NOT NULL ORDER BY row.quarantined_at LIMIT ${LISTED_MAX}`,
      [NEVER],
    );
    for (const row of rows) found.push({ table, ...row });
  }
  return found;
}

/** Back to work, as if no worker had died with it. False when there is no such row set aside. */
export async function putBack(
  sql: Sql,
  service: ServiceName,
  { table, id, organizationId }: Pick<Quarantined, 'table' | 'id' | 'organizationId'>,
  now: Date,
): Promise<boolean> {
  const known = quarantines[service].find((one) => one.table === table);
  if (!known) return false;
  const rows = await sql(
    `UPDATE ${table} AS row SET deaths = 0, quarantined_at = NULL, ${known.at} = $3
     WHERE ${known.id ?? 'row.id'} = $1 AND quarantined_at IS NOT NULL AND ${known.organization} = $2 RETURNING 1 AS one`,
    [id, organizationId, now],
  );
  return rows.length > 0;
}
