// What has been decided about conversations, written: turns, conversations, webhook deliveries, analytics and notices, in the
// caller's transaction. The one way in which a conversation changes; called by apply-events.ts and settle-due.ts.
import type { Enqueued, Trace } from '@parley/queues';
import type { Sql } from '@parley/postgres';
import { recordConversations, type ConversationFact as AnalyticsFact } from '../analytics/record-facts.ts';
import type { Deps } from '../deps.ts';
import type { DeliveryBatch } from '../deliveries/delivery-batches.ts';
import { writeDeliveries, type OutgoingEvent } from '../deliveries/outgoing-events.ts';
import { alertFailures } from './alert-failures.ts';
import type { Conversation, Emission, Folded, Metrics } from './conversation.ts';
import { keyText, updateConversations, upsertTurns } from './conversation-rows.ts';
import { markIgnored } from './event-rows.ts';
import { readTranscripts } from './read-transcripts.ts';
import { transcriptSha256, type TranscriptTurn } from './transcript.rules.ts';

/** Bells to be rung after the commit. */
export interface Rings {
  readonly deliveries: readonly DeliveryBatch[];
  readonly notices: Enqueued | undefined;
}

/** @param traceOf the request or message that brought an event; without it time did everything */
export async function writeConversations(
  deps: Pick<Deps, 'ids' | 'clock' | 'outbox'>,
  sql: Sql,
  folded: readonly Folded[],
  nowMs: number,
  traceOf?: (organizationId: string, eventId: string) => Trace | undefined,
): Promise<Rings> {
  const now = new Date(nowMs);
  const added = await upsertTurns(
    sql,
    folded.flatMap(({ conversation, turns }) =>
      turns.map((turn) => ({
        ...turn,
        organizationId: conversation.organizationId,
        conversationId: conversation.id,
      })),
    ),
  );
  const all = folded.map((one) => ({
    ...one,
    conversation: {
      ...one.conversation,
      turnCount: one.conversation.turnCount + (added.get(keyOf(one.conversation)) ?? 0),
    },
  }));
  await updateConversations(
    sql,
    all.map(({ conversation }) => conversation),
    now,
  );
  await markIgnored(
    sql,
    all.flatMap(({ conversation: { organizationId }, ignored }) =>
      ignored.map((id) => ({ organizationId, id })),
    ),
  );

  const transcripts = await readTranscripts(
    sql,
    all
      .filter((one) => one.count || one.emissions.some(tellsTranscript))
      .map(({ conversation }) => conversation),
  );
  const turnsOf = (conversation: Conversation) => transcripts.get(keyOf(conversation)) ?? [];
  const causeOf = ({ organizationId }: Conversation, emission: Emission | undefined) =>
    emission?.causedBy == null ? undefined : traceOf?.(organizationId, emission.causedBy);
  const deliveries = await writeDeliveries(
    deps,
    sql,
    all.flatMap(({ conversation, emissions }) =>
      emissions.map((emission) => ({
        ...outgoing(conversation, emission, turnsOf(conversation)),
        trace: causeOf(conversation, emission),
      })),
    ),
  );
  const ended = all.filter(({ count }) => count);
  await recordConversations(
    sql,
    ended.map(({ conversation }) => analyticsFact(conversation, turnsOf(conversation))),
  );
  const failed = all
    .filter(({ failedNow }) => failedNow)
    .map(({ conversation, emissions }) => ({
      conversation,
      trace: causeOf(
        conversation,
        emissions.find(({ type }) => type === 'conversation.error'),
      ),
    }));
  return { deliveries, notices: await alertFailures(deps, sql, failed, now) };
}

/** After the commit. Never throws. */
export function ring(deps: Pick<Deps, 'outbox' | 'deliveryBell'>, { deliveries, notices }: Rings): void {
  deps.deliveryBell.ring(deliveries);
  if (notices) void deps.outbox.ring(notices);
}

const keyOf = ({ organizationId, id }: Conversation) => keyText({ organizationId, conversationId: id });

function tellsTranscript({ type }: Emission): boolean {
  return type === 'conversation.ended' || type === 'transcript.ready';
}

/** A webhook event with its complete `data` (spec §3). */
function outgoing(
  conversation: Conversation,
  emission: Emission,
  turns: readonly TranscriptTurn[],
): OutgoingEvent {
  const { type, at, sequence, turnIndex, data } = emission;
  return {
    organizationId: conversation.organizationId,
    conversationId: conversation.id,
    botId: conversation.botId,
    type,
    occurredAt: new Date(at),
    sequence,
    turnIndex,
    data: {
      conversation_id: conversation.id,
      bot_id: conversation.botId,
      ...data,
      ...(type === 'conversation.ended' ? endedData(conversation, turns) : {}),
      ...(type === 'transcript.ready' ? readyData(conversation, turns) : {}),
      metadata: conversation.metadata,
      sequence,
    },
  };
}

/** Turns in a conversation.ended (spec §3); GET …/transcript has them all. */
const ENDED_TURNS_MAX = 200;
/** And their text, in characters: receivers limit bodies, commonly to a megabyte. */
const ENDED_CHARACTERS_MAX = 200_000;

function endedData(conversation: Conversation, turns: readonly TranscriptTurn[]) {
  const shown: object[] = [];
  let characters = 0;
  for (const { index, role, text, start_ms, end_ms, interrupted } of turns) {
    characters += text.length;
    if (shown.length >= ENDED_TURNS_MAX || characters > ENDED_CHARACTERS_MAX) break;
    shown.push({ index, role, text, start_ms, end_ms, interrupted });
  }
  return {
    duration_seconds: conversation.durationSeconds,
    transcript: shown,
    ...(shown.length < turns.length ? { truncated: true } : {}),
    end_reason: conversation.endReason,
  };
}

function readyData(conversation: Conversation, turns: readonly TranscriptTurn[]) {
  return {
    revision: conversation.revision,
    sha256: transcriptSha256(turns),
    turn_count: turns.length,
  };
}

function analyticsFact(conversation: Conversation, turns: readonly TranscriptTurn[]): AnalyticsFact {
  const bots = turns.filter(({ role }) => role === 'bot');
  const measured = (stage: keyof Metrics) => turns.flatMap(({ metrics }) => metrics?.[stage] ?? []);
  return {
    organizationId: conversation.organizationId,
    conversationId: conversation.id,
    botId: conversation.botId,
    channel: conversation.channel ?? '',
    status: conversation.status,
    endReason: conversation.endReason ?? '',
    language: conversation.language,
    startedAt: new Date(conversation.startedAt ?? conversation.endedAt ?? conversation.createdAt),
    durationSeconds: conversation.durationSeconds,
    from: conversation.from,
    turns: turns.length,
    interruptions: bots.filter(({ interrupted }) => interrupted).length,
    botTurns: bots.length,
    latencies: {
      e2e: measured('e2e_ms'),
      asr: measured('asr_ms'),
      llm: measured('llm_ms'),
      tts: measured('tts_ms'),
    },
  };
}
