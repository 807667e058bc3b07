// The producer's side of messages: a row in the caller's transaction, and a job after its commit.
// The row stays until the consumer acknowledges it (docs/platform.md#messages-between-services).
// The outbox is a work table without leases: the consumer's inbox prevents a second effect.
import type pg from 'pg';
import type { Sql } from '@parley/server/postgres';
import { deriveId, type Clock, type Ids, type Sealer } from '@parley/server/runtime';
import {
  contracts,
  isContractName,
  type ContractName,
  type ContractRow,
  type Party,
  type PayloadInput,
  type Service,
} from './contracts.ts';
import {
  messageKind,
  packPayload,
  toSharedJob,
  type KnownRow,
  type OutboxRow,
  type Trace,
} from './envelope.ts';
import type { MessageKeys, PairKeys } from './message-keys.ts';
import type { Queues } from '../queues.ts';
import { REENQUEUE_AFTER_MS, REENQUEUE_FOR_MS } from '../reenqueue.rules.ts';
import type { WorkJob, WorkTable } from '../work/work-rows.ts';
import { createWorkTable } from '../work/work-table.ts';

/** A message to send; `contract` decides the type of `payload`. */
export type OutgoingMessage = {
  [Name in ContractName]: {
    readonly contract: Name;
    readonly organizationId: string;
    readonly payload: PayloadInput<Name>;
    readonly trace?: Trace;
    /**
     * For payloads without an id of their own: a fact, which has one message however often it is
     * worked out.
     */
    readonly cause?: readonly string[];
    /**
     * The conversation whose content it holds: erasing that one erases its handover too. Known for
     * a `conversation.event`.
     */
    readonly about?: string;
  };
}[ContractName];

/** Written messages. Enqueue them after their transaction has committed. */
export interface WrittenMessages {
  readonly ids: readonly string[];
  readonly rows: readonly OutboxRow[];
}

