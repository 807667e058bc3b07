// Raises alerts for webhooks with failing deliveries and disables them after the last failure, in
// the transaction of the attempt (docs/voice-api.md#schedule).
import { raise, resolve } from '@parley/platform/alerts';
import type { Sql } from '@parley/server/postgres';
import { DISABLING_ATTEMPT } from './disable.rules.ts';
import { notifyWebhookChanged } from './webhook-cache.ts';

/** One alert a minute is enough for thousands of failures. */
const WARNED_EVERY_MS = 60_000;

/** Conditions that end an alert. `alert.subject` is the id of the webhook. */
const WEBHOOK = `SELECT 1 FROM webhooks AS webhook WHERE webhook.organization_id = alert.organization_id AND webhook.id = alert.subject`;
export const ALERT_ENDINGS = {
  webhook_disabled: `NOT EXISTS (${WEBHOOK} AND webhook.status = 'disabled')`,
  webhook_failing: `NOT EXISTS (${WEBHOOK} AND webhook.status = 'active') OR EXISTS (
    SELECT 1 FROM webhook_deliveries AS delivery WHERE delivery.webhook_id = alert.subject
      AND delivery.status = 'delivered' AND delivery.finished_at > alert.last_raised_at)`,
};

export interface WebhookAlert {
  readonly webhookId: string;
  readonly organizationId: string;
  /** A sentence for people. */
  readonly reason: string;
  /** Disables the webhook; otherwise it is only reported as failing. */
  readonly disables: boolean;
}

/** Raises one alert for each active webhook. Returns those that are now disabled. */
export async function raiseWebhookAlerts(
  sql: Sql,
  troubles: readonly WebhookAlert[],
  nowMs: number,
): Promise<readonly WebhookAlert[]> {
  const disabled: WebhookAlert[] = [];
  for (const trouble of troubles) {
    const { webhookId, organizationId, reason, disables } = trouble;
    const [row] = await sql<{ url: string }>(
      `UPDATE webhooks SET ${disables ? SET_DISABLED : SET_WARNED} RETURNING url`,
      [organizationId, webhookId, new Date(nowMs), disables ? reason : new Date(nowMs - WARNED_EVERY_MS)],
    );
    if (!row) continue;
    // Only the host: path and query may contain a secret.
    const which = `The webhook ${webhookId} (${new URL(row.url).host})`;
    if (!disables) {
      const message = `${which} is failing. ${reason} It will be disabled when a delivery has failed ${DISABLING_ATTEMPT} times.`;
      await raise(sql, organizationId, { kind: 'webhook_failing', subject: webhookId, message });
      continue;
    }
    await notifyWebhookChanged(sql, webhookId);
    disabled.push(trouble);
    await resolve(sql, organizationId, { kind: 'webhook_failing', subject: webhookId });
    const message = `${which} was disabled. ${reason} Events are stored for 7 days. Enable the webhook, then replay the skipped deliveries.`;
    await raise(sql, organizationId, { kind: 'webhook_disabled', subject: webhookId, message });
  }
  return disabled;
}

const SET_DISABLED = `status = 'disabled', disabled_at = $3, disabled_reason = $4, updated_at = $3, warned_at = NULL
  WHERE organization_id = $1 AND id = $2 AND status = 'active'`;
const SET_WARNED = `warned_at = $3
  WHERE organization_id = $1 AND id = $2 AND status = 'active' AND (warned_at IS NULL OR warned_at <= $4::timestamptz)`;
