// Stores flows and their versions. Callers lock the head before they append a version or move the
// pointer: versions are consecutive and no update is lost.
import type { Caller } from '@parley/server/http';
import { notifyChanged, type Sql } from '@parley/server/postgres';
import type { Flow, FlowVersion } from '@parley/store-flow-builder';
import type { NamedDefinition } from './check-definition.ts';
import { FLOWS_CHANNEL, flowKey, flowNotFound, versionNotFound, type FlowKey } from './runnable-flows.ts';

/** The entity tag of a version (RFC 9110 §8.8.3), for ETag, If-Match and `etag`. */
export function toEtag(version: { version: number; hash: string }): string {
  return `"${version.version}-${version.hash.slice(0, 16)}"`;
}

const HEAD = `organization_id AS "organizationId", flow_id AS "flowId", name, latest_version AS "latestVersion",
  latest_valid AS "latestValid", published_version AS "publishedVersion", published_at AS "publishedAt",
  created_at AS "createdAt", updated_at AS "updatedAt", archived_at AS "archivedAt"`;

/**
 * Does not find archived flows. `lock` holds the head until the transaction ends. @throws AppError
 * not_found
 */
export async function getHead(sql: Sql, key: FlowKey, lock: '' | 'FOR UPDATE' = ''): Promise<Flow> {
  const head = await getAnyHead(sql, key, lock);
  if (head === null || head.archivedAt !== null) throw flowNotFound(key);
  return head;
}

/** Also finds archived flows. */
export async function getAnyHead(sql: Sql, key: FlowKey, lock: '' | 'FOR UPDATE' = ''): Promise<Flow | null> {
  const [head] = await sql<Flow>(
    `SELECT ${HEAD} FROM flows WHERE organization_id = $1 AND flow_id = $2 ${lock}`,
    [key.organizationId, key.flowId],
  );
  return head ?? null;
}

/** @throws AppError not_found */
export async function getVersion(sql: Sql, key: FlowKey, version: number): Promise<FlowVersion> {
  const [found] = await sql<FlowVersion>(
    `SELECT organization_id AS "organizationId", flow_id AS "flowId", version, name, definition, validation, valid, hash, note,
            created_at AS "createdAt", created_by AS "createdBy", calls, expanded
     FROM flow_versions WHERE organization_id = $1 AND flow_id = $2 AND version = $3`,
    [key.organizationId, key.flowId, version],
  );
  if (!found) throw versionNotFound(key, version);
  return found;
}

/** A version as JSON text: a thread parses definitions of megabytes. */
export interface VersionText extends Pick<FlowVersion, 'version' | 'name' | 'valid' | 'calls'> {
  /** JSON of the author's definition. */
  readonly definition: string;
  /** JSON of the definition that runs in its place; null without calls. */
  readonly expanded: string | null;
  readonly agentMode: string | null;
  readonly modelName: string | null;
  readonly stepsProvedMax: number | null;
}

/** @throws AppError not_found */
export async function getVersionText(sql: Sql, key: FlowKey, version: number): Promise<VersionText> {
  const [found] = await sql<VersionText>(
    `SELECT version, name, valid, calls, definition::text AS definition, expanded::text AS expanded,
            definition ->> 'agent_mode' AS "agentMode",
            (SELECT node ->> 'model' FROM json_array_elements(definition -> 'nodes') AS node
             WHERE node ->> 'type' = 'global' LIMIT 1) AS "modelName",
            (validation #>> '{stats,max_steps_per_turn}')::float8 AS "stepsProvedMax"
     FROM flow_versions WHERE organization_id = $1 AND flow_id = $2 AND version = $3`,
    [key.organizationId, key.flowId, version],
  );
  if (!found) throw versionNotFound(key, version);
  return found;
}

/** Default: the latest version. @throws AppError not_found */
export async function readVersionText(
  { sql }: { readonly sql: Sql },
  { organizationId }: Caller,
  flowId: string,
  version: number | undefined,
): Promise<VersionText> {
  const key = { organizationId, flowId };
  const head = await getHead(sql, key);
  return getVersionText(sql, key, version ?? head.latestVersion);
}

