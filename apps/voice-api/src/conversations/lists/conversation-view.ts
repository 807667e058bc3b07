// The wire shape of a conversation (docs/voice-api.md#conversations).
import { voiceApiDialect } from '@parley/envelopes';
import type { Caller } from '@parley/server/http';
import { readRedaction, type Redaction } from '../../retention/redaction.ts';
import { scrubConversation } from '../../retention/scrub.rules.ts';
import type { ConversationRow } from '../conversation-rows.ts';
import type { Deps } from '../deps.ts';

const { time } = voiceApiDialect;

/** As the caller may read it. */
export async function toReaderView(
  deps: Pick<Deps, 'retentionRules'>,
  caller: Caller,
  row: ConversationRow,
): Promise<ConversationView> {
  return toRedactedView(await readRedaction(deps, caller), row);
}

export function toRedactedView(redaction: Redaction, row: ConversationRow): ConversationView {
  const view = toConversationView(row);
  return redaction.hides(row.bot_id) ? scrubConversation(view) : view;
}

export type ConversationView = ReturnType<typeof toConversationView>;

export function toConversationView(row: ConversationRow) {
  return {
    id: row.id,
    bot_id: row.bot_id,
    status: row.status,
    channel: row.channel,
    direction: row.direction,
    from: row.from_address,
    to: row.to_address,
    language: row.language,
    started_at: row.started_at && time(row.started_at),
    ended_at: row.ended_at && time(row.ended_at),
    duration_seconds: row.duration_seconds,
    end_reason: row.end_reason,
    end_detail: row.end_detail,
    ended_by: row.ended_by,
    ...(row.error_code === null ? {} : { error: { code: row.error_code, message: row.error_message } }),
    turn_count: row.turn_count,
    ...(row.truncated ? { truncated: true } : {}),
    ...(row.quarantined_at ? { quarantined_at: time(row.quarantined_at) } : {}),
    ...(row.flow_id === null ? {} : { flow_id: row.flow_id }),
    ...(row.flow_version === null ? {} : { flow_version: row.flow_version }),
    metadata: row.metadata,
    ...toAfterCallView(row),
    ...toRetentionView(row),
    created_at: time(row.created_at),
    updated_at: time(row.updated_at),
  };
}

/** What was removed, and whether a legal hold prevents it. */
function toRetentionView({ removed, hold }: ConversationRow) {
  const parts = Object.entries(removed).map(([part, { at, reason }]) => [
    part,
    { at: time(new Date(at)), reason },
  ]);
  return {
    ...(parts.length > 0 ? { removed: Object.fromEntries(parts) as Record<string, RemovedPart> } : {}),
    ...(hold ? { hold: { ...hold, at: time(new Date(hold.at)) } } : {}),
  };
}
interface RemovedPart {
  readonly at: string;
  readonly reason: string;
}

/** Members that are known after the call appear once they are set. */
function toAfterCallView({ tags, ...row }: ConversationRow) {
  const { cost, recording_url, recording_copy, summary, sentiment, success, analysis } = row;
  const members = { cost, recording_url, recording_copy, summary, sentiment, success, analysis };
  const known = Object.entries(members).filter(([, value]) => value !== null);
  return { ...(tags.length > 0 ? { tags } : {}), ...Object.fromEntries(known) };
}
