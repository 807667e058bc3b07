// Writes folded conversations: turns, conversations, webhook deliveries, analytics and alerts, in
// the caller's transaction. Every change of a conversation goes through here.
import type { WrittenMessages } from '@parley/jobs';
import type { Sql } from '@parley/server/postgres';
import { recordExits } from '../analytics/flow-steps.ts';
import { planCopies } from '../recordings/copies.ts';
import { recordConversations, type ConversationFact } from '../analytics/record-facts.ts';
import type { Deps } from './deps.ts';
import type { DeliveryBatch } from '../deliveries/delivery-batches.ts';
import { computeEventId } from '../deliveries/event-id.ts';
import { writeDeliveries } from '../deliveries/write-deliveries.ts';
import type { OutgoingEvent } from '../deliveries/plan-deliveries.rules.ts';
import { readApplicationId, type WebhookSelection } from '../webhooks/selection.rules.ts';
import { insertRecordedTurns, type RecordedRow } from './write-turns.ts';
import { alertFailures } from './alert-failures.ts';
import type { Conversation, Emission, FoldResult, Turn } from '../conversation-model/conversation.ts';
import { keyText, updateConversations } from './conversation-rows.ts';
import { markIgnored } from './event-rows.ts';
import { PIECE_BYTES, READ_BYTES_MAX, readDigest, readDigests, computeWeight } from './read-transcripts.ts';
import { computeTranscriptDigest, type TranscriptDigest } from './transcript-digest.ts';
import type { TranscriptTurn } from './transcript.rules.ts';

/** Wake-ups to send after the commit. */
export interface WakeUps {
  readonly deliveries: readonly DeliveryBatch[];
  readonly notices: WrittenMessages | undefined;
  /** Organisations that have new events. */
  readonly feeds: readonly string[];
}

interface WritingOptions {
  /** Bytes of transcripts in memory at a time. */
  readonly readBytesMax?: number;
  /** The webhooks without application of these organisations, if they are already read. */
  readonly webhooks?: readonly WebhookSelection[];
}

export async function writeConversations(
  deps: Pick<Deps, 'ids' | 'clock'> & Parameters<typeof alertFailures>[0],
  sql: Sql,
  folded: readonly FoldResult[],
  nowMs: number,
  { readBytesMax = READ_BYTES_MAX, webhooks }: WritingOptions = {},
): Promise<WakeUps> {
  const now = new Date(nowMs);
  const recorded = await insertRecordedTurns(
    sql,
    folded.flatMap(({ conversation: { organizationId, id, botId }, recorded }) =>
      recorded.map((turn) => ({ ...turn, organizationId, conversationId: id, botId })),
    ),
  );
  const recordedOf = new Map<string, RecordedRow[]>();
  for (const turn of recorded)
    recordedOf.set(keyText(turn), [...(recordedOf.get(keyText(turn)) ?? []), turn]);
  // Sent together: only the last one may issue further statements (libs/server/postgres, Round
  // trips).
  const [added, , , deliveries] = await Promise.all([
    updateConversations(sql, folded, now),
    recordExits(
      sql,
      folded.flatMap(({ count, conversation }) =>
        count && !conversation.facts.reopened ? [conversation] : [],
      ),
    ),
    markIgnored(
      sql,
      folded.flatMap(({ conversation: { organizationId }, ignored }) =>
        ignored.map((id) => ({ organizationId, id })),
      ),
    ),
    writeConsequences(deps, sql, folded, webhooks, readBytesMax),
  ]);
  await recordConversations(
    sql,
    folded.flatMap(({ conversation, count }) => {
      const key = toKeyText(conversation);
      const [late, lateRecorded] = [added.get(key), recordedOf.get(key)];
      if (!conversation.counted || count || !(late ?? lateRecorded)) return [];
      return [toLateFact(conversation, late ?? [], lateRecorded ?? [])];
    }),
  );
  const recordings = folded.flatMap(({ conversation }) =>
    conversation.recordingUrl !== null || conversation.facts.reopened ? [conversation] : [],
  );
  await planCopies(sql, {
    organizationIds: recordings.map(({ organizationId }) => organizationId),
    ids: recordings.map(({ id }) => id),
    now,
  });
  const failed = folded
    .filter(({ failedNow, conversation }) => failedNow && !conversation.facts.reopened)
    .map(({ conversation }) => ({ conversation, trace: conversation.facts.fatal?.trace }));
  const feeds = folded.flatMap(({ conversation: { organizationId }, emissions }) =>
    emissions.length > 0 ? [organizationId] : [],
  );
  const notices = failed.length === 0 ? undefined : await alertFailures(deps, sql, failed, now);
  return { deliveries, notices, feeds: [...new Set(feeds)] };
}

/** Writes webhook events with their deliveries, and the figures of settled conversations. */
async function writeConsequences(
  deps: Parameters<typeof writeDeliveries>[0],
  sql: Sql,
  folded: readonly FoldResult[],
  webhooks: readonly WebhookSelection[] | undefined,
  readBytesMax: number,
): Promise<DeliveryBatch[]> {
  const deliveries: DeliveryBatch[] = [];
  for (const part of splitByWeight(folded, readBytesMax)) {
    const digests = await computeDigests(sql, part, Math.min(readBytesMax, PIECE_BYTES));
    const events = part.flatMap(({ conversation, emissions }) =>
      emissions.map((emission) => toOutgoingEvent(conversation, emission, digests.get(conversation))),
    );
    deliveries.push(...(await writeDeliveries(deps, sql, events, webhooks)));
    const ended = part.filter(({ count }) => count);
    await recordConversations(
      sql,
      ended.map(({ conversation }) => toAnalyticsFact(conversation, digests.get(conversation)!)),
    );
  }
  return deliveries;
}

