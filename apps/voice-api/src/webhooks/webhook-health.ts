// Health of a webhook: its deliveries of the last 24 hours (docs/voice-api.md#health-of-a-webhook).
import { voiceApiDialect } from '@parley/envelopes';
import type { Sql } from '@parley/server/postgres';
import { firstIdAt } from '@parley/server/runtime';

const WINDOW_MS = 86_400_000;
/** Bounds the cost for busy webhooks. */
const DELIVERIES_MAX = 10_000;
/** Of each webhook in a list. */
const LISTED_DELIVERIES_MAX = 1_000;

interface Figures {
  readonly id: string;
  readonly deliveries: number;
  readonly made: number;
  readonly delivered: number;
  readonly p95Ms: number | null;
  readonly at: Date | null;
  readonly errorClass: string;
  readonly status: number | null;
  readonly message: string;
}

const HEALTH = `
  SELECT wanted.id, total.deliveries, total.made, total.delivered, total."p95Ms", failed.at, failed.error_class AS "errorClass", failed.status, failed.message
  FROM unnest($1::text[]) AS wanted (id) CROSS JOIN LATERAL (
    SELECT array_agg(newest.id) FILTER (WHERE newest.attempts > (newest.status = 'delivered')::int) AS with_failures,
           count(*)::int AS deliveries, coalesce(sum(newest.attempts), 0)::int AS made,
           (count(*) FILTER (WHERE newest.status = 'delivered'))::int AS delivered,
           percentile_cont(0.95) WITHIN GROUP (ORDER BY newest.answer_ms) AS "p95Ms"
    FROM (SELECT delivery.id, delivery.status, delivery.attempts, delivery.answer_ms FROM webhook_deliveries AS delivery
          WHERE delivery.webhook_id = wanted.id AND delivery.id >= $2 AND delivery.kind <> 'test'
          ORDER BY delivery.id DESC LIMIT $3::int) AS newest) AS total
  LEFT JOIN LATERAL (
    SELECT made.* FROM unnest(total.with_failures) AS failing (id)
    CROSS JOIN LATERAL (SELECT * FROM webhook_delivery_attempts AS row WHERE row.delivery_id = failing.id OFFSET 0) AS made
    ORDER BY made.at DESC LIMIT 1) AS failed ON true`;

/** The caller must have access to the webhook. Tests do not count. */
export async function readHealth(sql: Sql, webhookId: string, nowMs: number) {
  const [figures] = await sql<Figures>(HEALTH, [[webhookId], toOldestId(nowMs), DELIVERIES_MAX]);
  return toHealth(figures as Figures);
}

/** By id. The caller must have access to all of them. */
export async function readHealths(sql: Sql, webhookIds: readonly string[], nowMs: number) {
  const rows = await sql<Figures>(HEALTH, [webhookIds, toOldestId(nowMs), LISTED_DELIVERIES_MAX]);
  return new Map(rows.map((row) => [row.id, toHealth(row)]));
}

const toOldestId = (nowMs: number) => firstIdAt('dlv', nowMs - WINDOW_MS);

function toHealth({ deliveries, made, delivered, p95Ms, at, errorClass, status, message }: Figures) {
  return {
    deliveries,
    success_rate: made === 0 ? null : delivered / made,
    p95_ms: p95Ms,
    last_error:
      at === null ? null : { at: voiceApiDialect.time(at), error_class: errorClass, status, message },
  };
}
