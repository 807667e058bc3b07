// Registers, reads, changes and deletes webhooks (docs/voice-api.md#webhooks).
import { randomBytes } from 'node:crypto';
import type { z } from 'zod';
import { audit } from '@parley/server/audit';
import { AppError, toPage, voiceApiDialect } from '@parley/envelopes';
import { reachesBot, Reply, type Caller, type EndpointTransaction, type Reach } from '@parley/server/http';
import { isSecretReference, type Outbound } from '@parley/outbound';
import { inTransaction, type Sql } from '@parley/server/postgres';
import { webhookContext } from '@parley/server/sealed-columns';
import type { Deps } from './deps.ts';
import { buildApplicationCondition, buildBotsCondition, readIdCursor } from '../lists.ts';
import { readRedaction, requireWholeTexts } from '../retention/redaction.ts';
import { notifyWebhookChanged } from './webhook-cache.ts';
import { readHealth, readHealths } from './webhook-health.ts';
import { saveSettings, maskHeaders } from './save-settings.ts';
import type { WebhookSettings } from './settings.schemas.ts';
import type { NewWebhook, webhookListQuery, WebhookChange } from './schemas.ts';
import { WEBHOOK_COLUMNS, toWebhookView, type WebhookRow } from './webhook-views.ts';

/** They decide what is sent, and where. */
const SELECTING = ['url', 'events', 'filter', 'bot_ids'] as const;
const SECRET_BYTES = 32;
const HINT_CHARS = 4;

/**
 * Only this answer contains the secret.
 * @throws AppError invalid_request, bot_not_of_key, insufficient_scope, conflict (too many)
 */
export async function registerWebhook(
  deps: Pick<Deps, 'ids' | 'clock' | 'outbound' | 'dataSealer' | 'limits' | 'retentionRules'>,
  caller: Caller,
  input: NewWebhook,
  { sql }: Pick<EndpointTransaction, 'sql'>,
  externalId: string | null = null,
): Promise<Reply> {
  const { organizationId, principal } = caller;
  requireWithinReach(caller, { ...input, bot_ids: input.bot_ids ?? [] });
  requireWholeTexts(await readRedaction(deps, caller), 'a webhook sends');
  const applicationId = input.application_id ?? caller.applicationId ?? null;
  if (applicationId !== null) await requireRoom(sql, caller, applicationId);
  const url = requireAllowedUrl(deps.outbound, input.url);
  const id = deps.ids('wh');
  const secret = input.secret ?? createSecret();
  const [row] = await sql<WebhookRow>(
    `INSERT INTO webhooks
       (id, organization_id, url, events, filter, description, status, secret, secret_hint, created_at, created_by, updated_at,
        application_id, external_id)
     VALUES ($1, $2, $3, $4, $10::jsonb, $5, 'active', $6, $7, $8, $9, $8, $11, $12) RETURNING ${WEBHOOK_COLUMNS}`,
    [
      id,
      organizationId,
      url,
      input.events,
      input.description ?? null,
      await deps.dataSealer.seal(secret, webhookContext({ organizationId, id })),
      toSecretHint(secret),
      new Date(deps.clock()),
      principal,
      jsonOrNull(input.filter ?? null),
      applicationId,
      externalId,
    ],
  );
  // 409, not 422: clients rely on this older code.
  const cap = applicationId === null ? 'webhooks' : 'application_webhooks';
  await deps.limits.caps.added(sql, organizationId, cap, 'conflict');
  await notifyWebhookChanged(sql, id);
  const registered = await saveSettings(deps, sql, row as WebhookRow, input);
  const details = {
    host: toHost(url),
    events: input.events,
    ...(applicationId === null ? {} : { application_id: applicationId }),
    ...(externalId === null ? {} : { external_id: externalId }),
  };
  await audit(sql, deps, caller, { action: 'webhook.registered', target: id, details });
  return new Reply(
    { ...toWebhookView(registered, deps.clock()), secret },
    { status: 201, headers: { location: `/v1/webhooks/${id}` } },
  );
}

/** Newest first. */
export async function listWebhooks(
  deps: Pick<Deps, 'sql' | 'clock'>,
  caller: Caller,
  query: z.output<typeof webhookListQuery>,
) {
  const before = readIdCursor(query.cursor);
  const rows = await deps.sql<WebhookRow>(
    `SELECT ${WEBHOOK_COLUMNS} FROM webhooks
     WHERE organization_id = $1 AND ($2::text IS NULL OR id < $2) AND ${buildBotsCondition('bot_ids', '$4')}
       AND ${buildApplicationCondition('application_id', '$5')} AND ($6::text IS NULL OR application_id = $6)
     ORDER BY id DESC LIMIT $3::int`,
    [
      caller.organizationId,
      before,
      query.limit + 1,
      caller.botIds ?? null,
      caller.applicationId ?? null,
      query.application_id ?? null,
    ],
  );
  const nowMs = deps.clock();
  const health =
    query.health === true
      ? await readHealths(
          deps.sql,
          rows.map(({ id }) => id),
          nowMs,
        )
      : undefined;
  return voiceApiDialect.page(
    toPage(
      rows,
      query.limit,
      (row) => [row.id],
      (row) => ({ ...toWebhookView(row, nowMs), ...(health ? { health: health.get(row.id) } : {}) }),
    ),
  );
}

