// The consumer's side of messages: the effect and the inbox row commit in one transaction, then the
// message is acknowledged (docs/platform.md#messages-between-services).
import type pg from 'pg';
import { isPostgresUnavailable, sqlOf, type Sql } from '@parley/server/postgres';
import {
  createGroupCommit,
  repeat,
  type Clock,
  type Ids,
  type Log,
  type Sealer,
} from '@parley/server/runtime';
import { inSpan, startCausedSpan } from '@parley/server/tracing';
import { createAcks, type Acks } from './acks.ts';
import { contracts, type ContractName, type Service } from './contracts.ts';
import { checkSender, envelope, unpackPayload, type Envelope } from './envelope.ts';
import type { MessageKeys, PairKeys } from './message-keys.ts';
import type { Queues } from '../queues.ts';
import { ISOLATION_DEATHS } from '../isolation/deaths.ts';
import { isTooOld } from '../reenqueue.rules.ts';
import { applyIsolated } from '../isolation/isolate-message.ts';
import {
  apply,
  applyTogether,
  enqueueReleased,
  rememberMessages,
  trimInbox,
  type AppliedMessage,
  type Effect,
  type GatheredEffect,
  type MessageContext,
  type OpenedMessage,
} from './apply-messages.ts';
import type { JobOutcome } from '../recorder.ts';
import { MalformedJob, parseOrMalformed, type JobContext, type Route } from '../worker.ts';

export interface Inbox {
  /** The route of one contract, for `queues.worker`. */
  consume<Name extends ContractName>(contract: Name, effect: Effect<Name>): Route;
  /**
   * The same for frequent messages: those that arrive during a transaction share the next one, up
   * to GATHERED_MAX. The worker's concurrency bounds a group.
   */
  consumeGathered<Name extends ContractName>(contract: Name, effect: GatheredEffect<Name>): Route;
  /** Sends the collected acknowledgements. Close the workers first. */
  close(): Promise<void>;
}

/** A quarantined message, as its organisation is notified of it. */
export interface QuarantinedMessage {
  readonly id: string;
  readonly organizationId: string;
  readonly contract: ContractName;
}

export interface InboxOptions {
  readonly service: Service;
  readonly pool: pg.Pool;
  readonly queues: Queues;
  /** Opens payloads that are sealed under QUEUE_KEY. */
  readonly sealer: Sealer;
  readonly messageKeys: MessageKeys;
  readonly ids: Ids;
  readonly clock: Clock;
  readonly log: Log;
  /**
   * Runs in the transaction that quarantines a message (docs/platform.md#quarantine) and notifies
   * its organisation. May return work for after the commit.
   */
  readonly onQuarantine?: (sql: Sql, message: QuarantinedMessage) => Promise<(() => void) | void>;
}

export function createInbox(options: InboxOptions): Inbox {
  const { pool, queues, messageKeys, clock, log } = options;
  const { isolation } = queues;
  const acks = createAcks(options);
  const inbox: OpenInbox = { ...options, acks };
  const trimming = repeat({ everyMs: TRIM_EVERY_MS, name: 'inbox.trim', log }, async () => {
    await enqueueReleased(pool, queues, await messageKeys.current(), clock());
    await trimInbox(sqlOf(pool), clock());
  });
  return {
    consume: <Name extends ContractName>(contract: Name, effect: Effect<Name>) => {
      const separately = (opened: OpenedMessage<Name>) => apply(inbox, contract, effect, opened);
      const together = (opened: OpenedMessage<Name>) => isolation.runConcurrent(() => separately(opened));
      return createRoute(inbox, contract, together, separately);
    },
    consumeGathered: <Name extends ContractName>(contract: Name, effect: GatheredEffect<Name>) => {
      const applyOne: Effect<Name> = async (sql, payload, context) => {
        const [refusal] = await effect(sql, [{ payload, context }]);
        if (refusal) throw refusal;
      };
      const separately = (opened: OpenedMessage<Name>) => apply(inbox, contract, applyOne, opened);
      const group = createGroupCommit<OpenedMessage<Name>, AppliedMessage>({
        groupMax: GATHERED_MAX,
        measureWeight: ({ message: { payload } }) => {
          const text = typeof payload === 'string' ? payload : JSON.stringify(payload);
          return 1 + Math.floor(text.length / BYTES_PER_WEIGHT);
        },
        write: (opened) => isolation.runConcurrent(() => applyTogether(inbox, contract, effect, opened)),
        retrySeparately: {
          write: (opened) => isolation.runConcurrent(() => separately(opened)),
          isWorthATry: (error) => !isPostgresUnavailable(error),
        },
      });
      return createRoute(inbox, contract, (opened) => group.add(opened), separately);
    },
    close: async () => {
      await trimming.close();
      await acks.close();
    },
  };
}

interface OpenInbox extends InboxOptions {
  readonly acks: Acks;
}

