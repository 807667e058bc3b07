// Messages of a hot path, written in groups: calls of the same few milliseconds share one INSERT and one COMMIT, which is
// four times the throughput of ten connections that each commit for themselves (research: PostgreSQL). Called by the turn
// execution of the flow builder.
import type pg from 'pg';
import { AppError } from '@parley/envelopes';
import { sqlOf } from '@parley/postgres';
import type { OutboxRow } from './envelope.ts';
import { insertMessages, type Outbox, type Outgoing } from './outbox.ts';

export interface GroupedOutbox {
  /**
   * Resolves with the messages' ids once they are committed; the bell rings by itself. Messages of one call are committed
   * together.
   * @throws AppError unavailable when too much waits to be written; what Postgres says when it is away.
   */
  send(messages: readonly Outgoing[]): Promise<readonly string[]>;
  /** Waits until everything is written. Nothing may be sent any more. */
  close(): Promise<void>;
}

export interface GroupedOutboxOptions {
  readonly pool: pg.Pool;
  readonly outbox: Outbox;
}

/** Rows in one INSERT: throughput is flat from here on, and the first caller of a group need not wait for more. */
const GROUP_ROWS_MAX = 500;
/** Groups being written at once: one commits while the other is sent. */
const WRITERS_MAX = 2;
/** Rows that wait to be written; with Postgres away callers are refused instead of filling the memory. */
const WAITING_ROWS_MAX = 20_000;

interface Waiting {
  readonly rows: readonly OutboxRow[];
  readonly written: () => void;
  readonly failed: (error: unknown) => void;
}

export function createGroupedOutbox({ pool, outbox }: GroupedOutboxOptions): GroupedOutbox {
  const sql = sqlOf(pool);
  const waiting: Waiting[] = [];
  const sending = new Set<Promise<unknown>>();
  let waitingRows = 0;
  let writers = 0;
  let closed = false;

  function takeGroup(): Waiting[] {
    const group: Waiting[] = [];
    let rows = 0;
    while (waiting[0] && (rows === 0 || rows + waiting[0].rows.length <= GROUP_ROWS_MAX)) {
      const [next] = waiting.splice(0, 1) as [Waiting];
      rows += next.rows.length;
      group.push(next);
    }
    waitingRows -= rows;
    return group;
  }

  /** Whoever calls while both writers are busy joins the next group: under load groups grow, at rest nobody waits. */
  function write(): void {
    while (writers < WRITERS_MAX && waiting.length > 0) {
      writers += 1;
      void writeGroup(takeGroup()).finally(() => {
        writers -= 1;
        write();
      });
    }
  }

  async function writeGroup(group: readonly Waiting[]): Promise<void> {
    const rows = group.flatMap((one) => one.rows);
    try {
      await insertMessages(sql, rows); // one statement is one transaction
    } catch (error) {
      for (const one of group) one.failed(error);
      return;
    }
    for (const one of group) one.written();
    void outbox.ring({ ids: rows.map((row) => row.id), rows });
  }

  async function send(messages: readonly Outgoing[]): Promise<readonly string[]> {
    if (closed) throw new Error('the grouped outbox is closed');
    if (waitingRows + messages.length > WAITING_ROWS_MAX) {
      throw new AppError('unavailable', 'too many messages wait to be written', {
        headers: { 'Retry-After': '1' },
      });
    }
    if (messages.length === 0) return [];
    waitingRows += messages.length;
    const rows = await outbox.prepare(messages).catch((error: unknown) => {
      waitingRows -= messages.length;
      throw error;
    });
    const committed = new Promise<void>((written, failed) => waiting.push({ rows, written, failed }));
    setImmediate(write); // whoever calls in this turn of the event loop shares the group
    await committed;
    return rows.map((row) => row.id);
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
