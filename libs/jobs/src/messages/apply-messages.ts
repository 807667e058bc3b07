// Applies messages once: the effect and the row of the table `inbox` commit in one transaction. A
// row is the id of a message whose effect is committed or will never be.
import type pg from 'pg';
import { AppError } from '@parley/envelopes';
import { inBatches, inTransaction, sqlOf, type Sql } from '@parley/server/postgres';
import { ignoreFailure, type Clock, type Log } from '@parley/server/runtime';
import type { Span } from '@parley/server/tracing';
import { takeReleased } from '../isolation/isolate-message.ts';
import type { Queues } from '../queues.ts';
import { INBOX_RETENTION_MS } from '../reenqueue.rules.ts';
import type { Acks } from './acks.ts';
import { isContractName, type ContractName, type Payload, type Service } from './contracts.ts';
import { messageKind, renewMessage, type Envelope, type Trace } from './envelope.ts';
import type { PairKeys } from './message-keys.ts';

/** What an effect gets besides the payload. */
export interface MessageContext extends Trace {
  readonly messageId: string;
  /** When its row was written; now for a message that was added to the queue directly. */
  readonly createdAtMs: number;
  readonly organizationId: string;
  /** Absent for a message that was added to the queue directly. */
  readonly producer?: Service | undefined;
  /** From 1; grows when our side fails. */
  readonly attempt: number;
  readonly signal: AbortSignal;
  /** Runs after the commit, for example to enqueue jobs. A failure is logged only. */
  afterCommit(work: () => unknown): void;
}

/**
 * Applies one message on the connection of its transaction.
 * To refuse it, throw an AppError: the transaction rolls back and the message is done. After any
 * other error the message is retried.
 */
export type Effect<Name extends ContractName> = (
  sql: Sql,
  payload: Payload<Name>,
  context: MessageContext,
) => Promise<unknown>;

/** One of the messages that share a transaction. */
export interface GatheredMessage<Content> {
  readonly payload: Content;
  readonly context: MessageContext;
}

/**
 * Applies concurrent messages in one transaction. Returns for each a refusal (what `Effect` would
 * throw) or undefined; write nothing for a refused message. If it throws, all roll back and each is
 * retried in a transaction of its own.
 */
export type GatheredEffect<Name extends ContractName> = (
  sql: Sql,
  messages: readonly GatheredMessage<Payload<Name>>[],
) => Promise<readonly (AppError | undefined)[]>;

export type AppliedMessage = 'done' | 'repeated' | 'refused';

export interface OpenedMessage<Name extends ContractName> {
  readonly message: Envelope;
  readonly payload: Payload<Name>;
  readonly context: MessageContext;
  readonly afterCommit: readonly (() => unknown)[];
  /** Undefined where the trace of the message is not recorded. */
  readonly span: Span | undefined;
}

/** What applying needs of an inbox. */
interface Applier {
  readonly pool: pg.Pool;
  readonly clock: Clock;
  readonly log: Log;
  readonly acks: Acks;
}

export async function apply<Name extends ContractName>(
  inbox: Applier,
  contract: Name,
  effect: Effect<Name>,
  { message, payload, context, afterCommit }: OpenedMessage<Name>,
): Promise<AppliedMessage> {
  const { pool, clock, log } = inbox;
  let outcome: AppliedMessage;
  try {
    outcome = await inTransaction(pool, async (sql) => {
      const fresh = await rememberMessages(sql, contract, [message], new Date(clock()));
      if (!fresh.has(message)) return 'repeated';
      await effect(sql, payload, context);
      return 'done';
    });
  } catch (error) {
    if (!isRefusal(error)) throw error;
    logRefusal(log, contract, message, error);
    await rememberMessages(sqlOf(pool), contract, [message], new Date(clock()));
    outcome = 'refused';
  }
  await conclude(inbox, message, outcome === 'done' ? afterCommit : [], outcome === 'refused');
  return outcome;
}

/** Applies several messages in one transaction. Returns their outcomes in order. */
export async function applyTogether<Name extends ContractName>(
  inbox: Applier,
  contract: Name,
  effect: GatheredEffect<Name>,
  opened: readonly OpenedMessage<Name>[],
): Promise<AppliedMessage[]> {
  const { pool, clock, log } = inbox;
  const { fresh, refusals } = await inTransaction(pool, async (sql) => {
    const messages = opened.map(({ message }) => message);
    const remembered = await rememberMessages(sql, contract, messages, new Date(clock()));
    const fresh = opened.filter(({ message }) => remembered.has(message));
    return { fresh, refusals: fresh.length > 0 ? await effect(sql, fresh) : [] };
  });
  const refused = new Map(fresh.map((one, index) => [one, refusals[index]]));
  const outcomes: AppliedMessage[] = [];
  for (const one of opened) {
    const refusal = refused.get(one);
    if (refusal) logRefusal(log, contract, one.message, refusal);
    // The effect may have registered work for the others before one was refused.
    await conclude(inbox, one.message, refused.has(one) ? one.afterCommit : [], refusal !== undefined);
    outcomes.push(refusal ? 'refused' : refused.has(one) ? 'done' : 'repeated');
  }
  return outcomes;
}