/** @throws AppError not_found */
export async function getWebhook(deps: Pick<Deps, 'sql' | 'clock'>, caller: Caller, id: string) {
  const row = await findWebhook(deps.sql, caller, id);
  const health = await readHealth(deps.sql, row.id, deps.clock());
  return { ...toWebhookView(row, deps.clock()), health };
}

type ChangeDeps = Pick<Deps, 'ids' | 'clock' | 'outbound' | 'dataSealer' | 'retentionRules'>;

/** `status: "active"` enables a webhook. It does not send skipped or exhausted deliveries. */
export async function changeWebhook(
  deps: ChangeDeps & Pick<Deps, 'pool' | 'webhookCache'>,
  caller: Caller,
  id: string,
  change: WebhookChange,
) {
  const row = await inTransaction(deps.pool, async (sql) =>
    applyChange(deps, sql, caller, { before: await findWebhook(sql, caller, id, 'FOR UPDATE'), change }),
  );
  deps.webhookCache.drop(row.id);
  return toWebhookView(row, deps.clock());
}

/** @throws AppError invalid_request, bot_not_of_key, not_for_bound_keys, insufficient_scope */
export async function applyChange(
  deps: ChangeDeps,
  sql: Sql,
  caller: Caller,
  { before, change }: { readonly before: WebhookRow; readonly change: WebhookChange },
): Promise<WebhookRow> {
  requireWithinReach(caller, change);
  if (SELECTING.some((name) => change[name] !== undefined))
    requireWholeTexts(await readRedaction(deps, caller), 'a webhook sends');
  // The headers were set for the old address.
  if (caller.botIds && change.url !== undefined)
    throw new AppError(
      'not_for_bound_keys',
      'A key that is bound to bots cannot change the url. Register another webhook.',
    );
  const url = change.url === undefined ? null : requireAllowedUrl(deps.outbound, change.url);
  const { status } = change;
  const { id } = before;
  const [after] = await sql<WebhookRow>(
    `UPDATE webhooks
     SET url = coalesce($3, url), events = coalesce($4::text[], events), description = $5, status = coalesce($6, status),
         disabled_at = $7, disabled_reason = $8, updated_at = $9, filter = $10::jsonb
     WHERE organization_id = $1 AND id = $2 RETURNING ${WEBHOOK_COLUMNS}`,
    [
      caller.organizationId,
      id,
      url,
      change.events ?? null,
      change.description === undefined ? before.description : change.description,
      status ?? null,
      ...toDisabled(before, status, new Date(deps.clock())),
      new Date(deps.clock()),
      jsonOrNull(change.filter === undefined ? before.filter : change.filter),
    ],
  );
  // Headers may be credentials of the server they were set for.
  const leaves = url !== null && new URL(url).origin !== new URL(before.url).origin;
  const settings = leaves && change.headers === undefined ? { ...change, headers: null } : change;
  const changed = await saveSettings(deps, sql, after as WebhookRow, settings);
  await notifyWebhookChanged(sql, id);
  const details = {
    ...settings,
    ...(url === null ? {} : { url: undefined, host: toHost(url) }),
    ...(settings.headers ? { headers: maskHeaders(settings.headers) } : {}),
  };
  await audit(sql, deps, caller, { action: 'webhook.changed', target: id, details });
  return changed;
}

/** `disabled_at` and `disabled_reason` after the change. */
function toDisabled(before: WebhookRow, status: WebhookChange['status'], now: Date) {
  if (status === undefined || status === before.status) return [before.disabledAt, before.disabledReason];
  return status === 'disabled' ? [now, 'Disabled through the API.'] : [null, null];
}

/**
 * Cancels planned deliveries when they are due; the log is gone immediately.
 * @throws AppError not_found
 */
export async function deleteWebhook(
  deps: Pick<Deps, 'pool' | 'ids' | 'clock' | 'webhookCache'>,
  caller: Caller,
  webhookId: string,
) {
  const id = await inTransaction(deps.pool, async (sql) => {
    const { id } = await findWebhook(sql, caller, webhookId, 'FOR UPDATE');
    await sql('DELETE FROM webhooks WHERE organization_id = $1 AND id = $2', [caller.organizationId, id]);
    await notifyWebhookChanged(sql, id);
    await audit(sql, deps, caller, { action: 'webhook.deleted', target: id });
    return id;
  });
  deps.webhookCache.drop(id);
  return { id, deleted: true };
}

/** On every plan, so that one application cannot use up the room of the organisation. */
const WEBHOOKS_OF_APPLICATION_MAX = 20;

