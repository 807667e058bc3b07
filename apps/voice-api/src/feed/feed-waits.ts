// Requests that wait for the next event of their organisation (docs/voice-api.md#feed): woken by the bell of whichever replica.
import type { Listener } from '@parley/postgres';
import { FEED_CHANNEL } from './feed-events.ts';

/** Requests that wait in a process; the next ones are answered at once. */
const WAITING_MAX = 1_000;
/** A notice that was lost costs so much. */
const LOOK_EVERY_MS = 1_000;

type Woken = 'notice' | 'time' | 'closed';

export interface FeedWaits {
  /** A place among those that wait; undefined: there is none. Call it when the waiting is over. */
  enter(): (() => void) | undefined;
  /** Until something happened in the organisation, or it is time to look again; `ms` at most. */
  next(organizationId: string, ms: number): Promise<Woken>;
  /** Lets everyone go, and nobody wait any more: a service that stops answers what is in flight. */
  close(): void;
}

export function createFeedWaits(listener: Listener): FeedWaits {
  const waiting = new Map<string, Set<(why: Woken) => void>>();
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
        const wake = (why: Woken) => {
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
