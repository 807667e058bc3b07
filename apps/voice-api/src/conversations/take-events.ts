// The two ways in for conversation events: a request with 1 to 500 of them, and messages of the queue
// (docs/voice-api.md#conversation-events).
import { AppError, codes, type FieldProblem } from '@parley/envelopes';
import type { BodyDoubts, Caller } from '@parley/http';
import { inTransaction, type Sql } from '@parley/postgres';
import type { ConversationEvent, GatheredMessage, Trace } from '@parley/queues';
import type { Deps } from '../deps.ts';
import { applyEvents, type Applied } from './apply-events.ts';
import type { ReportedEvent } from './conversation.ts';
import { eventKey, type ConversationEventRow } from './event-rows.ts';
import { parseHttpEvent, parseQueuedEvent } from './event-schemas.ts';
import { ring } from './write-conversations.ts';

interface Rejected {
  readonly index: number;
  readonly code: string;
  readonly message: string;
}

/** Every event for itself: wrong ones are told, the others are applied together. */
export async function takeEvents(
  deps: Pick<
    Deps,
    'pool' | 'clock' | 'ids' | 'outbox' | 'config' | 'deliveryBell' | 'feedBell' | 'countEvents'
  >,
  caller: Caller,
  events: readonly unknown[],
  { requestId, traceparent }: Trace,
  doubts: BodyDoubts = { mayBeRefused: true, lost: [] },
) {
  const { organizationId } = caller;
  const trace = { requestId, traceparent };
  const nowMs = deps.clock();
  const rows: ConversationEventRow[] = [];
  /** Of each row, its place among the events. */
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
  const none = { accepted: 0, refused: new Set<string>() };
  const { accepted, refused } = rows.length === 0 ? none : await applyAndRing(deps, rows);
  rows.forEach(({ event }, row) => {
    if (!refused.has(eventKey(organizationId, event.id))) return;
    rejected.push({ index: places[row]!, code: codes[TOO_LARGE].voice, message: tooLarge(event) });
  });
  rejected.sort((a, b) => a.index - b.index);
  const duplicates = events.length - rejected.length - accepted;
  deps.countEvents({ accepted, duplicates, rejected: rejected.length });
  return { accepted, duplicates, rejected, ...(mended.length > 0 ? { mended } : {}) };
}

/** Of each event, by its place, what parsing the body lost. @throws AppError invalid_request where something stands beside them */
function lostByEvent({ lost }: BodyDoubts): ReadonlyMap<number, FieldProblem[]> {
  const byEvent = new Map<number, FieldProblem[]>();
  for (const problem of lost) {
    const index = /^(?:\/events)?\/(\d+)(?:\/|$)/.exec(problem.path)?.[1];
    if (index === undefined)
      throw new AppError('invalid_request', 'the body cannot be accepted', { fields: lost });
    byEvent.set(Number(index), [...(byEvent.get(Number(index)) ?? []), problem]);
  }
  return byEvent;
}

async function applyAndRing(
  deps: Parameters<typeof takeEvents>[0],
  rows: readonly ConversationEventRow[],
): Promise<Pick<Applied, 'accepted' | 'refused'>> {
  const { accepted, refused, rings } = await inTransaction(deps.pool, (sql) => applyEvents(deps, sql, rows));
  ring(deps, rings);
  return { accepted, refused };
}

const TOO_LARGE = 'conversation_too_large';
const tooLarge = ({ conversationId }: ReportedEvent) =>
  `conversation "${conversationId}" is as large as it may be: it takes no further turn`;

/**
 * Messages that came within the same moments, applied in the transaction that remembers them. Gives a refusal for each one that
 * says something impossible.
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
  const keys: (string | undefined)[] = [];
  const refusals = messages.map(({ payload, context }, index) => {
    const { organizationId, requestId, traceparent } = context;
    const parsed = parseQueuedEvent(payload, deps.clock());
    if (!parsed.ok) return new AppError('invalid_request', parsed.message);
    rows.push({ organizationId, event: parsed.event, data: parsed.data, trace: { requestId, traceparent } });
    keys[index] = eventKey(organizationId, parsed.event.id);
    return undefined;
  });
  const { accepted, refused, rings } = await applyEvents(deps, sql, rows);
  messages.forEach(({ payload }, index) => {
    if (refused.has(keys[index] ?? ''))
      refusals[index] = new AppError(TOO_LARGE, `${payload.conversation_id} is as large as it may be`);
  });
  const rejected = refusals.filter((refusal) => refusal !== undefined).length;
  const counts = { accepted, duplicates: messages.length - rejected - accepted, rejected };
  messages[0]?.context.afterCommit(() => {
    ring(deps, rings);
    deps.countEvents(counts);
    deps.log.info(counts, 'events.taken');
  });
  return refusals;
}
