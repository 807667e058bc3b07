// The organizations table of every service: what the operator set and the service applies.
import { z } from 'zod';
import { notifyChanged, type Sql } from '@parley/server/postgres';
import { PLANS, type Plan } from './plans.ts';

/** Notifies replicas of a changed organisation; the payload is its id. */
export const ORGANIZATIONS_CHANNEL = 'parley_organizations';

export interface Organization {
  /** The id in credentials. */
  readonly id: string;
  readonly name: string | null;
  readonly plan: Plan;
  /** Null: the plan's. */
  readonly requestsPerMinute: number | null;
  /** Null: the plan's. */
  readonly concurrentConnections: number | null;
  /** Null: the plan's. */
  readonly notifyPerMinute: number | null;
  /** Bytes that it may store in the service. Null: the plan's. */
  readonly storageBytes: number | null;
  readonly alertEmail: string | null;
}

/**
 * Redis lists a minute's requests (or sends) of an organisation, about ten bytes each: ten
 * megabytes.
 */
const PER_MINUTE_MAX = 1_000_000;
/** More than one process can have in flight; the size of a sorted set in Redis. */
const CONCURRENT_CONNECTIONS_MAX = 100_000;

const change = z.strictObject({
  name: z.string().min(1).max(200).nullable().optional(),
  plan: z.enum(PLANS).optional(),
  requestsPerMinute: z.int().min(1).max(PER_MINUTE_MAX).nullable().optional(),
  concurrentConnections: z.int().min(1).max(CONCURRENT_CONNECTIONS_MAX).nullable().optional(),
  notifyPerMinute: z.int().min(1).max(PER_MINUTE_MAX).nullable().optional(),
  storageBytes: z.int().min(1).nullable().optional(),
  alertEmail: z.email().max(254).nullable().optional(),
});

/** Absent members stay; null removes an own number, a name or an address. */
export type OrganizationChange = z.output<typeof change>;

/** @throws Error naming every invalid member. */
export function parseOrganizationChange(input: unknown): OrganizationChange {
  const read = change.safeParse(input);
  if (read.success) return read.data;
  const problems = read.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`);
  throw new Error(problems.join('; '));
}

const COLUMNS = `id, name, plan, requests_per_minute AS "requestsPerMinute",
  concurrent_connections AS "concurrentConnections", notify_per_minute AS "notifyPerMinute",
  storage_bytes::float8 AS "storageBytes", alert_email AS "alertEmail"`;

/**
 * The limits of an organisation that the operator has not set up
 * (docs/platform.md#plans-and-limits).
 */
export function unknownOrganization(id: string): Organization {
  return {
    id,
    name: null,
    plan: 'starter',
    requestsPerMinute: null,
    concurrentConnections: null,
    notifyPerMinute: null,
    storageBytes: null,
    alertEmail: null,
  };
}

/** Null when the operator has not set it up: see `unknownOrganization`. */
export async function findOrganization(sql: Sql, id: string): Promise<Organization | null> {
  const [found] = await sql<Organization>(`SELECT ${COLUMNS} FROM organizations WHERE id = $1`, [id]);
  return found ?? null;
}

/** Organisations that the operator has set up, by id; `afterId` is exclusive. */
export function listOrganizations(sql: Sql, limit: number, afterId = ''): Promise<Organization[]> {
  return sql<Organization>(`SELECT ${COLUMNS} FROM organizations WHERE id > $1 ORDER BY id LIMIT $2::int`, [
    afterId,
    limit,
  ]);
}

/** Creates or changes one; every replica applies it within a second. */
export async function setOrganization(
  sql: Sql,
  id: string,
  changed: OrganizationChange,
  nowMs: number,
): Promise<Organization> {
  const before = (await findOrganization(sql, id)) ?? unknownOrganization(id);
  const after: Organization = { ...before, ...withoutUndefined(changed) };
  await sql(
    `INSERT INTO organizations (id, name, plan, requests_per_minute, concurrent_connections, notify_per_minute, alert_email,
       created_at, updated_at, storage_bytes)
     VALUES ($1, $2, $3, $4::int, $5::int, $8::int, $6, $7::timestamptz, $7::timestamptz, $9::bigint)
     ON CONFLICT (id) DO UPDATE SET name = $2, plan = $3, requests_per_minute = $4::int,
       concurrent_connections = $5::int, notify_per_minute = $8::int, alert_email = $6, updated_at = $7::timestamptz, storage_bytes = $9::bigint`,
    [
      id,
      after.name,
      after.plan,
      after.requestsPerMinute,
      after.concurrentConnections,
      after.alertEmail,
      new Date(nowMs),
      after.notifyPerMinute,
      after.storageBytes,
    ],
  );
  await notifyChanged(sql, ORGANIZATIONS_CHANNEL, id);
  return after;
}

function withoutUndefined(changed: OrganizationChange): Partial<Organization> {
  return Object.fromEntries(Object.entries(changed).filter(([, value]) => value !== undefined));
}
