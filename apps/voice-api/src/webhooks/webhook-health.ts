// Health of a webhook: its deliveries of the last 24 hours (docs/voice-api.md#health-of-a-webhook).
import { voiceApiDialect } from '@parley/envelopes';
import type { Sql } from '@parley/server/postgres';
import { firstIdAt } from '../lists.ts';

const WINDOW_MS = 86_400_000;
/** Bounds the cost for busy webhooks. */
const DELIVERIES_MAX = 10_000;

interface Figures {
  readonly deliveries: number;
  readonly made: number;
  readonly delivered: number;
  readonly p95Ms: number | null;
  readonly at: Date | null;
  readonly errorClass: string;
  readonly status: number | null;
  readonly message: string;
}

/** The caller must have access to the webhook. Tests do not count. */
export async function readHealth(sql: Sql, webhookId: string, nowMs: number) {
  const [figures] = await sql<Figures>(
    `WITH recent AS MATERIALIZED (
       SELECT id, status, attempts, answer_ms FROM webhook_deliveries
       WHERE webhook_id = $1 AND id >= $2 AND kind <> 'test' ORDER BY id DESC LIMIT ${DELIVERIES_MAX}
     ), failed AS (
       SELECT made.at, made.error_class, made.status, made.message FROM recent
       CROSS JOIN LATERAL (SELECT * FROM webhook_delivery_attempts AS row WHERE row.delivery_id = recent.id OFFSET 0) AS made
       WHERE recent.attempts > (recent.status = 'delivered')::int
       ORDER BY made.at DESC LIMIT 1
     )
     SELECT total.*, failed.at, failed.error_class AS "errorClass", failed.status, failed.message
     FROM (
       SELECT count(*)::int AS deliveries, coalesce(sum(attempts), 0)::int AS made,
              (count(*) FILTER (WHERE status = 'delivered'))::int AS delivered,
              percentile_cont(0.95) WITHIN GROUP (ORDER BY answer_ms) AS "p95Ms"
       FROM recent
     ) AS total LEFT JOIN failed ON true`,
    [webhookId, firstIdAt('dlv', nowMs - WINDOW_MS)],
  );
  const { deliveries, made, delivered, p95Ms, at, errorClass, status, message } = figures as Figures;
  return {
    deliveries,
    success_rate: made === 0 ? null : delivered / made,
    p95_ms: p95Ms,
    last_error:
      at === null ? null : { at: voiceApiDialect.time(at), error_class: errorClass, status, message },
  };
}
