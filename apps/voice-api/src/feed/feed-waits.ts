// Long-polling requests that wait for the next event of their organisation
// (docs/voice-api.md#feed). Notifications of any replica wake them up.
import type { Listener } from '@parley/server/postgres';
import { FEED_CHANNEL } from './feed-events.ts';

/** Waiting requests of a process; further ones are answered immediately. */
const WAITING_MAX = 1_000;
/** Delay after a lost notification. */
const LOOK_EVERY_MS = 1_000;

type WakeReason = 'notice' | 'time' | 'closed';

export interface FeedWaits {
  /** Reserves a place; undefined when there is none. Call the result when the wait is over. */
  enter(): (() => void) | undefined;
  /** Resolves when the organisation has news or it is time to read again; after `ms` at most. */
  next(organizationId: string, ms: number): Promise<WakeReason>;
  /** Ends all waits, so that a stopping service can answer the requests. */
  close(): void;
}

export function createFeedWaits(listener: Listener): FeedWaits {
  const waiting = new Map<string, Set<(why: WakeReason) => void>>();
  let count = 0;
  let closed = false;
  listener.subscribe(FEED_CHANNEL, (organizationId) => {
    for (const wake of waiting.get(organizationId) ?? []) wake('notice');
  });
  return {
    enter: () => {
      if (closed || count >= WAITING_MAX) return undefined;
      count += 1;
      return () => (count -= 1);
    },
    next: (organizationId, ms) =>
      new Promise((resolve) => {
        if (closed || ms <= 0) return resolve(closed ? 'closed' : 'time');
        const same = waiting.get(organizationId) ?? new Set();
        waiting.set(organizationId, same);
        const timer = setTimeout(() => wake('time'), Math.min(ms, LOOK_EVERY_MS));
        const wake = (why: WakeReason) => {
          clearTimeout(timer);
          same.delete(wake);
          if (same.size === 0 && waiting.get(organizationId) === same) waiting.delete(organizationId);
          resolve(why);
        };
        same.add(wake);
      }),
    close: () => {
      closed = true;
      for (const same of [...waiting.values()]) for (const wake of [...same]) wake('closed');
    },
  };
}
