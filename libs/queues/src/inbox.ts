// The consumer's side of a message from another service: its effect and the memory of it are one transaction, then it is
// acknowledged (platform §2). Called by the worker.ts of every service that consumes a contract.
import type pg from 'pg';
import { AppError } from '@parley/envelopes';
import { inTransaction, sqlOf, type Sql } from '@parley/postgres';
import { ignoreFailure, type Clock, type Ids, type Log, type Sealer } from '@parley/runtime';
import { createAcks } from './acks.ts';
import { contracts, type ContractName, type Payload, type Service } from './contracts.ts';
import { envelope, unpackPayload, type Envelope, type Trace } from './envelope.ts';
import type { Queues } from './queues.ts';
import { INBOX_KEPT_MS, isTooOld } from './ring.rules.ts';
import { repeat } from './timing.ts';
import { MalformedJob, parseOrMalformed, type JobContext, type Route } from './worker.ts';

/** What an effect is told beside the payload. */
export interface MessageContext extends Trace {
  readonly messageId: string;
  readonly organizationId: string;
  /** Absent for a message that was added to the queue directly. */
  readonly producer?: Service | undefined;
  /** From 1: grows when our side failed. */
  readonly attempt: number;
  readonly signal: AbortSignal;
  /** Runs once the effect is committed: to ring for rows that it wrote. A failure is logged and goes no further. */
  afterCommit(work: () => unknown): void;
}

/**
 * Applies one message on the connection of its transaction.
 * To refuse, throw an AppError: what was written is rolled back, and the message is done. Any other error is ours: the
 * message comes again.
 */
export type Effect<Name extends ContractName> = (
  sql: Sql,
  payload: Payload<Name>,
  context: MessageContext,
) => Promise<unknown>;

export interface Inbox {
  /** The route of one contract, for `queues.worker`. */
  consume<Name extends ContractName>(contract: Name, effect: Effect<Name>): Route;
  /** Sends the acknowledgements that are collected. Close the workers first. */
  close(): Promise<void>;
}

export interface InboxOptions {
  readonly service: Service;
  readonly pool: pg.Pool;
  readonly queues: Queues;
  /** Opens what was sealed under QUEUE_KEY. */
  readonly sealer: Sealer;
  readonly ids: Ids;
  readonly clock: Clock;
  readonly log: Log;
}

export function createInbox(options: InboxOptions): Inbox {
  const { service, pool, queues, sealer, ids, clock, log } = options;
  const acks = createAcks(queues, ids);
  const trimming = repeat(
    { everyMs: TRIM_EVERY_MS, firstAfterMs: TRIM_EVERY_MS, name: 'inbox.trim', log },
    () => trimInbox(sqlOf(pool), clock()),
  );

  async function apply<Name extends ContractName>(
    contract: Name,
    effect: Effect<Name>,
    data: unknown,
    job: JobContext,
  ): Promise<'done' | 'repeated' | 'refused'> {
    const message = parseOrMalformed(envelope, data);
    const payload = await unpackPayload(contract, message, sealer);
    const { producer, created_at_ms: createdAtMs } = message;
    if (producer && (createdAtMs === undefined || isTooOld(createdAtMs, clock()))) {
      throw new MalformedJob(['created_at_ms is too long ago to know whether the message was applied']);
    }
    const afterCommit: (() => unknown)[] = [];
    const context = contextOf(message, job, afterCommit);
    const remember = (sql: Sql) => rememberMessage(sql, contract, message, new Date(clock()));

    let outcome: 'done' | 'repeated' | 'refused';
    try {
      outcome = await inTransaction(pool, async (sql) => {
        if (!(await remember(sql))) return 'repeated';
        await effect(sql, payload, context);
        return 'done';
      });
    } catch (error) {
      if (!isRefusal(error)) throw error;
      log.info({ err: error, message_id: message.id, contract }, 'message.refused');
      await remember(sqlOf(pool));
      outcome = 'refused';
    }
    if (producer) acks.add(producer, message.id);
    if (outcome === 'done') {
      for (const work of afterCommit) await ignoreFailure(Promise.resolve().then(work), 'after commit', log);
    }
    return outcome;
  }

  return {
    consume: (contract, effect) => {
      const { consumer, queue, timeoutMs } = contracts[contract];
      if (consumer !== service) throw new Error(`${service} does not consume ${contract}`);
      return { name: contract, queue, timeoutMs, run: (data, job) => apply(contract, effect, data, job) };
    },
    close: async () => {
      await trimming.close();
      await acks.close();
    },
  };
}

function contextOf(message: Envelope, job: JobContext, afterCommit: (() => unknown)[]): MessageContext {
  return {
    messageId: message.id,
    organizationId: message.organization_id,
    producer: message.producer,
    requestId: message.request_id,
    traceparent: message.traceparent,
    attempt: job.attempt,
    signal: job.signal,
    afterCommit: (work) => void afterCommit.push(work),
  };
}

/** A use case's refusal is the domain's answer. `internal` and `unavailable` are not: they are our failure. */
function isRefusal(error: unknown): boolean {
  return error instanceof AppError && error.status < 500;
}

/**
 * True when the message is new here. While another transaction applies the same message, this waits for its end.
 * A message that was added directly is not remembered: nobody rings for it again, and its id is not ours.
 */
async function rememberMessage(
  sql: Sql,
  contract: ContractName,
  message: Envelope,
  now: Date,
): Promise<boolean> {
  if (!message.producer) return true;
  const added = await sql(
    `INSERT INTO inbox (message_id, contract, producer, received_at) VALUES ($1, $2, $3, $4)
     ON CONFLICT (message_id) DO NOTHING RETURNING message_id`,
    [message.id, contract, message.producer, now],
  );
  return added.length > 0;
}

/** Keeps up with 8,000 messages a second, in statements that each take milliseconds. */
const TRIM_EVERY_MS = 60_000;
const TRIM_ROWS_MAX = 5_000;
const TRIM_BATCHES_MAX = 100;

/** Forgets effects that no ring can ask for any more (ring.rules.ts). Gives how many rows went. */
export async function trimInbox(sql: Sql, nowMs: number): Promise<number> {
  let gone = 0;
  for (let batch = 0; batch < TRIM_BATCHES_MAX; batch += 1) {
    const trimmed = await sql(
      `DELETE FROM inbox WHERE message_id IN
         (SELECT message_id FROM inbox WHERE received_at < $1 ORDER BY received_at LIMIT $2 FOR UPDATE SKIP LOCKED)
       RETURNING 1 AS one`,
      [new Date(nowMs - INBOX_KEPT_MS), TRIM_ROWS_MAX],
    );
    gone += trimmed.length;
    if (trimmed.length < TRIM_ROWS_MAX) break;
  }
  return gone;
}
