// Messages of a hot path, written in groups: calls of the same few milliseconds share one INSERT and one COMMIT, which is four times
// the throughput of ten connections that each commit for themselves (docs/performance.md#group-commit).
import type pg from 'pg';
import { sqlOf } from '@parley/postgres';
import { createGroupCommit } from '../work/group-commit.ts';
import { isUnsendable, type OutboxRow } from './envelope.ts';
import { insertMessages, type Outbox, type Outgoing } from './outbox.ts';

export interface GroupedOutbox {
  /**
   * Resolves with the messages' ids once they are committed; the queue is rung by itself. Messages of one call are committed
   * together, without those that are dropped.
   * @throws AppError unavailable when too much waits to be written; what Postgres says when it is away.
   */
  send(messages: readonly Outgoing[]): Promise<readonly string[]>;
  /** Waits until everything is written. Nothing may be sent any more. */
  close(): Promise<void>;
}

export interface GroupedOutboxOptions {
  readonly pool: pg.Pool;
  readonly outbox: Outbox;
  /** Told of a message that can never be sent; the others of its call go. Without it the call fails. */
  readonly dropped?: (message: Outgoing, why: unknown) => void;
}

/** Rows in one INSERT: throughput is flat from here on, and the first caller of a group need not wait for more. */
const GROUP_ROWS_MAX = 500;
/** Groups being written at once: one commits while the other is sent. */
const WRITERS_MAX = 2;
/** Rows that wait to be written; with Postgres away callers are refused instead of filling the memory. */
const WAITING_ROWS_MAX = 20_000;

export function createGroupedOutbox({ pool, outbox, dropped }: GroupedOutboxOptions): GroupedOutbox {
  const sql = sqlOf(pool);
  const sending = new Set<Promise<unknown>>();
  let closed = false;
  const group = createGroupCommit<readonly OutboxRow[]>({
    groupMax: GROUP_ROWS_MAX,
    weightOf: (rows) => rows.length,
    writersMax: WRITERS_MAX,
    waitingMax: WAITING_ROWS_MAX,
    write: async (calls) => {
      const rows = calls.flat();
      await insertMessages(sql, rows); // one statement is one transaction
      void outbox.ring({ ids: rows.map((row) => row.id), rows });
    },
  });

  async function send(messages: readonly Outgoing[]): Promise<readonly string[]> {
    if (closed) throw new Error('the grouped outbox is closed');
    if (messages.length === 0) return [];
    const rows = await prepare(messages);
    if (rows.length > 0) await group.add(rows);
    return rows.map((row) => row.id);
  }

  async function prepare(messages: readonly Outgoing[]): Promise<OutboxRow[]> {
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
