// The producer's side of a message to another service: a row in the caller's transaction, a bell after its commit, and
// the row stays until the consumer acknowledges it (platform §2). Called by use cases; sweep-outbox.ts rings again.
import type { Sql } from '@parley/postgres';
import type { Clock, Ids, Sealer } from '@parley/runtime';
import {
  contracts,
  isContractName,
  type ContractName,
  type PayloadInput,
  type Service,
} from './contracts.ts';
import { messageKind, packPayload, ringOf, type OutboxRow, type Trace } from './envelope.ts';
import type { Queues } from '../queues.ts';
import { RING_AGAIN_AFTER_MS } from '../ring.rules.ts';

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
  readonly queues: Queues;
  /** Seals under QUEUE_KEY. */
  readonly sealer: Sealer;
  readonly ids: Ids;
  readonly clock: Clock;
}

export function createOutbox({ service, queues, sealer, ids, clock }: OutboxOptions): Outbox {
  const ringing = new Set<Promise<unknown>>();

  async function prepareOne(message: Outgoing): Promise<OutboxRow> {
    const { contract, organizationId, trace = {} } = message;
    const producers: readonly Service[] = contracts[contract].producers;
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
      created_at: new Date(clock()),
    };
  }
  const prepare = (messages: readonly Outgoing[]) => Promise.all(messages.map(prepareOne));

  return {
    service,
    prepare,
    enqueue: async (sql, messages) => {
      const rows = await prepare(messages);
      await insertMessages(sql, rows);
      return { ids: rows.map((row) => row.id), rows };
    },
    ring: async ({ rows }) => {
      const bell = ringRows(queues, service, rows);
      ringing.add(bell);
      const rung = await bell;
      ringing.delete(bell);
      return rung.length === rows.length;
    },
    close: async () => {
      await Promise.all(ringing);
    },
  };
}

/** Writes rows with one statement. */
export async function insertMessages(sql: Sql, rows: readonly OutboxRow[]): Promise<void> {
  if (rows.length === 0) return;
  await sql(
    `INSERT INTO outbox
       (id, organization_id, contract, payload, request_id, traceparent, rings, created_at, next_ring_at)
     SELECT id, organization_id, contract, payload, request_id, traceparent, 0, created_at,
            created_at + $8::int * interval '1 millisecond'
     FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::timestamptz[])
       AS message (id, organization_id, contract, payload, request_id, traceparent, created_at)`,
    [
      rows.map((row) => row.id),
      rows.map((row) => row.organization_id),
      rows.map((row) => row.contract),
      rows.map((row) => row.payload),
      rows.map((row) => row.request_id),
      rows.map((row) => row.traceparent),
      rows.map((row) => row.created_at),
      RING_AGAIN_AFTER_MS,
    ],
  );
}

/** Rings for rows under their present ring number, and gives back those for which the engine took the job. */
export async function ringRows(
  queues: Queues,
  service: Service,
  rows: readonly OutboxRow[],
): Promise<readonly OutboxRow[]> {
  const rung: OutboxRow[] = [];
  for (const contract of new Set(rows.map((row) => row.contract))) {
    if (!isContractName(contract)) continue;
    const ofContract = rows.filter((row) => row.contract === contract);
    const rings = ofContract.map((row) => ringOf(row, service));
    if (await queues.producer(messageKind(contract)).ring(rings)) rung.push(...ofContract);
  }
  return rung;
}
