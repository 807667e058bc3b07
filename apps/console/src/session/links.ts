// One-time sign-in links, in memory (docs/console.md#signing-in).
import { randomBytes } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { ServiceKeys } from '@parley/server/console-access';

/** Long enough to use the link on another machine. */
export const LINK_LIVES_MS = 10 * 60_000;
/** Beyond this the oldest is dropped. Only the holder of CONSOLE_KEY creates links. */
const LINKS_MAX = 1_000;
const CODE_BYTES = 24;

export interface Links {
  /** A code that `redeem` accepts once. */
  make(keys: ServiceKeys): string;
  redeem(code: string): ServiceKeys | null;
}

export function createLinks(): Links {
  const waiting = new LRUCache<string, ServiceKeys>({ max: LINKS_MAX, ttl: LINK_LIVES_MS });
  return {
    make: (keys) => {
      const code = randomBytes(CODE_BYTES).toString('base64url');
      waiting.set(code, keys);
      return code;
    },
    redeem: (code) => {
      const keys = waiting.get(code) ?? null;
      waiting.delete(code);
      return keys;
    },
  };
}
