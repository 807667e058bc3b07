// The two intakes of conversation events: requests with 1 to 500 events, and messages of the queue
// (docs/voice-api.md#conversation-events).
import type { z } from 'zod';
import { AppError, codes, type FieldProblem } from '@parley/envelopes';
import type { BodyDoubts, Caller } from '@parley/http';
import { inTransaction, type Sql } from '@parley/postgres';
import type { ConversationEvent, GatheredMessage, Trace } from '@parley/queues';
import type { Deps } from '../deps.ts';
import { applyEvents, type Refusal } from './apply-events.ts';
import type { ReportedEvent } from './conversation.ts';
import { eventKey, type ConversationEventRow } from './event-rows.ts';
import { parseHttpEvent, parseQueuedEvent } from './event-schemas.ts';
import type { eventBatch, NoticeCode } from './schemas.ts';
import { ring } from './write-conversations.ts';

interface Rejected {
  readonly index: number;
  readonly code: string;
  readonly message: string;
}

type Applying = Parameters<typeof applyEvents>[0] & Pick<Deps, 'pool'>;

/** Applies a batch, sends its wake-ups and returns the answer. */
export async function takeEvents(
  deps: Applying & Pick<Deps, 'outbox' | 'deliveryBell' | 'feedBell' | 'countEvents'>,
  ...batch: Batch
) {
  return told(deps, await applyBatch(deps, ...batch));
}

/** Sends the wake-ups of a committed batch, counts it and returns its answer. */
export function told(
  deps: Pick<Deps, 'outbox' | 'deliveryBell' | 'feedBell' | 'countEvents'>,
  { answer, counts, rings }: AppliedBatch,
): AppliedBatch['answer'] {
  if (rings) ring(deps, rings);
  deps.countEvents(counts);
  return answer;
}

type Batch = [caller: Caller, events: readonly unknown[], trace: Trace, doubts?: BodyDoubts];
export type AppliedBatch = Awaited<ReturnType<typeof applyBatch>>;

export const eventsOf = (body: z.output<typeof eventBatch>): readonly unknown[] =>
  Array.isArray(body) ? body : body.events;

/** Validates each event by itself and applies the valid ones together. Returns plain data. */
export async function applyBatch(
  deps: Applying,
  ...[caller, events, { requestId, traceparent }, doubts = { mayBeRefused: true, lost: [] }]: Batch
) {
  const { organizationId } = caller;
  const trace = { requestId, traceparent };
  const nowMs = deps.clock();
  const rows: ConversationEventRow[] = [];
  /** Index of each row's event. */
  const places: number[] = [];
  const rejected: Rejected[] = [];
  const mended: number[] = [];
  const lost = lostByEvent(doubts);
  events.forEach((raw, index) => {
    const { parsed, wasMended } = parseHttpEvent(raw, nowMs, doubts.mayBeRefused, lost.get(index));
    if (!parsed.ok) return void rejected.push({ index, code: parsed.code, message: parsed.message });
    places.push(index);
    if (wasMended) mended.push(index);
    rows.push({ organizationId, event: parsed.event, data: parsed.data, trace });
  });
  const none = {
    added: new Set<string>(),
    refused: new Map<string, Refusal>(),
    ignored: new Set<string>(),
    rings: undefined,
  };
  const { added, refused, ignored, rings } =
    rows.length === 0
      ? none
      : await inTransaction(deps.pool, (sql) => applyEvents(deps, sql, rows, caller.botIds));
  const isNew = new Set(added);
  const repeated: number[] = [];
  const notices: Notice[] = [];
  rows.forEach(({ event }, row) => {
    const key = eventKey(organizationId, event.id);
    const why = refused.get(key);
    if (why) rejected.push({ index: places[row]!, code: codes[why].voice, message: WHY[why](event) });
    else if (!isNew.delete(key)) repeated.push(places[row]!);
    else notices.push(...noticesOf(rows[row]!, places[row]!, ignored.has(key)));
  });
  rejected.sort((a, b) => a.index - b.index);
  const counts = { accepted: added.size, duplicates: repeated.length, rejected: rejected.length };
  const answer = {
    ...counts,
    rejected,
    ...(repeated.length > 0 ? { repeated } : {}),
    ...(mended.length > 0 ? { mended } : {}),
    ...(notices.length > 0 ? { notices } : {}),
  };
  return { answer, counts, rings };
}