function logRefusal(log: Log, contract: ContractName, message: Envelope, error: unknown): void {
  log.info({ err: error, message_id: message.id, contract }, 'message.refused');
}

/** Called when the effect is committed or will never be. */
async function conclude(
  { acks, log }: Applier,
  { id, producer }: Envelope,
  afterCommit: readonly (() => unknown)[],
  isRefused: boolean,
): Promise<void> {
  if (producer) acks.add(producer, id, isRefused);
  for (const work of afterCommit) await ignoreFailure(Promise.resolve().then(work), 'after commit', log);
}

/**
 * A refusal of a use case is the answer of the domain. `internal` and `unavailable` are our
 * failures.
 */
function isRefusal(error: unknown): boolean {
  return error instanceof AppError && error.status < 500;
}

/**
 * Returns the messages that are new. Waits while another transaction applies one of them. Messages
 * that were added directly are not recorded: nothing re-enqueues them, and their ids are not ours.
 */
export async function rememberMessages(
  sql: Sql,
  contract: ContractName,
  messages: readonly Envelope[],
  now: Date,
): Promise<Set<Envelope>> {
  const fresh = new Set(messages.filter(({ producer }) => !producer));
  const remembered = new Map<string, Envelope>();
  for (const message of messages) {
    if (message.producer && !remembered.has(message.id)) remembered.set(message.id, message);
  }
  if (remembered.size === 0) return fresh;
  const added = await sql<{ message_id: string }>(
    `INSERT INTO inbox (message_id, contract, producer, received_at)
     SELECT message.id, $3, message.producer, $4 FROM unnest($1::text[], $2::text[]) AS message (id, producer)
     ORDER BY message.id
     ON CONFLICT (message_id) DO NOTHING RETURNING message_id`,
    [[...remembered.keys()], [...remembered.values()].map(({ producer }) => producer), contract, now],
  );
  for (const row of added) fresh.add(remembered.get(row.message_id)!);
  return fresh;
}

/** Keeps each statement at milliseconds. */
const TRIM_LIMITS = { rowsMax: 5_000, batchesMax: 100 };

/**
 * Deletes ids that nothing can re-enqueue any more (reenqueue.rules.ts). Returns the number of
 * rows.
 */
export async function trimInbox(sql: Sql, nowMs: number): Promise<number> {
  return inBatches(TRIM_LIMITS, (limit) =>
    sql(
      `DELETE FROM inbox WHERE message_id IN
         (SELECT message_id FROM inbox WHERE received_at < $1 ORDER BY received_at LIMIT $2 FOR UPDATE SKIP LOCKED)
       RETURNING 1 AS one`,
      [new Date(nowMs - INBOX_RETENTION_MS), limit],
    ),
  );
}

/** Released in one transaction: a message may hold 1 MiB. */
const RELEASED_MAX = 10;

/** Enqueues messages that an operator released as new ones. Replicas may run it concurrently. */
export async function enqueueReleased(
  pool: pg.Pool,
  queues: Queues,
  keys: PairKeys,
  nowMs: number,
): Promise<void> {
  await inTransaction(pool, async (sql) => {
    const rows = await takeReleased(sql, nowMs, RELEASED_MAX);
    await sql('DELETE FROM inbox WHERE message_id = ANY($1::text[])', [rows.map(({ id }) => id)]);
    for (const { id, contract, data } of rows) {
      if (!isContractName(contract)) throw new Error(`"${contract}" is a message of another release`);
      const message = renewMessage(contract, JSON.parse(data) as Envelope, keys, nowMs);
      const areEnqueued = await queues
        .producer(messageKind(contract))
        .enqueue([{ row: id, attempt: RELEASED_ATTEMPT, enqueueNumber: nowMs, payload: message }]);
      if (!areEnqueued) throw new Error('the queue engine is away: the messages stay until it is back');
    }
  });
}

/** The attempt in the job's id, which no job of the producer has. */
const RELEASED_ATTEMPT = 2;
