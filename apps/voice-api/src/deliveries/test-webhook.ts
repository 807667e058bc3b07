// POST /webhooks/{id}/test: sends one sample event immediately and returns the result.
import { AppError } from '@parley/envelopes';
import type { Caller, RequestContext } from '@parley/server/http';
import { inTransaction, type Sql } from '@parley/server/postgres';
import { deriveId } from '@parley/server/runtime';
import type { z } from 'zod';
import type { Deps } from './deps.ts';
import { attemptRequest, buildWebhookRequest } from './delivery-request.ts';
import { insertPlan } from './insert-deliveries.ts';
import { findWebhook } from '../webhooks/manage-webhooks.ts';
import { formatEventBody } from '../webhook-format/payload.rules.ts';
import { sampleData } from '../webhook-format/webhook-events.ts';
import type { CompletedAttempt } from './record-results.ts';
import type { testRequest } from './schemas.ts';
import { toAttemptView } from './log/delivery-views.ts';

/**
 * Uses the normal way of sending, also for disabled webhooks, to check whether they work again. The
 * delivery is logged, has one attempt and never changes the status of the webhook.
 * @throws AppError not_found
 */
export async function testWebhook(
  deps: Pick<Deps, 'sql' | 'pool' | 'clock' | 'ids' | 'config' | 'outbound' | 'webhookCache'>,
  caller: Caller,
  givenId: string,
  input: z.output<typeof testRequest>,
  cause: RequestContext,
) {
  const { id: webhookId } = await findWebhook(deps.sql, caller, givenId);
  const webhook = await deps.webhookCache.get(webhookId);
  // Removed just now.
  if (webhook === null) throw new AppError('not_found', `There is no webhook "${webhookId}".`);
  const now = new Date(deps.clock());
  const deliveryId = deps.ids('dlv');
  const id = deriveId('evt', [caller.organizationId, webhookId], ['test', deliveryId]);
  const body = formatEventBody({ id, event: input.event, timestamp: now, data: sampleData(input.event) });
  const sent = { id, body, ...cause };
  const request = buildWebhookRequest(webhook, { ...sent, body: Buffer.from(body) }, 1, now.getTime());
  const { attempt } = await attemptRequest(deps, request, 1);

  const event = {
    ...sent,
    organizationId: caller.organizationId,
    conversationId: '',
    botId: null,
    sequence: 0,
  };
  const delivery = { id: deliveryId, webhookId, eventId: id, event: input.event, replayOf: null };
  await inTransaction(deps.pool, async (sql) => {
    const status = attempt.ok ? ('delivered' as const) : ('exhausted' as const);
    const plan = {
      events: [{ ...event, target: null, interimTurn: null, superseded: false }],
      deliveries: [{ ...delivery, kind: 'test' as const, status }],
      batches: [],
    };
    await insertPlan(sql, plan, now);
    await storeAttempt(sql, deliveryId, attempt);
  });
  return {
    delivery_id: deliveryId,
    event_id: id,
    delivered: attempt.ok,
    attempt: toAttemptView(toAttemptRow(attempt)),
  };
}

async function storeAttempt(sql: Sql, deliveryId: string, made: CompletedAttempt): Promise<void> {
  const { ok, attempt, atMs, ms, status, errorClass, message, answer, exchange } = made;
  await sql(
    `UPDATE webhook_deliveries SET attempts = 1, finished_at = $2, answer_status = $3, answer_ms = $4, answer = $5, exchange = $6 WHERE id = $1`,
    [deliveryId, new Date(atMs + ms), ...(ok ? [status, ms, answer, exchange] : [null, null, null, null])],
  );
  if (ok) return;
  await sql(
    `INSERT INTO webhook_delivery_attempts (delivery_id, attempt, at, status, error_class, message, ms, answer, exchange)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
    [deliveryId, attempt, new Date(atMs), status, errorClass, message, ms, answer, exchange],
  );
}

function toAttemptRow(made: CompletedAttempt) {
  return { ...made, at: new Date(made.atMs) };
}
