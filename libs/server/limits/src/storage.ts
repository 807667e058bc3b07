// The storage quota of an organisation in a service (docs/platform.md#storage). Workers measure; an
// HTTP process adds what it accepted since, and refuses more when the quota is reached.
import { LRUCache } from 'lru-cache';
import { AppError } from '@parley/envelopes';
import { getStorageBytes, unknownOrganization, type Organization } from '@parley/server/organizations';
import type { Sql } from '@parley/server/postgres';
import type { Clock, ServiceName } from '@parley/server/runtime';
import { measureTables } from './measure-storage.ts';

/** A cached measurement is read again after this time. */
const LOOK_MS = 5_000;
const ORGANIZATIONS_MAX = 50_000;
/** Part of the quota from which an organisation is warned. */
const WARNED_FROM = 0.8;
/** Minimum time between two measurements of a service, for any number of workers. */
export const MEASURE_EVERY_MS = 60_000;

/** An organisation that crossed 80 % of its quota, or is below it again. */
export interface StorageCrossing {
  readonly organizationId: string;
  readonly used: number;
  readonly of: number;
  readonly isAlmostFull: boolean;
}

export interface Storage {
  /** Call it before storing `bytes`, which it adds to the usage. @throws AppError storage_full */
  admit(organizationId: string, bytes: number): Promise<void>;
  isFull(organizationId: string): Promise<boolean>;
  /** For a request's own organisation: as of the last measurement. */
  read(organization: Organization): Promise<{ readonly used: number; readonly of: number }>;
  /** One measurement, unless another worker has just begun one. `tell` runs in its transaction. */
  measure(signal: AbortSignal, tell: (sql: Sql, crossing: StorageCrossing) => Promise<void>): Promise<void>;
}

export interface StorageOptions {
  readonly service: ServiceName;
  /** Tables with an `organization_id` whose rows count. */
  readonly stored: readonly string[];
  readonly sql: Sql;
  readonly clock: Clock;
  readonly organizationOf: (id: string) => Promise<Organization>;
  readonly transact: <Result>(work: (sql: Sql) => Promise<Result>) => Promise<Result>;
}

interface Use {
  readonly bytes: number;
  /** When its measurement began; 0: there was none. */
  readonly measuredAtMs: number;
  readonly lookedAtMs: number;
  /** Accepted by this process since, in steps of LOOK_MS. */
  readonly accepted: { readonly atMs: number; bytes: number }[];
}

export function createStorage(options: StorageOptions): Storage {
  const { service, sql, clock } = options;
  const uses = new LRUCache<string, Use>({ max: ORGANIZATIONS_MAX });

  async function readUse(id: string): Promise<Use> {
    const nowMs = clock();
    const known = uses.get(id);
    if (known && nowMs - known.lookedAtMs < LOOK_MS) return known;
    const [row] = await sql<{ bytes: number; measured_at: Date }>(
      'SELECT bytes::float8 AS bytes, measured_at FROM storage_use WHERE organization_id = $1',
      [id],
    );
    const measuredAtMs = row?.measured_at.getTime() ?? 0;
    const accepted = (uses.get(id)?.accepted ?? []).filter(({ atMs }) => atMs + LOOK_MS >= measuredAtMs);
    const use = { bytes: row?.bytes ?? 0, measuredAtMs, lookedAtMs: nowMs, accepted };
    uses.set(id, use);
    return use;
  }

  async function toState(id: string) {
    const use = await readUse(id);
    const of = getStorageBytes(service, await options.organizationOf(id));
    return { use, of, used: use.accepted.reduce((all, { bytes }) => all + bytes, use.bytes) };
  }

  return {
    admit: async (id, bytes) => {
      const { use, used, of } = await toState(id);
      if (used >= of) throw storageFull(used, of);
      const last = use.accepted.at(-1);
      const nowMs = clock();
      if (last && nowMs - last.atMs < LOOK_MS) last.bytes += bytes;
      else use.accepted.push({ atMs: nowMs, bytes });
    },
    isFull: async (id) => {
      const { used, of } = await toState(id);
      return used >= of;
    },
    read: async (organization) => {
      const { bytes: used } = await readUse(organization.id);
      return { used, of: getStorageBytes(service, organization) };
    },
    measure: async (signal, tell) => {
      const now = new Date(clock());
      const claimed = await sql(CLAIM, [now, new Date(now.getTime() - MEASURE_EVERY_MS)]);
      if (claimed.length === 0) return;
      const used = [...(await measureTables(sql, options.stored, signal))];
      await options.transact(async (within) => {
        const rows = await within<Stored>(STORE, [
          used.map(([id]) => id),
          used.map(([, bytes]) => bytes),
          now,
        ]);
        for (const row of rows) {
          const of = getStorageBytes(service, { ...unknownOrganization(row.id), ...withoutNull(row) });
          const isAlmostFull = row.bytes >= of * WARNED_FROM;
          const isFull = row.bytes >= of;
          if (isAlmostFull === row.warned && isFull === row.isFull) continue;
          await within('UPDATE storage_use SET warned = $2, is_full = $3 WHERE organization_id = $1', [
            row.id,
            isAlmostFull,
            isFull,
          ]);
          if (isAlmostFull !== row.warned)
            await tell(within, { organizationId: row.id, used: row.bytes, of, isAlmostFull });
        }
      });
    },
  };
}

interface Stored {
  readonly id: string;
  readonly bytes: number;
  readonly warned: boolean;
  readonly isFull: boolean;
  readonly plan: Organization['plan'] | null;
  readonly storageBytes: number | null;
}

const withoutNull = ({ plan, storageBytes }: Stored) => ({
  storageBytes,
  ...(plan === null ? {} : { plan }),
});

/** The row without an organisation holds the start of the last measurement. */
const CLAIM = `
  INSERT INTO storage_use (organization_id, bytes, measured_at) VALUES ('', 0, $1)
  ON CONFLICT (organization_id) DO UPDATE SET measured_at = $1 WHERE storage_use.measured_at <= $2 RETURNING 1 AS one`;

/** Includes organisations that have nothing any more. */
const STORE = `
  WITH measured AS (SELECT * FROM unnest($1::text[], $2::float8[]) AS measured (id, bytes)),
  gone AS (
    UPDATE storage_use SET bytes = 0, measured_at = $3 WHERE organization_id <> '' AND NOT organization_id = ANY($1::text[])
    RETURNING organization_id AS id, 0::float8 AS bytes, warned, is_full AS "isFull"),
  stored AS (
    INSERT INTO storage_use (organization_id, bytes, measured_at) SELECT id, bytes::bigint, $3 FROM measured
    ON CONFLICT (organization_id) DO UPDATE SET bytes = EXCLUDED.bytes, measured_at = EXCLUDED.measured_at
    RETURNING organization_id AS id, bytes::float8 AS bytes, warned, is_full AS "isFull")
  SELECT use.*, plan, storage_bytes::float8 AS "storageBytes"
  FROM (SELECT * FROM stored UNION ALL SELECT * FROM gone) AS use LEFT JOIN organizations ON organizations.id = use.id`;

function storageFull(used: number, of: number): AppError {
  return new AppError(
    'storage_full',
    `The organization uses ${Math.round(used)} of ${of} bytes of storage. Delete what you no longer need, or ask the operator for more.`,
    { details: { limit: 'storage_bytes', used: Math.round(used), of } },
  );
}
