// Saves, reads and deletes applications, the customers of an organisation (docs/portal.md).
import type { z } from 'zod';
import { AppError, toPage, voiceApiDialect } from '@parley/envelopes';
import { audit } from '@parley/server/audit';
import { Reply, type Caller } from '@parley/server/http';
import type { Sql } from '@parley/server/postgres';
import { readIdCursor } from '../lists.ts';
import type { Deps } from './deps.ts';
import { notifyWebhookChanged } from '../webhooks/webhook-cache.ts';
import { createPortalKey } from './portal-links.ts';
import type { applicationListQuery, PutApplication } from './schemas.ts';

interface ApplicationRow {
  readonly applicationId: string;
  readonly name: string;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

const COLUMNS = `application_id AS "applicationId", name, created_at AS "createdAt", updated_at AS "updatedAt"`;

/**
 * Creates the application (201), or renames it; the same request again changes nothing.
 * @throws AppError limit_exceeded
 */
export async function putApplication(
  deps: Pick<Deps, 'transact' | 'clock' | 'ids' | 'dataSealer' | 'limits'>,
  caller: Caller,
  applicationId: string,
  { name }: PutApplication,
): Promise<Reply> {
  const { organizationId, principal } = caller;
  const id = deps.ids('app');
  const key = await createPortalKey(deps, { organizationId, id });
  return deps.transact(async (sql) => {
    const [row] = await sql<ApplicationRow & { readonly isNew: boolean }>(
      `INSERT INTO applications AS stored
         (id, organization_id, application_id, name, portal_key, created_at, created_by, updated_at)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $6)
       ON CONFLICT (organization_id, application_id) DO UPDATE SET name = excluded.name, updated_at = excluded.updated_at
         WHERE stored.name <> excluded.name
       RETURNING ${COLUMNS}, id = $1 AS "isNew"`,
      [id, organizationId, applicationId, name, key, new Date(deps.clock()), principal],
    );
    if (!row) return new Reply(toView(await findApplication(sql, caller, applicationId)));
    if (row.isNew) await deps.limits.caps.added(sql, organizationId, 'applications');
    await audit(sql, deps, caller, { action: 'application.saved', target: applicationId, details: { name } });
    return new Reply(toView(row), { status: row.isNew ? 201 : 200 });
  });
}

/** By id. */
export async function listApplications(
  { sql }: Pick<Deps, 'sql'>,
  { organizationId }: Caller,
  { cursor, limit }: z.output<typeof applicationListQuery>,
) {
  const rows = await sql<ApplicationRow>(
    `SELECT ${COLUMNS} FROM applications
     WHERE organization_id = $1 AND ($2::text IS NULL OR application_id > $2)
     ORDER BY application_id LIMIT $3::int`,
    [organizationId, readIdCursor(cursor), limit + 1],
  );
  return voiceApiDialect.page(toPage(rows, limit, ({ applicationId }) => [applicationId], toView));
}

/** @throws AppError not_found */
export async function getApplication({ sql }: Pick<Deps, 'sql'>, caller: Caller, applicationId: string) {
  return toView(await findApplication(sql, caller, applicationId));
}

/** Deletes its webhooks with their log, and ends its portal links. @throws AppError not_found */
export async function deleteApplication(
  deps: Pick<Deps, 'transact' | 'clock' | 'ids' | 'webhookCache'>,
  caller: Caller,
  applicationId: string,
) {
  const { organizationId } = caller;
  const webhooks = await deps.transact(async (sql) => {
    const [deleted] = await sql(
      'DELETE FROM applications WHERE organization_id = $1 AND application_id = $2 RETURNING 1 AS one',
      [organizationId, applicationId],
    );
    if (!deleted) throw new AppError('not_found', `There is no application "${applicationId}".`);
    const rows = await sql<{ id: string }>(
      'DELETE FROM webhooks WHERE organization_id = $1 AND application_id = $2 RETURNING id',
      [organizationId, applicationId],
    );
    for (const { id } of rows) await notifyWebhookChanged(sql, id);
    const details = { webhooks: rows.length };
    await audit(sql, deps, caller, { action: 'application.deleted', target: applicationId, details });
    return rows;
  });
  for (const { id } of webhooks) deps.webhookCache.drop(id);
  return { id: applicationId, deleted: true, webhooks: webhooks.length };
}

/** The application of a portal link. @throws AppError not_found for every other credential */
export async function getPortal({ sql }: Pick<Deps, 'sql'>, caller: Caller) {
  if (caller.applicationId === undefined) throw new AppError('not_found', 'Only a portal link has a portal.');
  const { applicationId, name } = await findApplication(sql, caller, caller.applicationId);
  return { application: { id: applicationId, name }, scopes: [...caller.scopes] };
}

async function findApplication(
  sql: Sql,
  { organizationId }: Caller,
  applicationId: string,
): Promise<ApplicationRow> {
  const [row] = await sql<ApplicationRow>(
    `SELECT ${COLUMNS} FROM applications WHERE organization_id = $1 AND application_id = $2`,
    [organizationId, applicationId],
  );
  if (!row) throw new AppError('not_found', `There is no application "${applicationId}".`);
  return row;
}

function toView({ applicationId, name, createdAt, updatedAt }: ApplicationRow) {
  const { time } = voiceApiDialect;
  return { id: applicationId, name, created_at: time(createdAt), updated_at: time(updatedAt) };
}
