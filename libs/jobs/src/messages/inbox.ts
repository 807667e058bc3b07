// The consumer's side of messages: the effect and the inbox row commit in one transaction, then the
// message is acknowledged (docs/platform.md#messages-between-services).
import type pg from 'pg';
import { AppError } from '@parley/envelopes';
import { inTransaction, isPostgresUnavailable, sqlOf, type Sql } from '@parley/server/postgres';
import {
  ignoreFailure,
  createGroupCommit,
  repeat,
  type Clock,
  type Ids,
  type Log,
  type Sealer,
} from '@parley/server/runtime';
import { createAcks } from './acks.ts';
import { contracts, type ContractName, type Payload, type Service } from './contracts.ts';
import { checkSender, envelope, unpackPayload, type Envelope, type Trace } from './envelope.ts';
import type { MessageKeys } from './message-keys.ts';
import type { Queues } from '../queues.ts';
import { ISOLATION_DEATHS } from '../work/work-statements.ts';
import { isTooOld } from '../work/reenqueue.rules.ts';
import { rememberMessages, trimInbox } from './inbox-rows.ts';
import { applyIsolated, enqueueReleased, type QuarantinedMessage } from './isolate-message.ts';
import { MalformedJob, parseOrMalformed, type JobContext, type Route } from '../worker.ts';

/** What an effect gets besides the payload. */
export interface MessageContext extends Trace {
  readonly messageId: string;
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
  const { service, pool, queues, sealer, messageKeys, clock, log } = options;
  const acks = createAcks(options);
  const trimming = repeat(
    { everyMs: TRIM_EVERY_MS, firstAfterMs: TRIM_EVERY_MS, name: 'inbox.trim', log },
    async () => {
      await enqueueReleased(pool, queues, await messageKeys.current(), clock());
      await trimInbox(sqlOf(pool), clock());
    },
  );
  const { isolation } = queues;

  /** @throws MalformedJob, UnauthenticatedMessage */
  async function open<Name extends ContractName>(contract: Name, data: unknown, job: JobContext) {
    const message = parseOrMalformed(envelope, data);
    checkSender(contract, message, await messageKeys.current());
    const payload = await unpackPayload(contract, message, sealer);
    const { producer, created_at_ms: createdAtMs } = message;
    if (producer && (createdAtMs === undefined || isTooOld(createdAtMs, clock()))) {
      throw new MalformedJob(['created_at_ms is too long ago to know whether the message was applied']);
    }
    const afterCommit: (() => unknown)[] = [];
    return { message, payload, context: toContext(message, job, afterCommit), afterCommit };
  }

  async function apply<Name extends ContractName>(
    contract: Name,
    effect: Effect<Name>,
    { message, payload, context, afterCommit }: OpenedMessage<Name>,
  ): Promise<AppliedMessage> {
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
      logRefusal(contract, message, error);
      await rememberMessages(sqlOf(pool), contract, [message], new Date(clock()));
      outcome = 'refused';
    }
    await conclude(message, outcome === 'done' ? afterCommit : []);
    return outcome;
  }

  /** Applies several messages in one transaction. Returns their outcomes in order. */
  async function applyTogether<Name extends ContractName>(
    contract: Name,
    effect: GatheredEffect<Name>,
    opened: readonly OpenedMessage<Name>[],
  ): Promise<AppliedMessage[]> {
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
      if (refusal) logRefusal(contract, one.message, refusal);
      // The effect may have registered work for the others before one was refused.
      await conclude(one.message, refused.has(one) ? one.afterCommit : []);
      outcomes.push(refusal ? 'refused' : refused.has(one) ? 'done' : 'repeated');
    }
    return outcomes;
  }

  function logRefusal(contract: ContractName, message: Envelope, error: unknown): void {
    log.info({ err: error, message_id: message.id, contract }, 'message.refused');
  }

  /** Called when the effect is committed or will never be. */
  async function conclude(
    { id, producer }: Envelope,
    afterCommit: readonly (() => unknown)[],
  ): Promise<void> {
    if (producer) acks.add(producer, id);
    for (const work of afterCommit) await ignoreFailure(Promise.resolve().then(work), 'after commit', log);
  }

  /** `together`: the usual way. `separately`: in a transaction of its own. */
  function createRoute<Name extends ContractName>(
    contract: Name,
    together: (opened: OpenedMessage<Name>) => Promise<AppliedMessage>,
    separately: (opened: OpenedMessage<Name>) => Promise<AppliedMessage>,
  ): Route {
    const { consumer, queue, timeoutMs } = contracts[contract];
    if (consumer !== service) throw new Error(`${service} does not consume ${contract}`);
    const run: Route['run'] = async (data, job) => {
      if (job.deaths < ISOLATION_DEATHS) return together(await open(contract, data, job));
      const applyNow = async () => separately(await open(contract, data, job));
      const { data: message } = envelope.safeParse(data);
      return isolation.runIsolated(message?.organization_id ?? null, () =>
        applyIsolated({ ...options, acks }, contract, data, job.deaths, applyNow),
      );
    };
    return { name: contract, queue, timeoutMs, run };
  }

  return {
    consume: <Name extends ContractName>(contract: Name, effect: Effect<Name>) => {
      const separately = (opened: OpenedMessage<Name>) => apply(contract, effect, opened);
      return createRoute(contract, (opened) => isolation.runConcurrent(() => separately(opened)), separately);
    },
    consumeGathered: <Name extends ContractName>(contract: Name, effect: GatheredEffect<Name>) => {
      const applyOne: Effect<Name> = async (sql, payload, context) => {
        const [refusal] = await effect(sql, [{ payload, context }]);
        if (refusal) throw refusal;
      };
      const separately = (opened: OpenedMessage<Name>) => apply(contract, applyOne, opened);
      const together = createGroupCommit<OpenedMessage<Name>, AppliedMessage>({
        groupMax: GATHERED_MAX,
        measureWeight: ({ message: { payload } }) =>
          1 +
          Math.floor(
            (typeof payload === 'string' ? payload : JSON.stringify(payload)).length / BYTES_PER_WEIGHT,
          ),
        write: (opened) => isolation.runConcurrent(() => applyTogether(contract, effect, opened)),
        retrySeparately: {
          write: (opened) => isolation.runConcurrent(() => separately(opened)),
          isWorthATry: (error) => !isPostgresUnavailable(error),
        },
      });
      return createRoute(contract, (opened) => together.add(opened), separately);
    },
    close: async () => {
      await trimming.close();
      await acks.close();
    },
  };
}

type AppliedMessage = 'done' | 'repeated' | 'refused';

interface OpenedMessage<Name extends ContractName> {
  readonly message: Envelope;
  readonly payload: Payload<Name>;
  readonly context: MessageContext;
  readonly afterCommit: readonly (() => unknown)[];
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

function toContext(message: Envelope, job: JobContext, afterCommit: (() => unknown)[]): MessageContext {
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

/**
 * A refusal of a use case is the answer of the domain. `internal` and `unavailable` are our
 * failures.
 */
function isRefusal(error: unknown): boolean {
  return error instanceof AppError && error.status < 500;
}

/** With the batches of a trim it keeps up with 8,000 messages a second. */
const TRIM_EVERY_MS = 60_000;
