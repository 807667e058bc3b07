// The producer's side of a message to another service: a row in the caller's transaction, a job after its commit, and the row
// stays until the consumer acknowledges it (docs/platform.md#messages-between-services). The outbox is a work table whose rows
// nobody leases: the consumer's inbox keeps an effect from happening twice.
import type pg from 'pg';
import type { Sql } from '@parley/postgres';
import type { Clock, Ids, Sealer } from '@parley/runtime';
import {
  contracts,
  isContractName,
  type ContractName,
  type Party,
  type PayloadInput,
  type Service,
} from './contracts.ts';
import { messageKind, packPayload, ringOf, type OutboxRow, type Trace } from './envelope.ts';
import type { MessageKeys, PairKeys } from './message-keys.ts';
import type { Queues } from '../queues.ts';
import { RING_AGAIN_AFTER_MS, RING_FOR_MS } from '../work/ring.rules.ts';
import { createWorkTable, type WorkTable } from '../work/work-table.ts';

/** A message to send; `payload` is typed by `contract`. */
export type Outgoing = {
  [Name in ContractName]: {
    readonly contract: Name;
    readonly organizationId: string;
    readonly payload: PayloadInput<Name>;
    readonly trace?: Trace;
  };
}[ContractName];

/** Messages that are written, and may be rung for once their transaction has committed. */
export interface Enqueued {
  readonly ids: readonly string[];
  readonly rows: readonly OutboxRow[];
}

export interface Outbox {
  readonly service: Service;
  /**
   * Writes messages on the caller's connection, with one statement however many they are. They exist if, and only if,
   * the caller's transaction commits; then call `ring`.
   * @throws Error when a payload is not what its contract says, or the contract is not this service's to produce.
   */
  enqueue(sql: Sql, messages: readonly Outgoing[]): Promise<Enqueued>;
  /** Rings for committed messages; false when the engine is away, and the sweeper will do it. Never throws. */
  ring(enqueued: Enqueued): Promise<boolean>;
  /** The rows of messages that are not written yet; for the grouped outbox. */
  prepare(messages: readonly Outgoing[]): Promise<OutboxRow[]>;
  /** Waits for the bells that are being rung. */
  close(): Promise<void>;
}

export interface OutboxOptions {
  readonly service: Service;
  readonly pool: pg.Pool;
  readonly queues: Queues;
  /** Seals under QUEUE_KEY. */
  readonly sealer: Sealer;
  readonly messageKeys: MessageKeys;
  readonly ids: Ids;
  readonly clock: Clock;
}

/** Rows a transaction of the sweeper holds while it rings for them, and bytes of their payloads: each may have 1 MiB. */
const SWEEP_ROWS_MAX = 50;
const SWEEP_BYTES = { of: 'octet_length(payload)', max: 4 * 1024 * 1024 };
/** Transactions in one round; a larger backlog goes on in the next round. */
const SWEEP_BATCHES_MAX = 200;

/** Made for a round or a ring, since it signs with the keys of that moment. */
export function outboxTable(
  { pool, queues, clock }: Pick<OutboxOptions, 'pool' | 'queues' | 'clock'>,
  keys: PairKeys,
): WorkTable<OutboxRow> {
  return createWorkTable<OutboxRow>({
    table: 'outbox',
    columns: { dueAt: 'created_at' },
    select: 'organization_id, contract, payload, request_id, traceparent',
    jobsOf: (rows) =>
      rows.flatMap((row) =>
        // A contract that is not known here was written by a newer version, and is left to it.
        isContractName(row.contract)
          ? [
              {
                kind: messageKind(row.contract),
                ring: ringOf({ ...row, contract: row.contract }, keys),
                rows: [row],
              },
            ]
          : [],
      ),
    pool,
    queues,
    clock,
    leased: false,
    ringForMs: RING_FOR_MS,
    sweepBytes: SWEEP_BYTES,
    sweepRowsMax: SWEEP_ROWS_MAX,
    sweepBatchesMax: SWEEP_BATCHES_MAX,
  });
}

/** What writes messages, and rings for none. */
export function createOutboxWriter({
  service,
  sealer,
  ids,
  clock,
}: Pick<OutboxOptions, 'service' | 'sealer' | 'ids' | 'clock'>): Pick<Outbox, 'prepare' | 'enqueue'> {
  async function prepareOne(message: Outgoing): Promise<OutboxRow> {
    const { contract, organizationId, trace = {} } = message;
    const producers: readonly Party[] = contracts[contract].producers;
    if (!producers.includes(service)) throw new Error(`${service} does not produce ${contract}`);
    const id = ids('msg');
    return {
      id,
      organization_id: organizationId,
      contract,
      payload: await packPayload(message, id, sealer),
      request_id: trace.requestId ?? null,
      traceparent: trace.traceparent ?? null,
      rings: 0,
      dueAt: new Date(clock()),
    };
  }
  const prepare = (messages: readonly Outgoing[]) => Promise.all(messages.map(prepareOne));
  return {
    prepare,
    enqueue: async (sql, messages) => {
      const rows = await prepare(messages);
      await insertMessages(sql, rows);
      return { ids: rows.map((row) => row.id), rows };
    },
  };
}

export function createOutbox(options: OutboxOptions): Outbox {
  const { service, messageKeys } = options;
  const ringing = new Set<Promise<unknown>>();

  async function ring(rows: readonly OutboxRow[]): Promise<boolean> {
    const rung = await outboxTable(options, await messageKeys.current()).ring(rows);
    return rung.length === rows.length;
  }

  return {
    service,
    ...createOutboxWriter(options),
    ring: async ({ rows }) => {
      const bell = ring(rows).catch(() => false); // its keys cannot be read: the sweeper says so, and rings again
      ringing.add(bell);
      const rung = await bell;
      ringing.delete(bell);
      return rung;
    },
    close: async () => {
      await Promise.all(ringing);
    },
  };
}

/**
 * Stands in no payload: JSON writes control characters as escapes, and a sealed text has none. In an array each quote of each payload
 * would be escaped, which takes longer than writing the JSON.
 */
const RECORD_SEPARATOR = '\x1e';

/** Writes rows with one statement. */
export async function insertMessages(sql: Sql, rows: readonly OutboxRow[]): Promise<void> {
  if (rows.length === 0) return;
  await sql(
    `INSERT INTO outbox
       (id, organization_id, contract, payload, request_id, traceparent, rings, created_at, next_ring_at)
     SELECT id, organization_id, contract, payload, request_id, traceparent, 0, created_at,
            created_at + $8::int * interval '1 millisecond'
     FROM unnest($1::text[], $2::text[], $3::text[], string_to_array($4, E'\\x1e'), $5::text[], $6::text[], $7::timestamptz[])
       AS message (id, organization_id, contract, payload, request_id, traceparent, created_at)`,
    [
      rows.map((row) => row.id),
      rows.map((row) => row.organization_id),
      rows.map((row) => row.contract),
      rows.map((row) => row.payload).join(RECORD_SEPARATOR),
      rows.map((row) => row.request_id),
      rows.map((row) => row.traceparent),
      rows.map((row) => row.dueAt),
      RING_AGAIN_AFTER_MS,
    ],
  );
}