/** Call after the commit. Never throws. */
export function sendWakeUps(
  deps: Pick<Deps, 'outbox' | 'deliveryEnqueuer' | 'feedNotifier'>,
  { deliveries, notices, feeds }: WakeUps,
): void {
  for (const organizationId of feeds) deps.feedNotifier.notify(organizationId);
  deps.deliveryEnqueuer.enqueue(deliveries);
  if (notices) void deps.outbox.enqueueJobs(notices);
}

const toKeyText = ({ organizationId, id }: Conversation) => keyText({ organizationId, conversationId: id });

function needsTranscript({ count, emissions }: FoldResult): boolean {
  return count || emissions.some(({ type }) => type === 'conversation.ended' || type === 'transcript.ready');
}

/** Splits in order into parts whose transcripts fit into memory; a larger one is a part. */
function splitByWeight(all: readonly FoldResult[], bytesMax: number): FoldResult[][] {
  const bites: FoldResult[][] = [];
  let bytes = Infinity;
  for (const one of all) {
    const weight = needsTranscript(one) ? computeWeight(one.conversation) : 0;
    if (bytes + weight > bytesMax) {
      bites.push([]);
      bytes = 0;
    }
    bites.at(-1)!.push(one);
    bytes += weight;
  }
  return bites;
}

async function computeDigests(
  sql: Sql,
  bite: readonly FoldResult[],
  pieceBytes: number,
): Promise<ReadonlyMap<Conversation, TranscriptDigest>> {
  const needed = bite.flatMap((one) => (needsTranscript(one) ? [one.conversation] : []));
  if (needed.length === 0) return new Map();
  const large = needed.filter((one) => computeWeight(one) > pieceBytes);
  const small = needed.filter((one) => computeWeight(one) <= pieceBytes);
  const digests = await readDigests(sql, small);
  const found = new Map(small.map((conversation, index) => [conversation, digests[index]!]));
  for (const one of large) found.set(one, await readDigest(sql, one, { pieceBytes }));
  return found;
}

/** A webhook event with its complete `data` (docs/voice-api.md#delivery-body). */
function toOutgoingEvent(
  conversation: Conversation,
  emission: Emission,
  digest: TranscriptDigest | undefined,
): OutgoingEvent {
  const { type, at, sequence, turnIndex, cause, data, trace } = emission;
  const { organizationId, id: conversationId } = conversation;
  return {
    id: computeEventId({ organizationId, conversationId }, type, cause),
    organizationId,
    conversationId,
    botId: conversation.botId,
    applicationId: readApplicationId(conversation.metadata),
    type,
    occurredAt: new Date(at),
    sequence,
    turnIndex,
    trace,
    data: {
      conversation_id: conversation.id,
      bot_id: conversation.botId,
      ...data,
      ...(type === 'conversation.ended' ? toEndedData(conversation, digest!) : {}),
      ...(type === 'transcript.ready' ? toReadyData(conversation, digest!) : {}),
      metadata: conversation.metadata,
      sequence,
    },
  };
}

function toEndedData({ id, durationSeconds, endReason }: Conversation, { excerpt, turns }: TranscriptDigest) {
  const rest = { truncated: true, transcript_url: `/v1/conversations/${encodeURIComponent(id)}/transcript` };
  return {
    duration_seconds: durationSeconds,
    transcript: excerpt,
    ...(excerpt.length < turns ? rest : {}),
    end_reason: endReason,
  };
}

function toReadyData({ revision }: Conversation, { sha256, turns }: TranscriptDigest) {
  return { revision, sha256, turn_count: turns };
}

export function toAnalyticsFact(conversation: Conversation, digest: TranscriptDigest): ConversationFact {
  const { turns, botTurns, interruptions, latencies } = digest;
  return {
    conversations: 1,
    organizationId: conversation.organizationId,
    conversationId: conversation.id,
    botId: conversation.botId,
    channel: conversation.channel ?? '',
    status: conversation.status,
    endReason: conversation.endReason ?? '',
    errorCode: conversation.error?.code ?? null,
    language: conversation.language,
    flowId: conversation.flowId,
    flowVersion: conversation.flowVersion,
    startedAt: new Date(conversation.startedAt ?? conversation.endedAt ?? conversation.createdAt),
    durationSeconds: conversation.durationSeconds,
    from: conversation.from,
    turns,
    interruptions,
    botTurns,
    latencies: {
      e2e: latencies.e2e_ms,
      asr: latencies.asr_ms,
      llm: latencies.llm_ms,
      tts: latencies.tts_ms,
    },
  };
}

/** The figures of late turns of a conversation that was already counted. */
function toLateFact(
  conversation: Conversation,
  turns: readonly Turn[],
  recorded: readonly RecordedRow[],
): ConversationFact {
  const digest = computeTranscriptDigest(turns.map(toWireTurn));
  const lateRecordedTurns = recorded.map(({ turn }) => turn);
  return {
    ...toAnalyticsFact(conversation, digest),
    conversations: 0,
    durationSeconds: null,
    lateRecordedTurns,
  };
}

function toWireTurn(turn: Turn): TranscriptTurn {
  const { turnIndex: index, role, text, startMs, endMs, confidence, interrupted, language, metrics } = turn;
  const wireTurn = { index, role, text, start_ms: startMs, end_ms: endMs, confidence, interrupted, language };
  return metrics ? { ...wireTurn, metrics } : wireTurn;
}
