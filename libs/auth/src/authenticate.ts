// Finds the caller of a Bearer credential. The guard of every endpoint
// (docs/platform.md#credentials). No database read for a cached key.
import type { BlockList } from 'node:net';
import { LRUCache } from 'lru-cache';
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import { AppError } from '@parley/envelopes';
import type { Authenticator, Caller, Face } from '@parley/server/http';
import { createNoticedCache, type Listener, type Sql } from '@parley/server/postgres';
import { createAddressList, ignoreFailure, isListed, type Clock, type Log } from '@parley/server/runtime';
import { computeHash, isApiKey, type Product } from './api-key.ts';
import {
  API_KEYS_CHANNEL,
  toCacheKey,
  findApiKeyByHash,
  isUsable,
  recordKeyUse,
  type ApiKeyRecord,
} from './api-keys.ts';
import type { VerifyIdentityToken } from './identity-token.ts';
import { rateLimited, REFUSED_PER_MINUTE_MAX } from './refusals.ts';

/** Cached verified keys; the least recently used one goes first. */
const KEYS_CACHED_MAX = 50_000;
/** Keys in use, hashed once. Their text is in memory while they are in use. */
const KEYS_HASHED_MAX = 10_000;
/** `last_used_at` is written at most this often for a key: one UPDATE for all keys. */
const FLUSH_EVERY_MS = 60_000;
/** Our credentials are shorter; longer ones are not hashed or parsed. */
const CREDENTIAL_CHARACTERS_MAX = 8_192;

export interface AuthenticatorOptions {
  readonly product: Product;
  readonly sql: Sql;
  readonly listener: Listener;
  readonly clock: Clock;
  readonly log: Log;
  readonly verifyIdentityToken: VerifyIdentityToken | null;
}

type AuthenticatedRequest = Parameters<Authenticator['authenticate']>[0];
type AddressedRequest = Pick<AuthenticatedRequest, 'ip'>;

interface KnownKey {
  readonly caller: Caller;
  /** Null: any. */
  readonly allowedIps: BlockList | null;
  readonly record: ApiKeyRecord;
}

/** `close` writes the pending `last_used_at`. */
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
      return record ? toKnownKey(record) : null;
    },
  });

  async function flush(): Promise<void> {
    const used = new Map(lastUsedMs);
    lastUsedMs.clear();
    await ignoreFailure(recordKeyUse(sql, used), 'last_used_at is informative', log);
  }
  const timer = setInterval(() => void flush(), FLUSH_EVERY_MS);
  timer.unref();

  /**
   * Cache keys of valid keys by their text, so that each is hashed once instead of for every
   * request.
   */
  const cacheKeys = new LRUCache<string, string>({ max: KEYS_HASHED_MAX });

  async function findKeyCaller(credential: string, request: AddressedRequest): Promise<Caller | undefined> {
    if (!isApiKey(options.product, credential)) return undefined;
    const cacheKey = toCacheKey(computeHash(credential));
    const known = keys.peek(cacheKey) ?? (await lookUp(cacheKey, readAddress(request)));
    const caller = usableCaller(known, request);
    if (caller) cacheKeys.set(credential, cacheKey);
    return caller;
  }

  function usableCaller(known: KnownKey | null | undefined, request: AddressedRequest): Caller | undefined {
    const nowMs = clock();
    if (!known || !isUsable(known.record, nowMs)) return undefined;
    if (known.allowedIps !== null && !isListed(known.allowedIps, readAddress(request))) return undefined;
    lastUsedMs.set(known.record.id, nowMs);
    return known.caller;
  }

  let lookUpQueue: Promise<unknown> = Promise.resolve();

  /**
   * A valid key passes from any address, which many clients may share. Addresses with too many
   * refusals look keys up one at a time, so a search holds at most one database connection.
   */
  async function lookUp(cacheKey: string, address: string): Promise<KnownKey | null> {
    const spent = await refused.get(address);
    if (!spent || spent.consumedPoints <= REFUSED_PER_MINUTE_MAX) return keys.get(cacheKey);
    const found = lookUpQueue.then(() => keys.get(cacheKey));
    lookUpQueue = found.catch(() => undefined);
    return found;
  }

  async function refusal(address: string): Promise<AppError> {
    try {
      await refused.consume(address);
    } catch (spent) {
      if (spent instanceof RateLimiterRes)
        return rateLimited(spent, 'too many refused credentials from this address: try again in a minute');
      throw spent;
    }
    // One message for every reason, which tells an attacker nothing.
    return new AppError('unauthorized', 'a valid credential is needed: Authorization: Bearer <credential>', {
      headers: { 'www-authenticate': 'Bearer' },
    });
  }

  async function verify(credential: string, request: AuthenticatedRequest, face: Face) {
    if (/^(fb|va|nt)_/.test(credential)) return findKeyCaller(credential, request);
    if (face !== 'v1') return null;
    return options.verifyIdentityToken?.(credential, clock(), readOrganization(request));
  }

  return {
    peek: (request) => {
      const cacheKey = cacheKeys.get(parseBearer(request.headers.authorization) ?? '');
      return cacheKey === undefined ? undefined : usableCaller(keys.peek(cacheKey), request);
    },
    authenticate: async (request, face) => {
      const credential = parseBearer(request.headers.authorization);
      const caller = credential === null ? null : await verify(credential, request, face);
      if (!caller) throw await refusal(readAddress(request));
      return caller;
    },
    close: async () => {
      clearInterval(timer);
      await flush();
    },
  };
}

/** Chooses among the organisations of an identity token (docs/platform.md#claims-and-groups). */
function readOrganization({ headers }: AuthenticatedRequest): string | undefined {
  const named = headers['x-organization-id'];
  return typeof named === 'string' ? named : undefined;
}

/** Read only where it is needed: behind proxies it means parsing a header. */
function readAddress({ ip }: AddressedRequest): string {
  return ip ?? '';
}

function toKnownKey(record: ApiKeyRecord): KnownKey {
  const { allowedIps } = record;
  return {
    record,
    caller: toCaller(record),
    allowedIps: allowedIps.length === 0 ? null : createAddressList(allowedIps),
  };
}

function toCaller(record: ApiKeyRecord): Caller {
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
function parseBearer(header: string | undefined): string | null {
  if (header === undefined || header.length > CREDENTIAL_CHARACTERS_MAX) return null;
  return BEARER.exec(header)?.[1] ?? null;
}
