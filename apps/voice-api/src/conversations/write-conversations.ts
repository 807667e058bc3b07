// Writes folded conversations: turns, conversations, webhook deliveries, analytics and alerts, in
// the caller's transaction. Every change of a conversation goes through here.
import type { Enqueued } from '@parley/queues';
import type { Sql } from '@parley/postgres';
import { recordLeavings } from '../analytics/flow-steps.ts';
import { recordConversations, type ConversationFact } from '../analytics/record-facts.ts';
import type { Deps } from '../deps.ts';
import type { DeliveryBatch } from '../deliveries/delivery-batches.ts';
import { writeDeliveries, type OutgoingEvent } from '../deliveries/outgoing-events.ts';
import type { WebhookSelection } from '../deliveries/plan-deliveries.rules.ts';
import { insertRecordedTurns } from '../recordings/write-turns.ts';
import { alertFailures } from './alert-failures.ts';
import type { Conversation, Emission, Folded, Turn } from './conversation.ts';
import { keyText, updateConversations } from './conversation-rows.ts';
import { markIgnored } from './event-rows.ts';
import { PIECE_BYTES, READ_BYTES_MAX, readDigest, readDigests, weightOf } from './read-transcripts.ts';
import { digestOf, type Digest } from './transcript-digest.ts';
import type { TranscriptTurn } from './transcript.rules.ts';

/** Wake-ups to send after the commit. */
export interface Rings {
  readonly deliveries: readonly DeliveryBatch[];
  readonly notices: Enqueued | undefined;
  /** Organisations that have new events. */
  readonly feeds: readonly string[];
}

interface WritingOptions {
  /** Bytes of transcripts in memory at a time. */
  readonly readBytesMax?: number;
  /** All webhooks of these organisations, if they are already read. */
  readonly webhooks?: readonly WebhookSelection[];
}

export async function writeConversations(
  deps: Pick<Deps, 'ids' | 'clock'> & Parameters<typeof alertFailures>[0],
  sql: Sql,
  folded: readonly Folded[],
  nowMs: number,
  { readBytesMax = READ_BYTES_MAX, webhooks }: WritingOptions = {},
): Promise<Rings> {
  const now = new Date(nowMs);
  await insertRecordedTurns(
    sql,
    folded.flatMap(({ conversation: { organizationId, id, botId }, recorded }) =>
      recorded.map((turn) => ({ ...turn, organizationId, conversationId: id, botId })),
    ),
  );
  // Sent together: only the last one may issue further statements (libs/postgres, Round trips).
  const [added, , , deliveries] = await Promise.all([
    updateConversations(sql, folded, now),
    recordLeavings(
      sql,
      folded.flatMap(({ count, conversation }) => (count ? [conversation] : [])),
    ),
    markIgnored(
      sql,
      folded.flatMap(({ conversation: { organizationId }, ignored }) =>
        ignored.map((id) => ({ organizationId, id })),
      ),
    ),
    tell(deps, sql, folded, webhooks, readBytesMax),
  ]);
  await recordConversations(
    sql,
    folded.flatMap(({ conversation, count }) => {
      const late = added.get(keyOf(conversation));
      return conversation.counted && !count && late ? [lateFact(conversation, late)] : [];
    }),
  );
  const failed = folded
    .filter(({ failedNow }) => failedNow)
    .map(({ conversation }) => ({ conversation, trace: conversation.facts.fatal?.trace }));
  const feeds = folded.flatMap(({ conversation: { organizationId }, emissions }) =>
    emissions.length > 0 ? [organizationId] : [],
  );
  return { deliveries, notices: await alertFailures(deps, sql, failed, now), feeds: [...new Set(feeds)] };
}

/** Writes webhook events with their deliveries, and the figures of settled conversations. */
async function tell(
  deps: Parameters<typeof writeDeliveries>[0],
  sql: Sql,
  folded: readonly Folded[],
  webhooks: readonly WebhookSelection[] | undefined,
  readBytesMax: number,
): Promise<DeliveryBatch[]> {
  const deliveries: DeliveryBatch[] = [];
  for (const bite of bitesOf(folded, readBytesMax)) {
    const digests = await digestsOf(sql, bite, Math.min(readBytesMax, PIECE_BYTES));
    const events = bite.flatMap(({ conversation, emissions }) =>
      emissions.map((emission) => outgoing(conversation, emission, digests.get(conversation))),
    );
    deliveries.push(...(await writeDeliveries(deps, sql, events, webhooks)));
    const ended = bite.filter(({ count }) => count);
    await recordConversations(
      sql,
      ended.map(({ conversation }) => analyticsFact(conversation, digests.get(conversation)!)),
    );
  }
  return deliveries;
}

