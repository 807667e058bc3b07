// Alerts an organisation when conversations fail: one message to its alert address through the
// notifications service, written in the transaction that finds the failure.
import type { WrittenMessages, OutgoingMessage, Trace } from '@parley/jobs';
import type { Sql } from '@parley/server/postgres';
import type { Deps } from './deps.ts';
import type { Conversation } from '../conversation-model/conversation.ts';

/** At most one alert in this period, even if every conversation fails. */
const ALERT_EVERY_MS = 15 * 60_000;

export interface FailedConversation {
  readonly conversation: Conversation;
  /** The request or message that reported the failure; undefined when the reaper found it. */
  readonly trace: Trace | undefined;
}

/** Undefined: no alert is due. */
export async function alertFailures(
  deps: { readonly outbox: Pick<Deps['outbox'], 'write'> },
  sql: Sql,
  failed: readonly FailedConversation[],
  now: Date,
): Promise<WrittenMessages | undefined> {
  const organizations = [...new Set(failed.map(({ conversation }) => conversation.organizationId))].sort();
  // The upsert decides between transactions that find failures at the same time.
  const due = await sql<{ organization_id: string; alert_email: string }>(
    `WITH due AS (
       INSERT INTO error_alerts AS alert (organization_id, sent_at)
       SELECT id, $2 FROM organizations WHERE id = ANY($1::text[]) AND alert_email IS NOT NULL ORDER BY id
       ON CONFLICT (organization_id) DO UPDATE SET sent_at = excluded.sent_at WHERE alert.sent_at <= $3
       RETURNING organization_id
     )
     SELECT due.organization_id, organization.alert_email
     FROM due JOIN organizations AS organization ON organization.id = due.organization_id`,
    [organizations, now, new Date(now.getTime() - ALERT_EVERY_MS)],
  );
  if (due.length === 0) return undefined;
  const messages = due.map(({ organization_id: organizationId, alert_email: email }) =>
    toAlertMessage(
      email,
      failed.find(({ conversation }) => conversation.organizationId === organizationId)!,
    ),
  );
  return deps.outbox.write(sql, messages);
}

function toAlertMessage(email: string, { conversation, trace }: FailedConversation): OutgoingMessage {
  const { organizationId, id, botId, error } = conversation;
  return {
    contract: 'notification.send',
    organizationId,
    cause: ['conversation failed', id],
    about: id,
    ...(trace ? { trace } : {}),
    payload: {
      organization_id: organizationId,
      channels: ['email'],
      subject: 'A conversation failed',
      message: [
        `Conversation ${id}${botId === null ? '' : ` of bot ${botId}`} failed: ${error?.code}: ${error?.message}`,
        `You get at most one such alert every ${ALERT_EVERY_MS / 60_000} minutes. GET /v1/conversations?status=failed lists all failed conversations.`,
      ].join('\n\n'),
      target: { email },
    },
  };
}
