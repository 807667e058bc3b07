// Raises alerts for webhooks with failing deliveries and disables them after the last failure, in
// the transaction of the attempt (docs/voice-api.md#schedule).
import { raise, resolve } from '@parley/platform/alerts';
import type { Sql } from '@parley/server/postgres';
import { firstIdAt } from '@parley/server/runtime';
import { DISABLING_ATTEMPT, type DisableMode } from './disable.rules.ts';
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
  /** The delivery that failed. */
  readonly deliveryId: string;
  /** A sentence for people. */
  readonly reason: string;
  /** Disables the webhook; otherwise it is only reported as failing. */
  readonly disables: boolean;
  /** The receiver is gone permanently: the webhook's own rule does not apply. */
  readonly isGone: boolean;
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
    const row = disables ? await disable(sql, trouble, nowMs) : await warn(sql, trouble, nowMs);
    if (!row) continue;
    // Only the host: path and query may contain a secret.
    const which = `The webhook ${webhookId} (${new URL(row.url).host})`;
    if (!disables) {
      const until = `It will be disabled when a delivery has failed ${DISABLING_ATTEMPT} times${CONDITIONS[row.disable]}.`;
      const message = `${which} is failing. ${reason} ${until}`;
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

interface AlertedWebhook {
  readonly url: string;
  readonly disable: DisableMode;
}

const CONDITIONS: Readonly<Record<DisableMode, string>> = {
  after_failures: '',
  when_failing: ' and nothing was delivered meanwhile',
};

async function disable(sql: Sql, trouble: WebhookAlert, nowMs: number): Promise<AlertedWebhook | undefined> {
  const { organizationId, webhookId, deliveryId, reason, isGone } = trouble;
  const oldest = firstIdAt('dlv', nowMs - DELIVERY_AGE_MAX_MS);
  const values = [organizationId, webhookId, new Date(nowMs), reason, isGone, deliveryId, oldest];
  const [row] = await sql<AlertedWebhook>(DISABLE, values);
  return row;
}

async function warn(sql: Sql, trouble: WebhookAlert, nowMs: number): Promise<AlertedWebhook | undefined> {
  const { organizationId, webhookId } = trouble;
  const values = [organizationId, webhookId, new Date(nowMs), new Date(nowMs - WARNED_EVERY_MS)];
  const [row] = await sql<AlertedWebhook>(WARN, values);
  return row;
}

/** Older deliveries have ended: twice the waits of the schedule (`Retry-After`), rounded up. */
const DELIVERY_AGE_MAX_MS = 3 * 86_400_000;

/** Something was delivered since the first attempt of delivery $6; finds the newest first. */
const DELIVERED_SINCE = `(
  SELECT success.id FROM webhook_deliveries AS success
  WHERE success.webhook_id = $2 AND success.id >= $7 AND success.status = 'delivered' AND success.kind <> 'test'
    AND success.finished_at >= (SELECT min(at) FROM webhook_delivery_attempts WHERE delivery_id = $6)
  ORDER BY success.id DESC LIMIT 1) IS NOT NULL`;

const DISABLE = `
  UPDATE webhooks SET status = 'disabled', disabled_at = $3, disabled_reason = $4, updated_at = $3, warned_at = NULL
  WHERE organization_id = $1 AND id = $2 AND status = 'active'
    AND CASE WHEN $5::boolean OR disable = 'after_failures' THEN true ELSE NOT ${DELIVERED_SINCE} END
  RETURNING url, disable`;

const WARN = `
  UPDATE webhooks SET warned_at = $3
  WHERE organization_id = $1 AND id = $2 AND status = 'active' AND (warned_at IS NULL OR warned_at <= $4::timestamptz)
  RETURNING url, disable`;