export interface Outbox {
  readonly service: Service;
  /**
   * Writes messages on the caller's connection, with one statement. They exist only if the caller's
   * transaction commits; then call `enqueue`.
   * @throws Error when a payload violates its contract or the service does not produce the
   * contract.
   */
  write(sql: Sql, messages: readonly OutgoingMessage[]): Promise<WrittenMessages>;
  /**
   * Enqueues jobs for committed messages; false when the engine is away: the sweeper does it then.
   * Never throws.
   */
  enqueueJobs(enqueued: WrittenMessages): Promise<boolean>;
  /** The rows of messages that are not written yet; for the grouped outbox. */
  prepare(messages: readonly OutgoingMessage[]): Promise<OutboxRow[]>;
  /** Waits for jobs that are being enqueued. */
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

/** Rows, and bytes of their payloads (up to 1 MiB each), that one sweep transaction locks. */
const SWEEP_ROWS_MAX = 50;
const SWEEP_BYTES = { of: 'octet_length(payload)', max: 4 * 1024 * 1024 };
/** Transactions in one round. A larger backlog continues in the next round. */
const SWEEP_BATCHES_MAX = 200;

/** Created for each round, because it signs with the current keys. */
export function createOutboxTable(
  { pool, queues, clock }: Pick<OutboxOptions, 'pool' | 'queues' | 'clock'>,
  keys: PairKeys,
): WorkTable<OutboxRow> {
  return createWorkTable<OutboxRow>({
    table: 'outbox',
    columns: { dueAt: 'created_at' },
    select: 'organization_id, contract, payload, request_id, traceparent, batch',
    toJobs: (rows) => toJobs(rows, keys),
    pool,
    queues,
    clock,
    leased: false,
    enqueueForMs: REENQUEUE_FOR_MS,
    sweepBytes: SWEEP_BYTES,
    sweepRowsMax: SWEEP_ROWS_MAX,
    sweepBatchesMax: SWEEP_BATCHES_MAX,
  });
}

/** A newer version writes contracts that are unknown here: they are left to that version. */
const isKnown = (row: OutboxRow): row is KnownRow => isContractName(row.contract);

/**
 * Messages share only their first job. Each is re-enqueued alone, so one that spoils a shared job
 * delays the others once.
 */
function toJobs(rows: readonly OutboxRow[], keys: PairKeys): WorkJob<OutboxRow>[] {
  const byJob = new Map<string, [KnownRow, ...KnownRow[]]>();
  for (const row of rows.filter(isKnown)) {
    const job = row.rings === 0 && row.batch ? row.batch : row.id;
    const sharing = byJob.get(job);
    if (sharing) sharing.push(row);
    else byJob.set(job, [row]);
  }
  return [...byJob].map(([job, sharing]) => ({
    kind: messageKind(sharing[0].contract),
    newJob: toSharedJob(job, sharing, keys),
    rows: sharing,
  }));
}

/** Writes messages without enqueueing them. */
export function createOutboxWriter({
  service,
  sealer,
  ids,
  clock,
}: Pick<OutboxOptions, 'service' | 'sealer' | 'ids' | 'clock'>): Pick<Outbox, 'prepare' | 'write'> {
  async function prepareOne(message: OutgoingMessage): Promise<OutboxRow> {
    const { contract, organizationId, trace = {}, cause, about } = message;
    const producers: readonly Party[] = contracts[contract].producers;
    if (!producers.includes(service)) throw new Error(`${service} does not produce ${contract}`);
    const id = cause ? deriveId('msg', [service, organizationId], [contract, ...cause]) : ids('msg');
    return {
      id,
      organization_id: organizationId,
      contract,
      payload: await packPayload(message, id, sealer),
      about: contract === 'conversation.event' ? message.payload.conversation_id : (about ?? null),
      request_id: trace.requestId ?? null,
      traceparent: trace.traceparent ?? null,
      rings: 0,
      dueAt: new Date(clock()),
    };
  }
  const prepare = (messages: readonly OutgoingMessage[]) => Promise.all(messages.map(prepareOne));
  return {
    prepare,
    write: async (sql, messages) => {
      const rows = await insertMessages(sql, await prepare(messages));
      return { ids: rows.map((row) => row.id), rows };
    },
  };
}

export function createOutbox(options: OutboxOptions): Outbox {
  const { service, messageKeys } = options;
  const pending = new Set<Promise<unknown>>();

  async function enqueueRows(rows: readonly OutboxRow[]): Promise<boolean> {
    const enqueued = await createOutboxTable(options, await messageKeys.current()).enqueue(rows);
    return enqueued.length === rows.length;
  }

  return {
    service,
    ...createOutboxWriter(options),
    enqueueJobs: async ({ rows }) => {
      // keys unreadable: the sweeper logs it and re-enqueues
      const enqueueing = enqueueRows(rows).catch(() => false);
      pending.add(enqueueing);
      const areEnqueued = await enqueueing;
      pending.delete(enqueueing);
      return areEnqueued;
    },
    close: async () => {
      await Promise.all(pending);
    },
  };
}

/**
 * Payloads never hold it: JSON escapes control characters, and sealed text has none. An array would
 * escape each quote of each payload, which takes longer than writing the JSON.
 */
const RECORD_SEPARATOR = '\x1e';

/**
 * Writes rows with one statement. Returns them with the jobs that they share, which `enqueueJobs`
 * needs.
 */
export async function insertMessages(sql: Sql, given: readonly OutboxRow[]): Promise<OutboxRow[]> {
  const rows = shareJobs(given);
  if (rows.length === 0) return rows;
  await sql(
    `INSERT INTO outbox
       (id, organization_id, contract, payload, request_id, traceparent, about, batch, rings, created_at, next_ring_at)
     SELECT id, organization_id, contract, payload, request_id, traceparent, about, batch, 0, created_at,
            created_at + $8::int * interval '1 millisecond'
     FROM unnest($1::text[], $2::text[], $3::text[], string_to_array($4, E'\\x1e'), $5::text[], $6::text[], $7::timestamptz[], $9::text[],
       $10::text[]) AS message (id, organization_id, contract, payload, request_id, traceparent, created_at, about, batch)
     ON CONFLICT (id) DO NOTHING`,
    [
      rows.map((row) => row.id),
      rows.map((row) => row.organization_id),
      rows.map((row) => row.contract),
      rows.map((row) => row.payload).join(RECORD_SEPARATOR),
      rows.map((row) => row.request_id),
      rows.map((row) => row.traceparent),
      rows.map((row) => row.dueAt),
      REENQUEUE_AFTER_MS,
      rows.map((row) => row.about ?? null),
      rows.map((row) => row.batch ?? null),
    ],
  );
  return rows;
}

/** Characters of the payloads in a shared job: a worker loads up to 200 jobs at once. */
const JOB_CHARS_MAX = 64 * 1024;

/** Names the job of messages that share one after the first of them. */
function shareJobs(rows: readonly OutboxRow[]): OutboxRow[] {
  const open = new Map<string, { readonly batch: string; messages: number; chars: number }>();
  return rows.map((row) => {
    const { jobMessagesMax = 1 }: ContractRow = contracts[row.contract as ContractName];
    const chars = row.payload.length;
    const job = open.get(row.contract);
    if (job && job.messages < jobMessagesMax && job.chars + chars <= JOB_CHARS_MAX) {
      job.messages += 1;
      job.chars += chars;
      return { ...row, batch: job.batch };
    }
    open.set(row.contract, { batch: row.id, messages: 1, chars });
    return { ...row, batch: jobMessagesMax > 1 ? row.id : null };
  });
}