/**
 * Locks the application, so that nobody deletes it before the webhook is stored.
 * @throws AppError unprocessable when it does not exist, conflict (too many)
 */
async function requireRoom(sql: Sql, caller: Caller, applicationId: string): Promise<void> {
  const { organizationId } = caller;
  const [found] = await sql(
    `SELECT 1 AS one FROM applications WHERE organization_id = $1 AND application_id = $2
       AND ${buildApplicationCondition('application_id', '$3')} FOR UPDATE`,
    [organizationId, applicationId, caller.applicationId ?? null],
  );
  if (!found)
    throw new AppError('unprocessable', `There is no application "${applicationId}". Create it first.`);
  const [counted] = await sql<{ webhooks: number }>(
    'SELECT count(*)::int AS webhooks FROM webhooks WHERE organization_id = $1 AND application_id = $2',
    [organizationId, applicationId],
  );
  if (counted!.webhooks >= WEBHOOKS_OF_APPLICATION_MAX)
    throw new AppError(
      'conflict',
      `An application may have ${WEBHOOKS_OF_APPLICATION_MAX} webhooks. Delete one first.`,
    );
}

/**
 * A bound key may only register webhooks of its bots. Neither it nor a portal link may reference
 * secrets of the organisation.
 * @throws AppError bot_not_of_key, not_for_bound_keys, insufficient_scope
 */
function requireWithinReach(caller: Caller, { bot_ids: botIds, headers }: WebhookSettings): void {
  if (caller.applicationId !== undefined && headers && Object.values(headers).some(isSecretReference))
    throw new AppError('insufficient_scope', 'A portal link cannot reference secrets of the organisation.');
  if (!caller.botIds) return;
  if (botIds && (botIds.length === 0 || !botIds.every((id) => reachesBot(caller, id))))
    throw new AppError(
      'bot_not_of_key',
      'A key that is bound to bots can only register webhooks for these bots. Set bot_ids.',
    );
  if (headers && Object.values(headers).some(isSecretReference))
    throw new AppError(
      'not_for_bound_keys',
      'A key that is bound to bots cannot reference secrets of the organisation.',
    );
}

/**
 * By our id or that of the organisation.
 * @throws AppError not_found, also for webhooks of other organisations and applications, and when
 * the key may not access its bots
 */
export async function findWebhook(
  sql: Sql,
  reach: Reach,
  id: string,
  lock: '' | 'FOR UPDATE' = '',
): Promise<WebhookRow> {
  const row = await lookUpWebhook(sql, reach, id, lock);
  if (!row) throw new AppError('not_found', `There is no webhook "${id}".`);
  return row;
}

/** As `findWebhook`, null where that throws. */
export async function lookUpWebhook(
  sql: Sql,
  { organizationId, botIds, applicationId }: Reach,
  id: string,
  lock: '' | 'FOR UPDATE' = '',
): Promise<WebhookRow | null> {
  const [row] = await sql<WebhookRow>(
    `SELECT ${WEBHOOK_COLUMNS} FROM webhooks WHERE organization_id = $1 AND (id = $2 OR external_id = $2) AND ${buildBotsCondition('bot_ids', '$3')}
       AND ${buildApplicationCondition('application_id', '$4')} ${lock}`,
    [organizationId, id, botIds ?? null, applicationId ?? null],
  );
  return row ?? null;
}

/** Returns whether the secret in an earlier answer still signs deliveries. */
export function createSecretCheck({ dataSealer }: Pick<Deps, 'dataSealer'>) {
  return async (
    sql: Sql,
    { organizationId }: Pick<Caller, 'organizationId'>,
    returned: { id: string; secret: string },
  ): Promise<boolean> => {
    const [row] = await sql<{ secret: string }>(
      'SELECT secret FROM webhooks WHERE organization_id = $1 AND id = $2',
      [organizationId, returned.id],
    );
    if (!row) return false;
    return (
      returned.secret ===
      (await dataSealer.unseal(row.secret, webhookContext({ organizationId, id: returned.id })))
    );
  };
}

const jsonOrNull = (value: object | null) => (value === null ? null : JSON.stringify(value));

export function createSecret(): string {
  return `whsec_${randomBytes(SECRET_BYTES).toString('base64')}`;
}

/** The last characters, if the secret is long enough. */
export function toSecretHint(secret: string): string {
  return secret.length >= 4 * HINT_CHARS ? `…${secret.slice(-HINT_CHARS)}` : '…';
}

/** The part of an address for the audit log: path and query are often credentials. */
function toHost(url: string): string {
  return new URL(url).host;
}

/** Checks what is possible offline; the connector checks the resolved address of every request. */
function requireAllowedUrl(outbound: Pick<Outbound, 'checkUrl'>, url: string): string {
  const check = outbound.checkUrl(url);
  if (check.ok) return url;
  throw new AppError('invalid_request', 'the request is not valid', {
    fields: [{ path: '/url', message: check.problem, code: check.reason }],
  });
}
