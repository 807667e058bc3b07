// Renews identity tokens with the provider's refresh token, before they end or with the first
// request afterwards. Providers that rotate refresh tokens end everything when an old one comes
// back, so one replica renews and the others read what it has stored.
import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Clock, Log } from '@parley/server/runtime';
import type { Identity, IdentityTokens } from './identity.ts';
import { ProviderUnreachable } from './provider.ts';
import type { SessionPlace } from './session-store.ts';

const BEFORE_END_MS = 2 * 60_000;
/** Longer than an answer of the provider may take. Also the pause after a failed attempt. */
const CLAIM_MS = 15_000;
const REREAD_EVERY_MS = 250;

/** A session as it is stored. */
export interface StoredTokens<Tokens extends IdentityTokens> {
  readonly id: string;
  /** The newest, by whichever replica. */
  read(): Promise<Tokens | null>;
  save(tokens: Tokens): Promise<void>;
}

export interface RenewalOptions {
  readonly identity: Pick<Identity, 'renew'>;
  readonly place: Pick<SessionPlace, 'claim'>;
  readonly clock: Clock;
  readonly log: Log;
}

/** Null when the token has ended and cannot be renewed. */
export type Renew = <Tokens extends IdentityTokens>(
  tokens: Tokens,
  stored: StoredTokens<Tokens>,
) => Promise<Tokens | null>;

export function createRenewal({ identity, place, clock, log }: RenewalOptions): Renew {
  const running = new Map<string, Promise<unknown>>();
  const hasEnded = ({ tokenEndsAtMs }: IdentityTokens) => tokenEndsAtMs <= clock();
  const isDue = ({ refresh, tokenEndsAtMs }: IdentityTokens) =>
    refresh !== null && tokenEndsAtMs - clock() <= BEFORE_END_MS;

  async function renew<Tokens extends IdentityTokens>(
    tokens: Tokens,
    stored: StoredTokens<Tokens>,
  ): Promise<Tokens> {
    const name = createHash('sha256').update(stored.id).digest('hex');
    if (!(await place.claim(name, CLAIM_MS))) return awaitOther(tokens, stored);
    try {
      const renewed = { ...tokens, ...(await identity.renew(tokens)) };
      await stored.save(renewed);
      return renewed;
    } catch (error) {
      if (error instanceof ProviderUnreachable) {
        log.warn({ err: error }, 'identity.unreachable');
        return tokens;
      }
      log.warn({ err: error, person: tokens.person }, 'identity.not_renewed');
      const last = { ...tokens, refresh: null };
      await stored.save(last);
      return last;
    }
  }

  /** Another request renews, or has failed a moment ago. */
  async function awaitOther<Tokens extends IdentityTokens>(
    tokens: Tokens,
    stored: StoredTokens<Tokens>,
  ): Promise<Tokens> {
    const untilMs = performance.now() + CLAIM_MS;
    for (;;) {
      const newest = (await stored.read()) ?? tokens;
      if (!isDue(newest) || !hasEnded(newest) || performance.now() >= untilMs) return newest;
      await sleep(REREAD_EVERY_MS);
    }
  }

  return async <Tokens extends IdentityTokens>(tokens: Tokens, stored: StoredTokens<Tokens>) => {
    let current = tokens;
    if (isDue(tokens)) {
      const work = (running.get(stored.id) as Promise<Tokens> | undefined) ?? renew(tokens, stored);
      running.set(stored.id, work);
      current = await work.finally(() => running.delete(stored.id));
    }
    return hasEnded(current) ? null : current;
  };
}
