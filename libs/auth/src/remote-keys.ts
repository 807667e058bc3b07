// The keys of an identity provider (JWKS), cached while it is unreachable
// (docs/platform.md#keys-of-the-identity-provider).
import { createLocalJWKSet, errors, type JSONWebKeySet, type JWTVerifyGetKey } from 'jose';
import { AppError } from '@parley/envelopes';
import { readBounded, type Clock, type Log } from '@parley/server/runtime';

const FETCH_TIMEOUT_MS = 5_000;
/** A JWKS is a few KiB. */
const BYTES_MAX = 1024 * 1024;
/** Known keys are refreshed in the background: a withdrawn key is gone after this time. */
const REFRESH_AFTER_MS = 10 * 60_000;
/** Tokens with unknown keys cause at most one fetch in this time. */
const COOLDOWN_MS = 30_000;
const BACK_OFF_MS = { first: 1_000, max: 15_000 } as const;
/** How long callers should wait while the identity provider is away. */
const RETRY_SECONDS = '2';

export interface RemoteKeysOptions {
  readonly url: URL;
  /** Maximum age of keys while the provider is unreachable. */
  readonly ageMaxMs: number;
  readonly clock: Clock;
  readonly log: Log;
  readonly count: (outcome: 'fetched' | 'failed') => void;
}

/** Separates "no such key" (the token's fault) from "the keys are unavailable" (ours). */
export function createRemoteKeys({ url, ageMaxMs, clock, log, count }: RemoteKeysOptions): JWTVerifyGetKey {
  let known: ReturnType<typeof createLocalJWKSet> | undefined;
  let fetchedAtMs = -Infinity;
  let notBeforeMs = -Infinity;
  let failures = 0;
  let fetching: Promise<void> | undefined;

  async function fetchKeys(): Promise<void> {
    try {
      known = createLocalJWKSet((await readJson(url)) as JSONWebKeySet);
      [fetchedAtMs, failures, notBeforeMs] = [clock(), 0, clock() + COOLDOWN_MS];
      count('fetched');
    } catch (error) {
      notBeforeMs = clock() + Math.min(BACK_OFF_MS.first * 2 ** failures, BACK_OFF_MS.max);
      failures += 1;
      count('failed');
      log.warn({ err: error, failures }, 'identity.keys_unreachable');
    }
  }
  /** One at a time, and not before `notBeforeMs`. Never rejects. */
  const refresh = async () => {
    if (fetching === undefined && clock() < notBeforeMs) return;
    await (fetching ??= fetchKeys().finally(() => (fetching = undefined)));
  };
  const unavailable = (cause?: unknown) =>
    new AppError('unavailable', 'the identity provider cannot be reached at the moment', {
      headers: { 'retry-after': RETRY_SECONDS },
      cause,
    });

  return async (header, token) => {
    if (clock() - fetchedAtMs > ageMaxMs) await refresh();
    else if (clock() - fetchedAtMs > REFRESH_AFTER_MS) void refresh();
    if (known === undefined || clock() - fetchedAtMs > ageMaxMs) throw unavailable();
    try {
      return await known(header, token);
    } catch (error) {
      if (!(error instanceof errors.JWKSNoMatchingKey)) throw error;
      await refresh(); // the provider may have a new one
      if (failures > 0) throw unavailable(error);
      return known(header, token);
    }
  };
}

/** @throws also when the answer exceeds BYTES_MAX or FETCH_TIMEOUT_MS. */
async function readJson(url: URL): Promise<unknown> {
  const response = await fetch(url, {
    headers: { accept: 'application/json, application/jwk-set+json' },
    redirect: 'manual',
    signal: AbortSignal.timeout(FETCH_TIMEOUT_MS),
  });
  if (response.status !== 200) {
    await response.body?.cancel();
    throw new Error(`the JWKS was answered with ${response.status}`);
  }
  return JSON.parse((await readBounded(response, BYTES_MAX)).toString('utf8')) as unknown;
}
