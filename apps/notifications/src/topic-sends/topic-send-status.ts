// Reads and ends the row of a send to a topic.
import type { Sql } from '@parley/server/postgres';
import type { TopicSend } from '@parley/store-notifications';

type Progress = Pick<
  TopicSend,
  | 'topicId'
  | 'doneId'
  | 'targeted'
  | 'accepted'
  | 'suppressed'
  | 'unreachable'
  | 'lastReason'
  | 'outcome'
  | 'quarantinedAt'
>;

/** The topic part of a notification's status; empty for other sends. */
export async function readTopicStatus(sql: Sql, organizationId: string, id: string) {
  const [send] = await sql<Progress>(
    `SELECT topic_id AS "topicId", done_id AS "doneId", targeted, accepted, suppressed, unreachable,
       last_reason AS "lastReason", outcome, quarantined_at AS "quarantinedAt"
     FROM topic_sends WHERE organization_id = $1 AND id = $2`,
    [organizationId, id],
  );
  if (!send) return {};
  const { targeted, accepted, suppressed, unreachable } = send;
  const going = send.doneId === '' ? 'queued' : 'sending';
  const status = send.outcome ?? (send.quarantinedAt ? 'quarantined' : going);
  const counts = { targeted, accepted, suppressed, unreachable, last_reason: send.lastReason };
  return { topic: { topic_id: send.topicId, status, ...counts } };
}

/**
 * Ends the fan-out in the transaction that cancels the notification. Unsent deliveries of members
 * end at their claim, which checks the parent. Returns 1 if anything was left to cancel, else 0.
 */
export async function cancelTopicSend(sql: Sql, organizationId: string, id: string): Promise<number> {
  const ended = await sql(
    `UPDATE topic_sends SET outcome = 'canceled', next_ring_at = NULL, lease = NULL, leased_until = NULL
     WHERE organization_id = $1 AND id = $2 AND outcome IS NULL RETURNING 1 AS one`,
    [organizationId, id],
  );
  if (ended.length > 0) return 1;
  const waiting = await sql(
    `SELECT 1 AS one FROM notifications AS part JOIN deliveries ON notification_id = part.id
     WHERE part.organization_id = $1 AND parent_id = $2 AND next_ring_at IS NOT NULL LIMIT 1`,
    [organizationId, id],
  );
  return waiting.length;
}
