// One-time sign-in links (docs/console.md#signing-in).
import { createHash, randomBytes } from 'node:crypto';
import { serviceKeys, type ServiceKeys, type Tickets } from '@parley/server/console-access';
import { SessionsUnavailable } from './session.ts';
import type { OncePlace } from './session-store.ts';

/** Long enough to use the link on another machine. */
export const LINK_LIVES_MS = 10 * 60_000;
const CODE_BYTES = 24;

export interface Links {
  /** A code that `redeem` accepts once, on any replica that shares the place. */
  make(keys: ServiceKeys): Promise<string>;
  redeem(code: string): Promise<ServiceKeys | null>;
}

/** The place has a hash of the code, and the keys sealed under CONSOLE_KEY. */
export function createLinks(place: OncePlace, tickets: Tickets): Links {
  const nameOf = (code: string) => createHash('sha256').update(code).digest('hex');
  const unavailable = (cause: unknown): never => {
    throw new SessionsUnavailable('links cannot be reached', { cause });
  };
  return {
    make: async (keys) => {
      const code = randomBytes(CODE_BYTES).toString('base64url');
      const sealed = await tickets.seal('waiting-link', keys, LINK_LIVES_MS / 1000);
      await place.put(nameOf(code), sealed, LINK_LIVES_MS).catch(unavailable);
      return code;
    },
    redeem: async (code) => {
      const sealed = await place.take(nameOf(code)).catch(unavailable);
      return sealed === null ? null : tickets.open('waiting-link', serviceKeys, sealed);
    },
  };
}
