// The two ways in for conversation events: a request with 1 to 500 of them, and messages of the queue
// (docs/voice-api.md#conversation-events).
import { AppError } from '@parley/envelopes';
import type { Caller } from '@parley/http';
import { inTransaction, type Sql } from '@parley/postgres';
import type { ConversationEvent, GatheredMessage, Trace } from '@parley/queues';
import type { Deps } from '../deps.ts';
import { applyEvents } from './apply-events.ts';
import type { ConversationEventRow } from './event-rows.ts';
import { parseHttpEvent, parseQueuedEvent } from './event-schemas.ts';
import { ring } from './write-conversations.ts';

interface Rejected {
  readonly index: number;
  readonly code: string;
  readonly message: string;
}

/** Every event for itself: wrong ones are told, the others are applied together. */
export async function takeEvents(
  deps: Pick<Deps, 'pool' | 'clock' | 'ids' | 'outbox' | 'config' | 'deliveryBell' | 'countEvents'>,
  caller: Caller,
  events: readonly unknown[],
  { requestId, traceparent }: Trace,
) {
  const { organizationId } = caller;
  const trace = { requestId, traceparent };
  const nowMs = deps.clock();
  const rows: ConversationEventRow[] = [];
  const rejected: Rejected[] = [];
  events.forEach((raw, index) => {
    const parsed = parseHttpEvent(raw, nowMs);
    if (parsed.ok) rows.push({ organizationId, event: parsed.event, data: parsed.data, trace });
    else rejected.push({ index, code: parsed.code, message: parsed.message });
  });
  const accepted = rows.length === 0 ? 0 : await applyAndRing(deps, rows);
  const duplicates = rows.length - accepted;
  deps.countEvents({ accepted, duplicates, rejected: rejected.length });
  return { accepted, duplicates, rejected };
}

async function applyAndRing(
  deps: Parameters<typeof takeEvents>[0],
  rows: readonly ConversationEventRow[],
): Promise<number> {
  const { accepted, rings } = await inTransaction(deps.pool, (sql) => applyEvents(deps, sql, rows));
  ring(deps, rings);
  return accepted;
}

/**
 * Messages that came within the same moments, applied in the transaction that remembers them. Gives a refusal for each one that
 * says something impossible.
 */
export async function takeMessages(
  deps: Pick<Deps, 'clock' | 'ids' | 'outbox' | 'config' | 'deliveryBell' | 'countEvents' | 'log'>,
  sql: Sql,
  messages: readonly GatheredMessage<ConversationEvent>[],
): Promise<(AppError | undefined)[]> {
  const rows: ConversationEventRow[] = [];
  const refusals = messages.map(({ payload, context }) => {
    const { organizationId, requestId, traceparent } = context;
    const parsed = parseQueuedEvent(payload, deps.clock());
    if (!parsed.ok) return new AppError('invalid_request', parsed.message);
    rows.push({ organizationId, event: parsed.event, data: parsed.data, trace: { requestId, traceparent } });
    return undefined;
  });
  const { accepted, rings } = await applyEvents(deps, sql, rows);
  const rejected = messages.length - rows.length;
  const counts = { accepted, duplicates: rows.length - accepted, rejected };
  messages[0]?.context.afterCommit(() => {
    ring(deps, rings);
    deps.countEvents(counts);
    deps.log.info(counts, 'events.taken');
  });
  return refusals;
}
