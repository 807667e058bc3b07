// The delivery log of one webhook and of all webhooks: lists and details
// (docs/voice-api.md#delivery-log).
import { AppError, toPage, voiceApiDialect } from '@parley/envelopes';
import type { Caller, Reach } from '@parley/server/http';
import type { ERROR_CLASSES } from '@parley/outbound';
import type { Sql } from '@parley/server/postgres';
import { firstIdAt } from '@parley/server/runtime';
import { readRedaction, type Redaction } from '../../retention/redaction.ts';
import { scrubText, type EventBody } from '../../retention/scrub.rules.ts';
import { redactEvents } from '../../retention/scrubbed-turns.ts';
import type { Deps } from '../deps.ts';
import {
  buildApplicationCondition,
  buildBotCondition,
  buildBotsCondition,
  readIdCursor,
} from '../../lists.ts';
import { findWebhook } from '../../webhooks/manage-webhooks.ts';
import type { AllDeliveriesQuery, DeliveryFilter, DeliveryListQuery } from '../schemas.ts';
import {
  toAttemptView,
  DELIVERY_COLUMNS,
  toDeliveryView,
  toSuccessfulAttempt,
  type AttemptRow,
  type DetailedDelivery,
  type StoredDelivery,
} from './delivery-views.ts';

/** One id after the other: `= ANY` reads all weeks when the plan is generic. */
const ATTEMPTS_OF = `unnest($1::text[]) AS wanted (id)
  CROSS JOIN LATERAL (SELECT * FROM webhook_delivery_attempts AS row WHERE row.delivery_id = wanted.id OFFSET 0) AS made`;

/** A webhook with these bots may have received events of others before. Tests have no bot. */
const buildReachCondition = (bots: string) => `
  (${bots}::text[] IS NULL OR delivery.kind = 'test' OR EXISTS (
    SELECT 1 FROM webhook_events AS source WHERE source.id = delivery.event_id AND ${buildBotCondition('source.bot_id', bots)}))`;

/** Newest first. @throws AppError not_found */
export async function listDeliveries(
  deps: Pick<Deps, 'sql'>,
  caller: Caller,
  webhookId: string,
  query: DeliveryListQuery,
) {
  const { id } = await findWebhook(deps.sql, caller, webhookId);
  return listAllDeliveries(deps, caller, { ...query, webhook_id: id });
}

export async function listAllDeliveries(deps: Pick<Deps, 'sql'>, caller: Caller, query: AllDeliveriesQuery) {
  const rows = await readDeliveries(deps.sql, caller, query, readIdCursor(query.cursor), query.limit + 1);
  return toListPage(deps.sql, rows, query.limit);
}

interface LastFailure {
  readonly deliveryId: string;
  readonly status: number | null;
  readonly errorClass: (typeof ERROR_CLASSES)[number];
}

/** A page with the newest failure of each delivery, so that lists say why one is retried. */
async function toListPage(sql: Sql, rows: readonly StoredDelivery[], limit: number) {
  const failures = await sql<LastFailure>(
    `SELECT DISTINCT ON (delivery_id) delivery_id AS "deliveryId", status, error_class AS "errorClass"
     FROM ${ATTEMPTS_OF} ORDER BY delivery_id, attempt DESC`,
    [rows.filter(({ attempts, status }) => attempts > 0 && status !== 'delivered').map(({ id }) => id)],
  );
  const byDelivery = new Map(failures.map((failure) => [failure.deliveryId, failure]));
  return voiceApiDialect.page(
    toPage(
      rows,
      limit,
      (row) => [row.id],
      (row) => {
        const failure = byDelivery.get(row.id);
        return {
          ...toDeliveryView(row),
          last_failure: failure ? { status: failure.status, error_class: failure.errorClass } : null,
        };
      },
    ),
  );
}

/**
 * Deliveries of all webhooks, newest first: merges the newest of each webhook, by its index. With a
 * conversation or event, reads the deliveries of its events. `before` is the id where the page
 * begins.
 */
export function readDeliveries(
  sql: Sql,
  { organizationId, botIds }: Reach,
  filter: DeliveryFilter,
  before: string | null,
  limit: number,
): Promise<StoredDelivery[]> {
  const { conversation_id: conversationId, event_id: eventId } = filter;
  const narrowed =
    conversationId === undefined && eventId === undefined ? [] : [conversationId ?? null, eventId ?? null];
  return sql<StoredDelivery>(
    narrowed.length === 0 ? OF_WEBHOOKS : eventId === undefined ? OF_CONVERSATION : OF_EVENT,
    [
      organizationId,
      before,
      filter.status ?? null,
      filter.event ?? null,
      filter.since ? firstIdAt('dlv', filter.since.getTime()) : '',
      filter.until ? firstIdAt('dlv', filter.until.getTime()) : null,
      limit,
      filter.webhook_id ?? null,
      filter.http_status ?? null,
      filter.error_class ?? null,
      botIds ?? null,
      ...narrowed,
    ],
  );
}

/** Above all ids of deliveries: with a bound, generic plans read only the weeks of a period. */
const BEHIND_ALL = 'dlw';