interface Notice {
  readonly index: number;
  readonly code: NoticeCode;
  readonly message: string;
}

/** Reports how an accepted event differs from what its reporter sent. */
function noticesOf({ event, data }: ConversationEventRow, index: number, isIgnored: boolean): Notice[] {
  const { end_reason: given } = data;
  const isMapped = event.type === 'conversation.ended' && given != null && given !== event.end.reason;
  return [
    ...(isIgnored ? [{ index, code: 'IGNORED', message: IGNORED } as const] : []),
    ...(isMapped ? [{ index, code: 'END_REASON_MAPPED', message: END_REASON_MAPPED } as const] : []),
  ];
}

const IGNORED = 'The event is stored but changes nothing: it is too late, or another event of its type takes precedence.';
const END_REASON_MAPPED = 'end_reason is "other"; end_detail has the given reason.';

/**
 * Problems found while parsing the body, by event.
 * @throws AppError invalid_request when one is outside the events
 */
function lostByEvent({ lost }: BodyDoubts): ReadonlyMap<number, FieldProblem[]> {
  const byEvent = new Map<number, FieldProblem[]>();
  for (const problem of lost) {
    const [, index, path = ''] = /^(?:\/events)?\/(\d+)(\/.*)?$/s.exec(problem.path) ?? [];
    if (index === undefined)
      throw new AppError('invalid_request', 'the body cannot be accepted', { fields: lost });
    byEvent.set(Number(index), [...(byEvent.get(Number(index)) ?? []), { ...problem, path }]);
  }
  return byEvent;
}

const WHY: Readonly<Record<Refusal, (event: ReportedEvent) => string>> = {
  conversation_too_large: ({ conversationId }) =>
    `Conversation "${conversationId}" has reached its size limit and accepts no further turns.`,
  conversation_deleted: ({ conversationId }) =>
    `Conversation "${conversationId}" was deleted and accepts no further events.`,
  bot_not_of_key: () =>
    'The event belongs to none of the bots of the key. Set the bot_id of its conversation.',
};

/**
 * Applies gathered messages in the transaction that stores their ids. Returns an error for each
 * message that is not valid.
 */
export async function takeMessages(
  deps: Pick<
    Deps,
    'clock' | 'ids' | 'outbox' | 'config' | 'deliveryBell' | 'feedBell' | 'countEvents' | 'log'
  >,
  sql: Sql,
  messages: readonly GatheredMessage<ConversationEvent>[],
): Promise<(AppError | undefined)[]> {
  const rows: ConversationEventRow[] = [];
  /** Index of each row's message. */
  const places: number[] = [];
  const refusals = messages.map(({ payload, context }, index) => {
    const { organizationId, requestId, traceparent } = context;
    const parsed = parseQueuedEvent(payload, deps.clock());
    if (!parsed.ok) return new AppError('invalid_request', parsed.message);
    rows.push({ organizationId, event: parsed.event, data: parsed.data, trace: { requestId, traceparent } });
    places.push(index);
    return undefined;
  });
  const { added, refused, rings } = await applyEvents(deps, sql, rows);
  rows.forEach(({ event }, row) => {
    const why = refused.get(eventKey(rows[row]!.organizationId, event.id));
    if (why) refusals[places[row]!] = new AppError(why, WHY[why](event));
  });
  const rejected = refusals.filter((refusal) => refusal !== undefined).length;
  const accepted = added.size;
  const counts = { accepted, duplicates: messages.length - rejected - accepted, rejected };
  messages[0]?.context.afterCommit(() => {
    ring(deps, rings);
    deps.countEvents(counts);
    deps.log.info(counts, 'events.taken');
  });
  return refusals;
}
