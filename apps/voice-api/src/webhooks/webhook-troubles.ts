// Tells organisations of webhooks whose deliveries fail, and disables those whose deliveries failed for good. In the transaction of the
// attempt that did it (docs/voice-api.md#schedule).
import type { Sql } from '@parley/postgres';
import type { Enqueued, Outgoing, Trace } from '@parley/queues';
import { DISABLING_ATTEMPT } from '../deliveries/delivery.rules.ts';
import type { Deps } from '../deps.ts';
import { noticeOf } from '../notices.ts';
import { webhookChanged } from './webhook-cache.ts';

/** A receiver that fails fails thousands of times: it is told of once a day. */
const WARNED_EVERY_MS = 86_400_000;

export interface Trouble {
  readonly webhookId: string;
  readonly organizationId: string;
  /** A sentence for people. */
  readonly reason: string;
  /** It is disabled for that; otherwise its organisation is warned. */
  readonly disables: boolean;
  /** Of the event whose delivery failed. */
  readonly trace: Trace;
}

/** One notice for each webhook that was active until now, through the outbox: it is sent if, and only if, this commits. */
export async function tellOfTroubles(
  deps: Pick<Deps, 'outbox'>,
  sql: Sql,
  troubles: readonly Trouble[],
  nowMs: number,
): Promise<{ disabled: readonly Trouble[]; notices: Enqueued | null }> {
  const disabled: Trouble[] = [];
  const messages: Outgoing[] = [];
  for (const trouble of troubles) {
    const { webhookId, organizationId, reason, disables, trace } = trouble;
    const [row] = await sql<{ url: string; alertEmail: string | null }>(
      `UPDATE webhooks SET ${disables ? DISABLED : WARNED}
       RETURNING url, (SELECT alert_email FROM organizations WHERE id = $1) AS "alertEmail"`,
      [organizationId, webhookId, new Date(nowMs), disables ? reason : new Date(nowMs - WARNED_EVERY_MS)],
    );
    if (!row) continue;
    // The host alone: a path or query may hold a secret.
    const which = `The webhook ${webhookId} (${new URL(row.url).host})`;
    const { alertEmail } = row;
    if (disables) {
      await webhookChanged(sql, webhookId);
      disabled.push(trouble);
    }
    messages.push(
      noticeOf({
        organizationId,
        alertEmail,
        trace,
        subject: disables ? 'A webhook was disabled' : 'A webhook is failing',
        message: disables
          ? `${which} was disabled. ${reason} Events are kept for 7 days: enable the webhook again, then replay what was skipped.`
          : `${which} is failing. ${reason} It is disabled when a delivery has failed ${DISABLING_ATTEMPT} times.`,
      }),
    );
  }
  return { disabled, notices: messages.length > 0 ? await deps.outbox.enqueue(sql, messages) : null };
}

const DISABLED = `status = 'disabled', disabled_at = $3, disabled_reason = $4, updated_at = $3, warned_at = NULL
  WHERE organization_id = $1 AND id = $2 AND status = 'active'`;
const WARNED = `warned_at = $3
  WHERE organization_id = $1 AND id = $2 AND status = 'active' AND (warned_at IS NULL OR warned_at <= $4::timestamptz)`;
