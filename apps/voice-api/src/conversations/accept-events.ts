// The two intakes of conversation events: requests with 1 to 500 events, and messages of the queue
// (docs/voice-api.md#conversation-events).
import type { z } from 'zod';
import { AppError, codes, type FieldProblem } from '@parley/envelopes';
import type { BodyDoubts, Caller } from '@parley/server/http';
import { inTransaction, type Sql } from '@parley/server/postgres';
import type { ConversationEvent, GatheredMessage, Trace } from '@parley/jobs';
import type { Deps } from './deps.ts';
import { applyEvents, type RejectionCode } from './apply-events.ts';
import type { ReportedEvent } from '../conversation-model/conversation.ts';
import { eventKey, type ConversationEventRow } from './event-rows.ts';
import { parseHttpEvent, parseQueuedEvent } from '../conversation-model/parse-events.ts';
import type { eventBatch, NoticeCode } from './schemas.ts';
import { sendWakeUps } from './write-conversations.ts';

interface Rejected {
  readonly index: number;
  readonly code: string;
  readonly message: string;
}

type ApplyDeps = Parameters<typeof applyEvents>[0] & Pick<Deps, 'pool'>;

/** Applies a batch, sends its wake-ups and returns the answer. */
export async function acceptEvents(
  deps: ApplyDeps & Pick<Deps, 'outbox' | 'deliveryEnqueuer' | 'feedNotifier' | 'countEvents'>,
  ...batch: Batch
) {
  return completeBatch(deps, await applyBatch(deps, ...batch));
}

/** Sends the wake-ups of a committed batch, counts it and returns its answer. */
export function completeBatch(
  deps: Pick<Deps, 'outbox' | 'deliveryEnqueuer' | 'feedNotifier' | 'countEvents'>,
  { answer, counts, wakeUps }: AppliedBatch,
): AppliedBatch['answer'] {
  if (wakeUps) sendWakeUps(deps, wakeUps);
  deps.countEvents(counts);
  return answer;
}

interface BatchOptions {
  readonly doubts?: BodyDoubts;
  /** The transaction to apply it in. Default: one of its own. */
  readonly sql?: Sql;
}
type Batch = [caller: Caller, events: readonly unknown[], trace: Trace, options?: BatchOptions];
const NO_LOSS: BodyDoubts = { mayBeRefused: true, lost: [] };
export type AppliedBatch = Awaited<ReturnType<typeof applyBatch>>;

export const listEvents = (body: z.output<typeof eventBatch>): readonly unknown[] =>
  Array.isArray(body) ? body : body.events;

