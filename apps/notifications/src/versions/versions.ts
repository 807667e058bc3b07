// Versioned content of an organisation, such as templates and workflows: a head with a publish
// pointer, and immutable versions. Locks the head before it adds a version or moves the pointer.
import { createHash } from 'node:crypto';
import { AppError, decodeCursor, notificationsDialect, toPage } from '@parley/envelopes';
import { audit } from '@parley/server/audit';
import type { Caller } from '@parley/server/http';
import type { Sql } from '@parley/server/postgres';
import type { Deps } from '../deps.ts';

const { time } = notificationsDialect;

/**
 * What has versions: its tables, as parts of the statements, and the limits of its plan. A table
 * for each, since the release before finds templates by their id alone.
 */
const kinds = {
  template: {
    heads: 'templates',
    newVersion: 'template_versions (template_id,',
    ofVersion: 'template_versions WHERE template_id = $2',
    withVersion: 'templates AS head JOIN template_versions AS version ON template_id = head.id',
    versionsCap: 'versions_per_template',
  },
  workflow: {
    heads: 'workflows',
    newVersion: 'workflow_versions (workflow_id,',
    ofVersion: 'workflow_versions WHERE workflow_id = $2',
    withVersion: 'workflows AS head JOIN workflow_versions AS version ON workflow_id = head.id',
    versionsCap: 'versions_per_workflow',
  },
} as const;
export type Kind = keyof typeof kinds;

export interface ContentKey {
  readonly kind: Kind;
  readonly id: string;
}

export interface Head {
  readonly id: string;
  readonly latest_version: number;
  readonly published_version: number | null;
  readonly created_at: Date;
  readonly updated_at: Date;
}

const COLUMNS = 'id, latest_version, published_version, created_at, updated_at';

export function toWireHead(head: Head) {
  return {
    latest_version: head.latest_version,
    published_version: head.published_version,
    created_at: time(head.created_at),
    updated_at: time(head.updated_at),
  };
}

export interface SavedVersion {
  readonly head: Head;
  readonly version: number;
  /** The id had no version before. */
  readonly isNew: boolean;
}

/** Equal content does not create a version. @throws AppError limit_exceeded */
export async function saveVersion(
  deps: Deps,
  caller: Caller,
  key: ContentKey,
  { content, publish }: { readonly content: string; readonly publish: boolean },
): Promise<SavedVersion> {
  const hash = createHash('sha256').update(content).digest();
  const { organizationId, principal } = caller;
  const { kind, id } = key;
  const { heads, newVersion, ofVersion, versionsCap } = kinds[kind];
  const now = new Date(deps.clock());
  return deps.transact(async (sql) => {
    const created = await sql(
      `INSERT INTO ${heads} (organization_id, id, latest_version, created_at, updated_at)
       VALUES ($1, $2, 0, $3, $3) ON CONFLICT DO NOTHING RETURNING 1 AS one`,
      [organizationId, id, now],
    );
    const isNew = created.length > 0;
    const head = await lockHead(sql, organizationId, key);
    const [latest] = await sql<{ hash: Buffer }>(
      `SELECT hash FROM ${ofVersion} AND organization_id = $1 AND version = $3`,
      [organizationId, id, head.latest_version],
    );
    const version = latest?.hash.equals(hash) ? head.latest_version : head.latest_version + 1;
    if (version > head.latest_version) {
      await deps.limits.caps.refuseBeyond(organizationId, versionsCap, version);
      await sql(
        `INSERT INTO ${newVersion} organization_id, version, content, hash, created_by, created_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7)`,
        [id, organizationId, version, content, hash, principal, now],
      );
    }
    if (isNew) await deps.limits.caps.added(sql, organizationId, heads);
    const pointers = { latest: version, published: publish ? version : head.published_version };
    return { head: await moveHead(deps, sql, caller, { key, head, pointers }), version, isNew };
  });
}

/** Null unpublishes. @throws AppError not_found, also for an unknown version */
export async function publishVersion(
  deps: Deps,
  caller: Caller,
  key: ContentKey,
  version: number | null,
): Promise<Head> {
  return deps.transact(async (sql) => {
    const head = await lockHead(sql, caller.organizationId, key);
    if (version !== null && version > head.latest_version) throw unknownContent(key, version);
    const pointers = { latest: head.latest_version, published: version };
    return moveHead(deps, sql, caller, { key, head, pointers });
  });
}