/** Call after the commit. Never throws. */
export function ring(
  deps: Pick<Deps, 'outbox' | 'deliveryBell' | 'feedBell'>,
  { deliveries, notices, feeds }: Rings,
): void {
  for (const organizationId of feeds) deps.feedBell.ring(organizationId);
  deps.deliveryBell.ring(deliveries);
  if (notices) void deps.outbox.ring(notices);
}

const keyOf = ({ organizationId, id }: Conversation) => keyText({ organizationId, conversationId: id });

function needsTranscript({ count, emissions }: Folded): boolean {
  return count || emissions.some(({ type }) => type === 'conversation.ended' || type === 'transcript.ready');
}

/**
 * Splits in order, so that the transcripts of a part fit into memory. A larger one gets a part of
 * its own.
 */
function bitesOf(all: readonly Folded[], bytesMax: number): Folded[][] {
  const bites: Folded[][] = [];
  let bytes = Infinity;
  for (const one of all) {
    const weight = needsTranscript(one) ? weightOf(one.conversation) : 0;
    if (bytes + weight > bytesMax) {
      bites.push([]);
      bytes = 0;
    }
    bites.at(-1)!.push(one);
    bytes += weight;
  }
  return bites;
}

async function digestsOf(
  sql: Sql,
  bite: readonly Folded[],
  pieceBytes: number,
): Promise<ReadonlyMap<Conversation, Digest>> {
  const needed = bite.flatMap((one) => (needsTranscript(one) ? [one.conversation] : []));
  const large = needed.filter((one) => weightOf(one) > pieceBytes);
  const small = needed.filter((one) => weightOf(one) <= pieceBytes);
  const digests = await readDigests(sql, small);
  const found = new Map(small.map((conversation, index) => [conversation, digests[index]!]));
  for (const one of large) found.set(one, await readDigest(sql, one, { pieceBytes }));
  return found;
}

/** A webhook event with its complete `data` (docs/voice-api.md#delivery-body). */
function outgoing(conversation: Conversation, emission: Emission, digest: Digest | undefined): OutgoingEvent {
  const { type, at, sequence, turnIndex, data, trace } = emission;
  return {
    organizationId: conversation.organizationId,
    conversationId: conversation.id,
    botId: conversation.botId,
    type,
    occurredAt: new Date(at),
    sequence,
    turnIndex,
    trace,
    data: {
      conversation_id: conversation.id,
      bot_id: conversation.botId,
      ...data,
      ...(type === 'conversation.ended' ? endedData(conversation, digest!) : {}),
      ...(type === 'transcript.ready' ? readyData(conversation, digest!) : {}),
      metadata: conversation.metadata,
      sequence,
    },
  };
}

function endedData({ id, durationSeconds, endReason }: Conversation, { shown, turns }: Digest) {
  const rest = { truncated: true, transcript_url: `/v1/conversations/${encodeURIComponent(id)}/transcript` };
  return {
    duration_seconds: durationSeconds,
    transcript: shown,
    ...(shown.length < turns ? rest : {}),
    end_reason: endReason,
  };
}

function readyData({ revision }: Conversation, { sha256, turns }: Digest) {
  return { revision, sha256, turn_count: turns };
}

function analyticsFact(conversation: Conversation, digest: Digest): ConversationFact {
  const { turns, botTurns, interruptions, latencies } = digest;
  return {
    conversations: 1,
    organizationId: conversation.organizationId,
    conversationId: conversation.id,
    botId: conversation.botId,
    channel: conversation.channel ?? '',
    status: conversation.status,
    endReason: conversation.endReason ?? '',
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
function lateFact(conversation: Conversation, turns: readonly Turn[]): ConversationFact {
  const digest = digestOf(turns.map(shownTurn));
  return { ...analyticsFact(conversation, digest), conversations: 0, durationSeconds: null };
}

function shownTurn(turn: Turn): TranscriptTurn {
  const { turnIndex: index, role, text, startMs, endMs, confidence, interrupted, language, metrics } = turn;
  const shown = { index, role, text, start_ms: startMs, end_ms: endMs, confidence, interrupted, language };
  return metrics ? { ...shown, metrics } : shown;
}