/** Validates each event by itself and applies the valid ones together. Returns plain data. */
export async function applyBatch(
  deps: ApplyDeps,
  ...[caller, events, { requestId, traceparent }, { doubts = NO_LOSS, sql } = {}]: Batch
) {
  const { organizationId } = caller;
  const trace = { requestId, traceparent };
  const nowMs = deps.clock();
  const rows: ConversationEventRow[] = [];
  /** Index of each row's event. */
  const places: number[] = [];
  const rejected: Rejected[] = [];
  const mended: number[] = [];
  const lost = groupProblems(doubts);
  events.forEach((raw, index) => {
    const { parsed, wasMended } = parseHttpEvent(raw, nowMs, doubts.mayBeRefused, lost.get(index));
    if (!parsed.ok) return void rejected.push({ index, code: parsed.code, message: parsed.message });
    places.push(index);
    if (wasMended) mended.push(index);
    rows.push({ organizationId, event: parsed.event, data: parsed.data, trace });
  });
  const none = {
    added: new Set<string>(),
    rejections: new Map<string, RejectionCode>(),
    ignored: new Set<string>(),
    wakeUps: undefined,
  };
  const apply = (within: Sql) => applyEvents(deps, within, rows, caller.botIds);
  const { added, rejections, ignored, wakeUps } =
    rows.length === 0 ? none : await (sql ? apply(sql) : inTransaction(deps.pool, apply));
  const isNew = new Set(added);
  const repeated: number[] = [];
  const notices: Notice[] = [];
  rows.forEach(({ event }, row) => {
    const key = eventKey(organizationId, event.id);
    const code = rejections.get(key);
    if (code)
      rejected.push({
        index: places[row]!,
        code: codes[code].voice,
        message: REJECTION_MESSAGES[code](event),
      });
    else if (!isNew.delete(key)) repeated.push(places[row]!);
    else notices.push(...toNotices(rows[row]!, places[row]!, ignored.has(key)));
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
  return { answer, counts, wakeUps };
}

interface Notice {
  readonly index: number;
  readonly code: NoticeCode;
  readonly message: string;
}

/** Reports how an accepted event differs from what its reporter sent. */
function toNotices({ event, data }: ConversationEventRow, index: number, isIgnored: boolean): Notice[] {
  const { end_reason: given } = data;
  const isMapped = event.type === 'conversation.ended' && given != null && given !== event.end.reason;
  return [
    ...(isIgnored ? [{ index, code: 'IGNORED', message: IGNORED } as const] : []),
    ...(isMapped ? [{ index, code: 'END_REASON_MAPPED', message: END_REASON_MAPPED } as const] : []),
  ];
}

const IGNORED =
  'The event is stored but changes nothing: it is too late, or another event of its type takes precedence.';
const END_REASON_MAPPED = 'end_reason is "other"; end_detail has the given reason.';

/**
 * Problems found while parsing the body, by event.
 * @throws AppError invalid_request when one is outside the events
 */
function groupProblems({ lost }: BodyDoubts): ReadonlyMap<number, FieldProblem[]> {
  const byEvent = new Map<number, FieldProblem[]>();
  for (const problem of lost) {
    const [, index, path = ''] = /^(?:\/events)?\/(\d+)(\/.*)?$/s.exec(problem.path) ?? [];
    if (index === undefined)
      throw new AppError('invalid_request', 'the body cannot be accepted', { fields: lost });
    byEvent.set(Number(index), [...(byEvent.get(Number(index)) ?? []), { ...problem, path }]);
  }
  return byEvent;
}

const REJECTION_MESSAGES: Readonly<Record<RejectionCode, (event: ReportedEvent) => string>> = {
  conversation_too_large: ({ conversationId }) =>
    `Conversation "${conversationId}" has reached its size limit and accepts no further turns.`,
  conversation_deleted: ({ conversationId }) =>
    `Conversation "${conversationId}" was deleted and accepts no further events.`,
  bot_not_of_key: () =>
    'The event belongs to none of the bots of the key. Set the bot_id of its conversation.',
};

/** Applies gathered messages. Returns an error for each message that is not valid. */
export async function acceptMessages(
  deps: Pick<
    Deps,
    'clock' | 'ids' | 'outbox' | 'config' | 'deliveryEnqueuer' | 'feedNotifier' | 'countEvents' | 'log'
  >,
  sql: Sql,
  messages: readonly GatheredMessage<ConversationEvent>[],
): Promise<(AppError | undefined)[]> {
  const rows: ConversationEventRow[] = [];
  /** Index of each row's message. */
  const places: number[] = [];
  const errors = messages.map(({ payload, context }, index) => {
    const { organizationId, requestId, traceparent } = context;
    const parsed = parseQueuedEvent(payload, deps.clock());
    if (!parsed.ok) return new AppError('invalid_request', parsed.message);
    rows.push({ organizationId, event: parsed.event, data: parsed.data, trace: { requestId, traceparent } });
    places.push(index);
    return undefined;
  });
  const { added, rejections, wakeUps } = await applyEvents(deps, sql, rows);
  rows.forEach(({ event }, row) => {
    const code = rejections.get(eventKey(rows[row]!.organizationId, event.id));
    if (code) errors[places[row]!] = new AppError(code, REJECTION_MESSAGES[code](event));
  });
  const rejected = errors.filter((error) => error !== undefined).length;
  const accepted = added.size;
  const counts = { accepted, duplicates: messages.length - rejected - accepted, rejected };
  messages[0]?.context.afterCommit(() => {
    sendWakeUps(deps, wakeUps);
    deps.countEvents(counts);
    deps.log.info(counts, 'events.taken');
  });
  return errors;
}
