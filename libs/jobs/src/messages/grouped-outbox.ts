// Writes messages of a hot path in groups: concurrent calls share one INSERT and COMMIT. That is
// four times the throughput of ten connections that commit alone
// (docs/performance.md#group-commit).
import type pg from 'pg';
import { sqlOf } from '@parley/server/postgres';
import { createGroupCommit } from '@parley/server/runtime';
import { isUnsendable, type OutboxRow } from './envelope.ts';
import { insertMessages, type Outbox, type OutgoingMessage } from './outbox.ts';

export interface GroupedOutbox {
  /**
   * Resolves with the ids once the messages are committed, and enqueues their jobs. The messages of
   * one call are committed together, without dropped ones.
   * @throws AppError unavailable when too much waits; the error of Postgres when it is away.
   */
  send(messages: readonly OutgoingMessage[]): Promise<readonly string[]>;
  /** Waits until everything is written. Do not send after it. */
  close(): Promise<void>;
}

export interface GroupedOutboxOptions {
  readonly pool: pg.Pool;
  readonly outbox: Outbox;
  /**
   * Called for a message that can never be sent; the others of its call are sent. Default: the call
   * fails.
   */
  readonly dropped?: (message: OutgoingMessage, why: unknown) => void;
}

/**
 * Weight of one INSERT. Throughput is flat from 500 rows on, and larger groups delay their first
 * caller.
 */
const GROUP_WEIGHT_MAX = 500;
/**
 * A row weighs 1, plus 1 for each of these: a group is at most 500 rows and 2 MiB, unless one row
 * is larger.
 */
const BYTES_PER_WEIGHT = 4_096;
/** Groups written concurrently: one commits while the other is sent. */
const WRITERS_MAX = 2;
/**
 * Weight that may wait: at most 80 MB. Further callers are refused, so that an outage cannot fill
 * the memory.
 */
const WAITING_WEIGHT_MAX = 20_000;

export function createGroupedOutbox({ pool, outbox, dropped }: GroupedOutboxOptions): GroupedOutbox {
  const sql = sqlOf(pool);
  const sending = new Set<Promise<unknown>>();
  let closed = false;
  const group = createGroupCommit<readonly OutboxRow[]>({
    groupMax: GROUP_WEIGHT_MAX,
    measureWeight: (rows) =>
      rows.reduce((sum, { payload }) => sum + 1 + Math.floor(payload.length / BYTES_PER_WEIGHT), 0),
    writersMax: WRITERS_MAX,
    waitingMax: WAITING_WEIGHT_MAX,
    write: async (calls) => {
      const rows = await insertMessages(sql, calls.flat()); // one statement is one transaction
      void outbox.enqueueJobs({ ids: rows.map((row) => row.id), rows });
    },
  });

  async function send(messages: readonly OutgoingMessage[]): Promise<readonly string[]> {
    if (closed) throw new Error('the grouped outbox is closed');
    if (messages.length === 0) return [];
    const rows = await prepare(messages);
    if (rows.length > 0) await group.add(rows);
    return rows.map((row) => row.id);
  }

  async function prepare(messages: readonly OutgoingMessage[]): Promise<OutboxRow[]> {
    try {
      return await outbox.prepare(messages);
    } catch (error) {
      if (!dropped || !isUnsendable(error)) throw error;
      const [message, ...others] = messages;
      if (others.length > 0) return (await Promise.all(messages.map((one) => prepare([one])))).flat();
      dropped(message!, error);
      return [];
    }
  }

  return {
    send: async (messages) => {
      const one = send(messages);
      sending.add(one);
      try {
        return await one;
      } finally {
        sending.delete(one);
      }
    },
    close: async () => {
      closed = true;
      await Promise.allSettled(sending);
    },
  };
}
