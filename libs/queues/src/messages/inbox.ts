// The consumer's side of a message from another service: its effect and the memory of it are one transaction, then it is
// acknowledged (docs/platform.md#messages-between-services).
import type pg from 'pg';
import { AppError } from '@parley/envelopes';
import { inTransaction, isPostgresUnavailable, sqlOf, type Sql } from '@parley/postgres';
import { ignoreFailure, type Clock, type Ids, type Log, type Sealer } from '@parley/runtime';
import { createAcks } from './acks.ts';
import { contracts, type ContractName, type Payload, type Service } from './contracts.ts';
import { checkSender, envelope, unpackPayload, type Envelope, type Trace } from './envelope.ts';
import type { MessageKeys } from './message-keys.ts';
import type { Queues } from '../queues.ts';
import { createGroupCommit } from '../work/group-commit.ts';
import { SUSPECT_DEATHS } from '../work/work-statements.ts';
import { isTooOld } from '../work/ring.rules.ts';
import { repeat } from '../timing.ts';
import { rememberMessages, trimInbox } from './inbox-rows.ts';
import { applyAlone, ringForPutBack, type QuarantinedMessage } from './suspects.ts';
import { MalformedJob, parseOrMalformed, type JobContext, type Route } from '../worker.ts';

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

/** One of the messages that share a transaction. */
export interface GatheredMessage<Content> {
  readonly payload: Content;
  readonly context: MessageContext;
}

/**
 * Applies messages that came within the same moments in one transaction. Gives, for each, what `Effect` would throw to refuse it,
 * or undefined; a refused message must not have been written anything for. Whatever is thrown rolls all of them back, and then
 * each is tried by itself: one that cannot be applied keeps nobody else from it.
 */
export type GatheredEffect<Name extends ContractName> = (
  sql: Sql,
  messages: readonly GatheredMessage<Payload<Name>>[],
) => Promise<readonly (AppError | undefined)[]>;

export interface Inbox {
  /** The route of one contract, for `queues.worker`. */
  consume<Name extends ContractName>(contract: Name, effect: Effect<Name>): Route;
  /**
   * The same for messages that come by the thousand: those that arrive while a transaction is under way share the next one, up to
   * GATHERED_MAX. The worker's concurrency is how many can come together.
   */
  consumeGathered<Name extends ContractName>(contract: Name, effect: GatheredEffect<Name>): Route;
  /** Sends the acknowledgements that are collected. Close the workers first. */
  close(): Promise<void>;
}

export interface InboxOptions {
  readonly service: Service;
  readonly pool: pg.Pool;
  readonly queues: Queues;
  /** Opens what was sealed under QUEUE_KEY. */
  readonly sealer: Sealer;
  readonly messageKeys: MessageKeys;
  readonly ids: Ids;
  readonly clock: Clock;
  readonly log: Log;
  /**
   * In the transaction that sets a message aside (docs/platform.md#quarantine): tells its organisation. May give what is to be done
   * after the commit.
   */
  readonly setAside?: (sql: Sql, message: QuarantinedMessage) => Promise<(() => void) | void>;
}

