// Bearer credential -> Caller. The guard of every endpoint (docs/platform.md#credentials); no database read while a key is known.
import type { BlockList } from 'node:net';
import { LRUCache } from 'lru-cache';
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import { AppError } from '@parley/envelopes';
import type { Authenticator, Caller, Face } from '@parley/http';
import { createNoticedCache, type Listener, type Sql } from '@parley/postgres';
import { addressList, ignoreFailure, isListed, type Clock, type Log } from '@parley/runtime';
import { hashOf, isApiKeyOf, type Product } from './api-key.ts';
import {
  API_KEYS_CHANNEL,
  cacheKeyOf,
  findApiKeyByHash,
  isUsable,
  recordKeyUse,
  type ApiKeyRecord,
} from './api-keys.ts';
import type { VerifyIdentityToken } from './identity-token.ts';

/** Verified keys kept in memory; more organisations than this share it by recency. */
const KEYS_CACHED_MAX = 50_000;
/** Keys in use at once, hashed once; they stand in memory as they came, for as long as they are in use. */
const KEYS_HASHED_MAX = 10_000;
/** `last_used_at` is written at most this often a key: one UPDATE for all, never one a request. */
const FLUSH_EVERY_MS = 60_000;
/** Refused credentials an address may send a minute. Enough for a misconfigured client, too few to search keys. */
const REFUSED_PER_MINUTE_MAX = 300;
/** No credential of ours is longer; a longer one is not hashed or parsed. */
const CREDENTIAL_CHARACTERS_MAX = 8_192;

export interface AuthenticatorOptions {
  readonly product: Product;
  readonly sql: Sql;
  readonly listener: Listener;
  readonly clock: Clock;
  readonly log: Log;
  readonly verifyIdentityToken: VerifyIdentityToken | null;
}

type Addressed = Pick<Parameters<Authenticator['authenticate']>[0], 'ip'>;

interface KnownKey {
  readonly caller: Caller;
  /** Null: from everywhere. */
  readonly allowedIps: BlockList | null;
  readonly record: ApiKeyRecord;
}

/** `close` writes what is known of the keys' last use. */
export function createAuthenticator(
  options: AuthenticatorOptions,
): Authenticator & { close(): Promise<void> } {
  const { clock, sql, log } = options;
  const lastUsedMs = new Map<string, number>();
  const refused = new RateLimiterMemory({ points: REFUSED_PER_MINUTE_MAX, duration: 60 });
  const keys = createNoticedCache<KnownKey | null>({
    listener: options.listener,
    channel: API_KEYS_CHANNEL,
    clock,
    entriesMax: KEYS_CACHED_MAX,
    load: async (key) => {
      const record = await findApiKeyByHash(sql, Buffer.from(key, 'base64url'));
      return record ? knownOf(record) : null;
    },
  });

  async function flush(): Promise<void> {
    const used = new Map(lastUsedMs);
    lastUsedMs.clear();
    await ignoreFailure(recordKeyUse(sql, used), 'last_used_at is for people to look at', log);
  }
  const timer = setInterval(() => void flush(), FLUSH_EVERY_MS);
  timer.unref();

  /** Of keys that were good when they came last: their place in the cache, to hash each of them once and not once a request. */
  const cacheKeys = new LRUCache<string, string>({ max: KEYS_HASHED_MAX });

  async function callerOfKey(credential: string, request: Addressed): Promise<Caller | undefined> {
    if (!isApiKeyOf(options.product, credential)) return undefined;
    const cacheKey = cacheKeyOf(hashOf(credential));
    const known = keys.peek(cacheKey) ?? (await lookUp(cacheKey, addressOf(request)));
    const caller = usableCaller(known, request);
    if (caller) cacheKeys.set(credential, cacheKey);
    return caller;
  }

  function usableCaller(known: KnownKey | null | undefined, request: Addressed): Caller | undefined {
    const nowMs = clock();
    if (!known || !isUsable(known.record, nowMs)) return undefined;
    if (known.allowedIps !== null && !isListed(known.allowedIps, addressOf(request))) return undefined;
    lastUsedMs.set(known.record.id, nowMs);
    return known.caller;
  }

  let lastOfGuessers: Promise<unknown> = Promise.resolve();

  /**
   * A good key passes from wherever it comes: behind an address may be a whole company. For addresses that were refused too often
   * keys are looked up one after the other, so that a search never holds more than one connection to the database.
   */
  async function lookUp(cacheKey: string, address: string): Promise<KnownKey | null> {
    const spent = await refused.get(address);
    if (!spent || spent.consumedPoints <= REFUSED_PER_MINUTE_MAX) return keys.get(cacheKey);
    const found = lastOfGuessers.then(() => keys.get(cacheKey));
    lastOfGuessers = found.catch(() => undefined);
    return found;
  }

  async function refusal(address: string): Promise<AppError> {
    try {
      await refused.consume(address);
    } catch (spent) {
      if (spent instanceof RateLimiterRes) return tooMany(spent);
      throw spent;
    }
    // One message for every reason: which part was wrong is nobody's business.
    return new AppError('unauthorized', 'a valid credential is needed: Authorization: Bearer <credential>', {
      headers: { 'www-authenticate': 'Bearer' },
    });
  }

  async function verify(credential: string, request: Addressed, face: Face) {
    if (/^(fb|va|nt)_/.test(credential)) return callerOfKey(credential, request);
    return face === 'v1' ? options.verifyIdentityToken?.(credential, clock()) : null;
  }

  return {
    peek: (request) => {
      const cacheKey = cacheKeys.get(bearerOf(request.headers.authorization) ?? '');
      return cacheKey === undefined ? undefined : usableCaller(keys.peek(cacheKey), request);
    },
    authenticate: async (request, face) => {
      const credential = bearerOf(request.headers.authorization);
      const caller = credential === null ? null : await verify(credential, request, face);
      if (!caller) throw await refusal(addressOf(request));
      return caller;
    },
    close: async () => {
      clearInterval(timer);
      await flush();
    },
  };
}

/** Looked up only where it is needed: behind proxies it takes the reading of a header. */
function addressOf({ ip }: Addressed): string {
  return ip ?? '';
}

function knownOf(record: ApiKeyRecord): KnownKey {
  const { allowedIps } = record;
  return {
    record,
    caller: callerOf(record),
    allowedIps: allowedIps.length === 0 ? null : addressList(allowedIps),
  };
}

function callerOf(record: ApiKeyRecord): Caller {
  return {
    organizationId: record.organizationId,
    kind: 'api_key',
    principal: record.id,
    scopes: new Set(record.scopes),
    ...(record.botIds.length === 0 ? {} : { botIds: record.botIds }),
  };
}

const BEARER = /^Bearer +([\x21-\x7e]+) *$/i;

/** RFC 6750 §2.1; the scheme is case-insensitive (RFC 9110 §11.1). */
function bearerOf(header: string | undefined): string | null {
  if (header === undefined || header.length > CREDENTIAL_CHARACTERS_MAX) return null;
  return BEARER.exec(header)?.[1] ?? null;
}

function tooMany(spent: RateLimiterRes): AppError {
  return new AppError('rate_limited', 'too many refused credentials from this address', {
    headers: { 'retry-after': String(Math.max(1, Math.ceil(spent.msBeforeNext / 1000))) },
  });
}