async function lockHead(sql: Sql, organizationId: string, key: ContentKey): Promise<Head> {
  const [head] = await sql<Head>(
    `SELECT ${COLUMNS} FROM ${kinds[key.kind].heads} WHERE organization_id = $1 AND id = $2 FOR UPDATE`,
    [organizationId, key.id],
  );
  if (!head) throw unknownContent(key);
  return head;
}

interface Move {
  readonly key: ContentKey;
  /** As it was locked. */
  readonly head: Head;
  readonly pointers: { readonly latest: number; readonly published: number | null };
}

async function moveHead(
  deps: Deps,
  sql: Sql,
  caller: Caller,
  { key: { kind, id }, head, pointers: { latest, published } }: Move,
): Promise<Head> {
  const [moved] = await sql<Head>(
    `UPDATE ${kinds[kind].heads} SET latest_version = $3, published_version = $4, updated_at = $5
     WHERE organization_id = $1 AND id = $2 RETURNING ${COLUMNS}`,
    [caller.organizationId, id, latest, published, new Date(deps.clock())],
  );
  if (published === null) {
    if (head.published_version !== null)
      await audit(sql, deps, caller, { action: `${kind}.unpublished`, target: id });
  } else if (published !== head.published_version)
    await audit(sql, deps, caller, {
      action: `${kind}.published`,
      target: id,
      details: { version: published },
    });
  return moved!;
}

export async function listHeads<Wire>(
  { sql }: Pick<Deps, 'sql'>,
  { organizationId }: Caller,
  kind: Kind,
  query: { readonly limit: number; readonly cursor?: string | undefined },
  toWire: (head: Head) => Wire,
) {
  const [after] = query.cursor === undefined ? [''] : decodeCursor(query.cursor, 'text');
  const rows = await sql<Head>(
    `SELECT ${COLUMNS} FROM ${kinds[kind].heads} WHERE organization_id = $1 AND id > $2 ORDER BY id LIMIT $3::int`,
    [organizationId, after, query.limit + 1],
  );
  return toPage(rows, query.limit, ({ id }) => [id], toWire);
}

export interface FoundVersion {
  readonly head: Head;
  readonly version: number;
  readonly content: string;
}

/** Without a number the published version, or with `draft` else the latest. */
export async function findVersion(
  sql: Sql,
  organizationId: string,
  { kind, id }: ContentKey,
  version: number | undefined,
  { draft }: { readonly draft: boolean },
): Promise<FoundVersion | null> {
  const [row] = await sql<Head & { version: number; content: string }>(
    `SELECT head.id, latest_version, published_version, head.created_at, updated_at, version, content
     FROM ${kinds[kind].withVersion} AND version.organization_id = head.organization_id
       AND version = COALESCE($3::int, published_version, CASE WHEN $4::boolean THEN latest_version END)
     WHERE head.organization_id = $1 AND head.id = $2`,
    [organizationId, id, version ?? null, draft],
  );
  return row ? { head: row, version: row.version, content: row.content } : null;
}

/** The published version, else the latest. @throws AppError not_found */
export async function getVersion(
  { sql }: Pick<Deps, 'sql'>,
  { organizationId }: Pick<Caller, 'organizationId'>,
  key: ContentKey,
  version: number | undefined,
): Promise<FoundVersion> {
  const found = await findVersion(sql, organizationId, key, version, { draft: true });
  if (!found) throw unknownContent(key, version);
  return found;
}

/** Deletes all versions: later sends that name the id are refused. @throws AppError not_found */
export async function deleteContent(deps: Deps, caller: Caller, key: ContentKey): Promise<void> {
  await deps.transact(async (sql) => {
    const deleted = await sql(
      `DELETE FROM ${kinds[key.kind].heads} WHERE organization_id = $1 AND id = $2 RETURNING 1 AS one`,
      [caller.organizationId, key.id],
    );
    if (deleted.length === 0) throw unknownContent(key);
    await audit(sql, deps, caller, { action: `${key.kind}.deleted`, target: key.id });
  });
}

function unknownContent({ kind, id }: ContentKey, version?: number): AppError {
  const which = version === undefined ? '' : ` with a version ${version}`;
  return new AppError('not_found', `there is no ${kind} "${id}"${which}`);
}