export function createInbox(options: InboxOptions): Inbox {
  const { service, pool, queues, sealer, messageKeys, clock, log } = options;
  const acks = createAcks(options);
  const trimming = repeat(
    { everyMs: TRIM_EVERY_MS, firstAfterMs: TRIM_EVERY_MS, name: 'inbox.trim', log },
    async () => {
      await ringForPutBack(pool, queues, await messageKeys.current(), clock());
      await trimInbox(sqlOf(pool), clock());
    },
  );
  const { company } = queues;

  /** A message as its effect gets it. @throws MalformedJob, UnauthenticatedMessage */
  async function open<Name extends ContractName>(contract: Name, data: unknown, job: JobContext) {
    const message = parseOrMalformed(envelope, data);
    checkSender(contract, message, await messageKeys.current());
    const payload = await unpackPayload(contract, message, sealer);
    const { producer, created_at_ms: createdAtMs } = message;
    if (producer && (createdAtMs === undefined || isTooOld(createdAtMs, clock()))) {
      throw new MalformedJob(['created_at_ms is too long ago to know whether the message was applied']);
    }
    const afterCommit: (() => unknown)[] = [];
    return { message, payload, context: contextOf(message, job, afterCommit), afterCommit };
  }

  async function apply<Name extends ContractName>(
    contract: Name,
    effect: Effect<Name>,
    { message, payload, context, afterCommit }: Opened<Name>,
  ): Promise<Applied> {
    let outcome: Applied;
    try {
      outcome = await inTransaction(pool, async (sql) => {
        const fresh = await rememberMessages(sql, contract, [message], new Date(clock()));
        if (!fresh.has(message)) return 'repeated';
        await effect(sql, payload, context);
        return 'done';
      });
    } catch (error) {
      if (!isRefusal(error)) throw error;
      sayRefused(contract, message, error);
      await rememberMessages(sqlOf(pool), contract, [message], new Date(clock()));
      outcome = 'refused';
    }
    await conclude(message, outcome === 'done' ? afterCommit : []);
    return outcome;
  }

  /** Several messages in one transaction; the outcome of each, in their order. */
  async function applyTogether<Name extends ContractName>(
    contract: Name,
    effect: GatheredEffect<Name>,
    opened: readonly Opened<Name>[],
  ): Promise<Applied[]> {
    const { fresh, refusals } = await inTransaction(pool, async (sql) => {
      const messages = opened.map(({ message }) => message);
      const remembered = await rememberMessages(sql, contract, messages, new Date(clock()));
      const fresh = opened.filter(({ message }) => remembered.has(message));
      return { fresh, refusals: fresh.length > 0 ? await effect(sql, fresh) : [] };
    });
    const refused = new Map(fresh.map((one, index) => [one, refusals[index]]));
    const outcomes: Applied[] = [];
    for (const one of opened) {
      const refusal = refused.get(one);
      if (refusal) sayRefused(contract, one.message, refusal);
      // Whoever is refused may still have been asked, by its effect, to ring for the others.
      await conclude(one.message, refused.has(one) ? one.afterCommit : []);
      outcomes.push(refusal ? 'refused' : refused.has(one) ? 'done' : 'repeated');
    }
    return outcomes;
  }

  function sayRefused(contract: ContractName, message: Envelope, error: unknown): void {
    log.info({ err: error, message_id: message.id, contract }, 'message.refused');
  }

  /** The effect is committed, or will never be. */
  async function conclude(
    { id, producer }: Envelope,
    afterCommit: readonly (() => unknown)[],
  ): Promise<void> {
    if (producer) acks.add(producer, id);
    for (const work of afterCommit) await ignoreFailure(Promise.resolve().then(work), 'after commit', log);
  }

  /** `together`: as a message usually is applied; `byItself`: without others in its transaction. */
  function routeOf<Name extends ContractName>(
    contract: Name,
    together: (opened: Opened<Name>) => Promise<Applied>,
    byItself: (opened: Opened<Name>) => Promise<Applied>,
  ): Route {
    const { consumer, queue, timeoutMs } = contracts[contract];
    if (consumer !== service) throw new Error(`${service} does not consume ${contract}`);
    const run: Route['run'] = async (data, job) => {
      if (job.deaths < SUSPECT_DEATHS) return together(await open(contract, data, job));
      const alone = async () => byItself(await open(contract, data, job));
      const { data: message } = envelope.safeParse(data);
      return company.alone(message?.organization_id ?? null, () =>
        applyAlone({ ...options, acks }, contract, data, job.deaths, alone),
      );
    };
    return { name: contract, queue, timeoutMs, run };
  }

  return {
    consume: <Name extends ContractName>(contract: Name, effect: Effect<Name>) => {
      const byItself = (opened: Opened<Name>) => apply(contract, effect, opened);
      return routeOf(contract, (opened) => company.beside(() => byItself(opened)), byItself);
    },
    consumeGathered: <Name extends ContractName>(contract: Name, effect: GatheredEffect<Name>) => {
      const alone: Effect<Name> = async (sql, payload, context) => {
        const [refusal] = await effect(sql, [{ payload, context }]);
        if (refusal) throw refusal;
      };
      const byItself = (opened: Opened<Name>) => apply(contract, alone, opened);
      const together = createGroupCommit<Opened<Name>, Applied>({
        groupMax: GATHERED_MAX,
        weightOf: ({ message: { payload } }) =>
          1 +
          Math.floor(
            (typeof payload === 'string' ? payload : JSON.stringify(payload)).length / BYTES_PER_WEIGHT,
          ),
        write: (opened) => company.beside(() => applyTogether(contract, effect, opened)),
        alone: {
          write: (opened) => company.beside(() => byItself(opened)),
          isWorthATry: (error) => !isPostgresUnavailable(error),
        },
      });
      return routeOf(contract, (opened) => together.add(opened), byItself);
    },
    close: async () => {
      await trimming.close();
      await acks.close();
    },
  };
}

type Applied = 'done' | 'repeated' | 'refused';

interface Opened<Name extends ContractName> {
  readonly message: Envelope;
  readonly payload: Payload<Name>;
  readonly context: MessageContext;
  readonly afterCommit: readonly (() => unknown)[];
}

/** Weight of one transaction: throughput is flat from 500 messages on, and one that fails takes fewer with it. */
const GATHERED_MAX = 500;
/** A message weighs one, and one more for as much payload: a transaction has at most 500, and 4 MiB unless one has more. */
const BYTES_PER_WEIGHT = 8_192;

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

/** With the batches of a trim it keeps up with 8,000 messages a second. */
const TRIM_EVERY_MS = 60_000;