/**
 * Inserts a new flow with its version 1.
 * @returns false when the flow exists; then nothing was written
 */
export async function insertFlow(
  sql: Sql,
  key: FlowKey,
  checked: NamedDefinition,
  by: { principal: string; nowMs: number },
): Promise<boolean> {
  const now = new Date(by.nowMs);
  // ON CONFLICT waits until a concurrent insert commits, and does not fail the transaction.
  const inserted = await sql(
    `INSERT INTO flows (organization_id, flow_id, name, latest_version, latest_valid, created_at, updated_at)
     VALUES ($1, $2, $3, 1, $4::int, $5, $5) ON CONFLICT DO NOTHING RETURNING 1 AS one`,
    [key.organizationId, key.flowId, checked.name, checked.validation.valid ? 1 : null, now],
  );
  if (inserted.length === 0) return false;
  await insertVersion(sql, key, 1, checked, by);
  await notifyChanged(sql, FLOWS_CHANNEL, flowKey(key)); // caches may hold that it does not exist
  return true;
}

/** The caller holds the lock of the head. */
export async function appendVersion(
  sql: Sql,
  key: FlowKey,
  head: { latestVersion: number; latestValid: number | null },
  checked: NamedDefinition,
  by: { principal: string; nowMs: number; note?: string | undefined },
): Promise<void> {
  const version = head.latestVersion + 1;
  await insertVersion(sql, key, version, checked, by);
  await sql(
    `UPDATE flows SET name = $3, latest_version = $4, latest_valid = $5, updated_at = $6
     WHERE organization_id = $1 AND flow_id = $2`,
    [
      key.organizationId,
      key.flowId,
      checked.name,
      version,
      checked.validation.valid ? version : head.latestValid,
      new Date(by.nowMs),
    ],
  );
  await notifyChanged(sql, FLOWS_CHANNEL, flowKey(key));
}

async function insertVersion(
  sql: Sql,
  key: FlowKey,
  version: number,
  { name, definition, validation, hash, calls, expanded }: NamedDefinition,
  by: { principal: string; nowMs: number; note?: string | undefined },
): Promise<void> {
  await sql(
    `INSERT INTO flow_versions
       (organization_id, flow_id, version, name, definition, validation, valid, hash, note, created_at, created_by,
        calls, expanded)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)`,
    [
      key.organizationId,
      key.flowId,
      version,
      name,
      definition,
      JSON.stringify(validation),
      validation.valid,
      hash,
      by.note ?? null,
      new Date(by.nowMs),
      by.principal,
      calls && JSON.stringify(calls),
      expanded && JSON.stringify(expanded),
    ],
  );
}

/**
 * Publishes `version`, or nothing (null), and logs who did it and when. The caller holds the lock
 * of the head.
 */
export async function movePointer(
  sql: Sql,
  key: FlowKey,
  version: number | null,
  by: { principal: string; nowMs: number; id: string; skipTests?: boolean; reason?: string | undefined },
): Promise<Flow> {
  const { organizationId, flowId } = key;
  const now = new Date(by.nowMs);
  await sql(
    `INSERT INTO flow_publications (id, organization_id, flow_id, version, skip_tests, reason, published_at, published_by)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`,
    [by.id, organizationId, flowId, version, by.skipTests ?? false, by.reason ?? null, now, by.principal],
  );
  const [head] = await sql<Flow>(
    `UPDATE flows SET published_version = $3, published_at = $4
     WHERE organization_id = $1 AND flow_id = $2 RETURNING ${HEAD}`,
    [organizationId, flowId, version, version === null ? null : now],
  );
  await notifyChanged(sql, FLOWS_CHANNEL, flowKey(key));
  return head!;
}

/** Archives a flow, or restores it (null). The caller holds the lock of the head. */
export async function setArchived(sql: Sql, key: FlowKey, archivedAt: Date | null): Promise<Flow> {
  const [head] = await sql<Flow>(
    `UPDATE flows SET archived_at = $3 WHERE organization_id = $1 AND flow_id = $2 RETURNING ${HEAD}`,
    [key.organizationId, key.flowId, archivedAt],
  );
  await notifyChanged(sql, FLOWS_CHANNEL, flowKey(key));
  return head!;
}
