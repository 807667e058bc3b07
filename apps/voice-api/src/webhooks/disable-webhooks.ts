// Disables webhooks whose deliveries failed for good, and tells the organisation once. In the transaction of the attempt that did
// it (docs/voice-api.md#schedule).
import type { Sql } from '@parley/postgres';
import type { Enqueued, Outgoing, Trace } from '@parley/queues';
import type { Deps } from '../deps.ts';
import { noticeOf } from '../notices.ts';
import { webhookChanged } from './webhook-cache.ts';

export interface Disabling {
  readonly webhookId: string;
  readonly organizationId: string;
  /** A sentence for people. */
  readonly reason: string;
  /** Of the event whose delivery failed. */
  readonly trace: Trace;
}

/** One notice for each webhook that was active until now, through the outbox: it is sent if, and only if, this commits. */
export async function disableWebhooks(
  deps: Pick<Deps, 'outbox'>,
  sql: Sql,
  disablings: readonly Disabling[],
  nowMs: number,
): Promise<{ disabled: readonly Disabling[]; notices: Enqueued | null }> {
  const disabled: Disabling[] = [];
  const messages: Outgoing[] = [];
  for (const disabling of disablings) {
    const { webhookId, organizationId, reason, trace } = disabling;
    const [row] = await sql<{ url: string; alertEmail: string | null }>(
      `UPDATE webhooks SET status = 'disabled', disabled_at = $3, disabled_reason = $4, updated_at = $3
       WHERE organization_id = $1 AND id = $2 AND status = 'active'
       RETURNING url, (SELECT alert_email FROM organizations WHERE id = $1) AS "alertEmail"`,
      [organizationId, webhookId, new Date(nowMs), reason],
    );
    if (!row) continue;
    await webhookChanged(sql, webhookId);
    disabled.push(disabling);
    messages.push(
      noticeOf({
        organizationId,
        alertEmail: row.alertEmail,
        trace,
        subject: 'A webhook was disabled',
        // The host alone: a path or query may hold a secret.
        message:
          `The webhook ${webhookId} (${new URL(row.url).host}) was disabled. ${reason} ` +
          'Events are kept for 7 days: enable the webhook again, then replay what was skipped.',
      }),
    );
  }
  return { disabled, notices: messages.length > 0 ? await deps.outbox.enqueue(sql, messages) : null };
}
