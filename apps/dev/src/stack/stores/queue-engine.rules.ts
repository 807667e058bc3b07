// Decides which engine carries the queues of a development stack (docs/platform.md#queue-engines).
// Pure.

/** What is known of the machine and of the wishes of its user. */
export interface QueueFacts {
  /** QUEUE_URL: redis:// or postgres://. */
  readonly queueUrl?: string | undefined;
  /** REDIS_URL: redis://. */
  readonly redisUrl?: string | undefined;
  /** A redis-server or valkey-server on PATH that is new enough. */
  readonly binary?: string | undefined;
  /** True where Debian's package tools are at hand. */
  readonly apt: boolean;
}

export type QueueChoice =
  | { readonly kind: 'given'; readonly url: string; readonly variable: 'QUEUE_URL' | 'REDIS_URL' }
  | { readonly kind: 'binary'; readonly path: string }
  /** Debian's redis-server, unpacked under .parley/; where that fails, as `postgres`. */
  | { readonly kind: 'apt' }
  /** BullMQ's own Postgres backend, in a database of its own on the embedded Postgres. */
  | { readonly kind: 'postgres' };

const REDIS = /^rediss?:\/\//;
const POSTGRES = /^postgres(ql)?:\/\//;

/**
 * The first that applies, in the order of docs/platform.md#queue-engines. Throws when a given URL
 * is of no kind that can carry queues.
 */
export function chooseQueueEngine(facts: QueueFacts): QueueChoice {
  if (facts.queueUrl) {
    if (!REDIS.test(facts.queueUrl) && !POSTGRES.test(facts.queueUrl)) {
      throw new Error('QUEUE_URL must start with redis://, rediss:// or postgres://.');
    }
    return { kind: 'given', url: facts.queueUrl, variable: 'QUEUE_URL' };
  }
  if (facts.redisUrl) {
    if (!REDIS.test(facts.redisUrl)) {
      throw new Error(
        'REDIS_URL must start with redis:// or rediss://. To queue in Postgres set QUEUE_URL=postgres://…',
      );
    }
    return { kind: 'given', url: facts.redisUrl, variable: 'REDIS_URL' };
  }
  if (facts.binary) return { kind: 'binary', path: facts.binary };
  return facts.apt ? { kind: 'apt' } : { kind: 'postgres' };
}

/** True for a URL that selects BullMQ's Postgres backend. */
export function isPostgresUrl(url: string): boolean {
  return POSTGRES.test(url);
}