/** `together`: the usual way. `separately`: in a transaction of its own. */
function createRoute<Name extends ContractName>(
  inbox: OpenInbox,
  contract: Name,
  together: (opened: OpenedMessage<Name>) => Promise<AppliedMessage>,
  separately: (opened: OpenedMessage<Name>) => Promise<AppliedMessage>,
): Route {
  const { consumer, queue, timeoutMs } = contracts[contract];
  const { service, queues, messageKeys } = inbox;
  if (consumer !== service) throw new Error(`${service} does not consume ${contract}`);
  const runUnder =
    (keys: PairKeys): Route['run'] =>
    async (data, job) => {
      if (job.deaths < ISOLATION_DEATHS) {
        const opened = await openMessage({ ...inbox, keys }, contract, data, job);
        return inSpan(opened.span, () => together(opened));
      }
      const { data: message } = envelope.safeParse(data);
      return queues.isolation.runIsolated(message?.organization_id ?? null, () =>
        applySuspected(inbox, contract, data, job, separately),
      );
    };
  return {
    name: contract,
    queue,
    timeoutMs,
    run: async (data, job) => {
      const runOne = runUnder(await messageKeys.current());
      const { data: { more, ...first } = {} } = envelope.safeParse(data);
      return more ? runShared([first, ...more], job, runOne) : runOne(data, job);
    },
  };
}

/**
 * Applies messages that share a job. If one fails, the job is retried, and those that were applied
 * are not applied again. Workers that died with the job do not isolate it: it is dropped, and the
 * producer's sweeper enqueues each message alone.
 */
async function runShared(
  messages: readonly unknown[],
  job: JobContext,
  runOne: Route['run'],
): Promise<JobOutcome> {
  if (job.deaths >= ISOLATION_DEATHS) return 'split';
  const settled = await Promise.allSettled(messages.map((message) => runOne(message, job)));
  const errors = settled.flatMap((one) => (one.status === 'rejected' ? [one.reason as unknown] : []));
  const ours = errors.find((error) => !(error instanceof MalformedJob));
  if (errors.length > 0) throw ours ?? errors[0];
  const outcomes = settled.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
  return (['refused', 'done'] as const).find((one) => outcomes.includes(one)) ?? outcomes[0]!;
}

/** @throws MalformedJob, UnauthenticatedMessage */
async function openMessage<Name extends ContractName>(
  { keys, sealer, clock }: OpenInbox & { readonly keys: PairKeys },
  contract: Name,
  data: unknown,
  job: JobContext,
): Promise<OpenedMessage<Name>> {
  const message = parseOrMalformed(envelope, data);
  checkSender(contract, message, keys);
  const payload = await unpackPayload(contract, message, sealer);
  const { producer, created_at_ms: createdAtMs } = message;
  if (producer && (createdAtMs === undefined || isTooOld(createdAtMs, clock()))) {
    throw new MalformedJob(['created_at_ms is too long ago to know whether the message was applied']);
  }
  const afterCommit: (() => unknown)[] = [];
  const span = startCausedSpan(message.traceparent, () => ({
    name: `process ${contract}`,
    kind: 'consumer',
    attributes: {
      'messaging.system': 'bullmq',
      'messaging.operation.type': 'process',
      'messaging.destination.name': contracts[contract].queue,
      'messaging.message.id': message.id,
      'parley.organization_id': message.organization_id,
    },
  }));
  const traced = span === undefined ? message : { ...message, traceparent: span.traceparent };
  return { message, payload, context: toContext(traced, job, clock(), afterCommit), afterCommit, span };
}

function toContext(
  message: Envelope,
  job: JobContext,
  nowMs: number,
  afterCommit: (() => unknown)[],
): MessageContext {
  return {
    messageId: message.id,
    createdAtMs: message.created_at_ms ?? nowMs,
    organizationId: message.organization_id,
    producer: message.producer,
    requestId: message.request_id,
    traceparent: message.traceparent,
    attempt: job.attempt,
    signal: job.signal,
    afterCommit: (work) => void afterCommit.push(work),
  };
}

/** Workers died with the message. Called while no other work runs in this process. */
async function applySuspected<Name extends ContractName>(
  inbox: OpenInbox,
  contract: Name,
  data: unknown,
  job: JobContext,
  separately: (opened: OpenedMessage<Name>) => Promise<AppliedMessage>,
): Promise<AppliedMessage | 'quarantined'> {
  const message = parseOrMalformed(envelope, data);
  const { id, organization_id: organizationId, producer } = message;
  const onQuarantine = async (sql: Sql, now: Date) => {
    if (producer) await rememberMessages(sql, contract, [message], now);
    return inbox.onQuarantine?.(sql, { id, organizationId, contract });
  };
  const suspected = { id, organizationId, contract, data: JSON.stringify(message) };
  const outcome = await applyIsolated({ ...inbox, onQuarantine }, suspected, job.deaths, async () => {
    const keys = await inbox.messageKeys.current();
    const opened = await openMessage({ ...inbox, keys }, contract, data, job);
    return inSpan(opened.span, () => separately(opened));
  });
  if (outcome === 'quarantined' && producer) inbox.acks.add(producer, id);
  return outcome;
}

/**
 * Weight of one transaction: throughput is flat from 500 messages on, and a failure affects fewer.
 */
const GATHERED_MAX = 500;
/**
 * A message weighs 1, plus 1 for each of these: a transaction has at most 500, and 4 MiB unless one
 * is larger.
 */
const BYTES_PER_WEIGHT = 8_192;

/** With the batches of a trim it keeps up with 8,000 messages a second. */
const TRIM_EVERY_MS = 60_000;