const WANTED = `
  delivery.id < COALESCE($2::text, '${BEHIND_ALL}') AND ($3::text IS NULL OR delivery.status = $3)
  AND ($4::text IS NULL OR delivery.event = $4) AND delivery.id >= $5 AND delivery.id < COALESCE($6::text, '${BEHIND_ALL}')
  AND ($9::int IS NULL OR delivery.answer_status = $9 OR EXISTS (
    SELECT 1 FROM webhook_delivery_attempts AS made WHERE made.delivery_id = delivery.id AND made.status = $9))
  AND ($10::text IS NULL OR EXISTS (
    SELECT 1 FROM webhook_delivery_attempts AS made WHERE made.delivery_id = delivery.id AND made.error_class = $10)) AND ${buildReachCondition('$11')}
  ORDER BY delivery.id DESC LIMIT $7::int`;

const OF_WEBHOOKS = `
  SELECT ${DELIVERY_COLUMNS} FROM webhooks AS webhook CROSS JOIN LATERAL (
    SELECT * FROM webhook_deliveries AS delivery WHERE delivery.webhook_id = webhook.id AND ${WANTED}) AS delivery
  WHERE webhook.organization_id = $1 AND ($8::text IS NULL OR webhook.id = $8) AND ${buildBotsCondition('webhook.bot_ids', '$11')}
  ORDER BY delivery.id DESC LIMIT $7::int`;

const selectOfEvents = (which: string) => `
  SELECT ${DELIVERY_COLUMNS} FROM (
    SELECT unnest(delivery_ids) AS id FROM webhook_events WHERE organization_id = $1 AND ${which}) AS listed
  JOIN webhook_deliveries AS delivery ON delivery.id = listed.id
  JOIN webhooks AS webhook ON webhook.id = delivery.webhook_id AND webhook.organization_id = $1
  WHERE ($8::text IS NULL OR webhook.id = $8) AND ${buildBotsCondition('webhook.bot_ids', '$11')} AND ${WANTED}`;
const OF_CONVERSATION = selectOfEvents('conversation_id = $12 AND $13::text IS NULL');
const OF_EVENT = selectOfEvents('id = $13 AND ($12::text IS NULL OR conversation_id = $12)');

/**
 * One delivery with its attempts; of any webhook when `webhookId` is null.
 * @throws AppError not_found
 */
export async function getDelivery(
  deps: Pick<Deps, 'sql' | 'retentionRules'>,
  caller: Caller,
  webhookId: string | null,
  deliveryId: string,
) {
  const row = await findDelivery(deps.sql, caller, webhookId, deliveryId);
  const redaction = await readRedaction(deps, caller);
  const [detailed] = await addAttempts(deps.sql, caller.organizationId, [row], redaction);
  return detailed!;
}

/** The details of deliveries, in the given order. */
export async function addAttempts(
  sql: Sql,
  organizationId: string,
  rows: readonly DetailedDelivery[],
  redaction: Pick<Redaction, 'hides'>,
) {
  const made = await sql<AttemptRow & { deliveryId: string }>(
    `SELECT delivery_id AS "deliveryId", attempt, at, status, error_class AS "errorClass", message, ms, answer, exchange
     FROM ${ATTEMPTS_OF} ORDER BY delivery_id, attempt`,
    [rows.map(({ id }) => id)],
  );
  const events = rows.flatMap(({ body }) =>
    body === null ? [] : [{ organizationId, redaction, body: JSON.parse(body) as EventBody }],
  );
  const bodies = await redactEvents(sql, events);
  return rows.map((row) => {
    const body = row.body === null ? null : bodies.shift()!;
    const isHidden = redaction.hides(body?.data?.bot_id ?? null);
    const attempts = [...made.filter(({ deliveryId }) => deliveryId === row.id), ...toSuccessfulAttempt(row)];
    return {
      ...toDeliveryView(row),
      body,
      // A receiver may answer with what it got.
      attempt_log: attempts
        .map(({ answer, ...attempt }) => ({
          ...attempt,
          answer: isHidden ? answer && scrubText(answer) : answer,
        }))
        .map(toAttemptView),
    };
  });
}

/** @throws AppError not_found */
export async function findDelivery(
  sql: Sql,
  { organizationId, botIds, applicationId }: Reach,
  webhookId: string | null,
  deliveryId: string,
  lock: '' | 'FOR UPDATE OF delivery' = '',
): Promise<DetailedDelivery> {
  const [row] = await sql<DetailedDelivery>(
    `SELECT ${DELIVERY_COLUMNS}, delivery.exchange, event.body FROM webhook_deliveries AS delivery
     JOIN webhooks AS webhook ON webhook.id = delivery.webhook_id AND webhook.organization_id = $3
     LEFT JOIN webhook_events AS event ON event.id = delivery.event_id AND event.organization_id = $3
     WHERE delivery.id = $2 AND ($1::text IS NULL OR webhook.id = $1 OR webhook.external_id = $1)
       AND ${buildBotsCondition('webhook.bot_ids', '$4')} AND ${buildReachCondition('$4')}
       AND ${buildApplicationCondition('webhook.application_id', '$5')} ${lock}`,
    [webhookId, deliveryId, organizationId, botIds ?? null, applicationId ?? null],
  );
  if (!row) {
    const where = webhookId === null ? '' : ` of webhook "${webhookId}"`;
    throw new AppError('not_found', `There is no delivery "${deliveryId}"${where}.`);
  }
  return row;
}
