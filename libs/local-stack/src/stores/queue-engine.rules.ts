// Decides which engine carries the queues of a development stack (docs/platform.md#queue-engines). Pure.

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
 * The first that applies, in the order of docs/platform.md#queue-engines. Throws when a given URL is of no kind that can
 * carry queues.
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

/** BullMQ warns below this version, and its scripts are only tried from there on. */
const REDIS_VERSION_MIN: readonly [number, number] = [6, 2];

/**
 * Reads `redis-server --version` ("Redis server v=7.0.15 sha=…", "Valkey server v=8.0.1 …"): true when queues can
 * run on it. Valkey began at 7.2, so one rule serves both.
 */
export function isUsableRedis(versionLine: string): boolean {
  const [, major, minor] = /\bv=(\d+)\.(\d+)/.exec(versionLine) ?? [];
  if (major === undefined) return false;
  const [majorMin, minorMin] = REDIS_VERSION_MIN;
  return Number(major) > majorMin || (Number(major) === majorMin && Number(minor) >= minorMin);
}
