// Counts in this process: decides while Redis is away, and where there is none.
//
// It also counts what Redis admitted here, so that the limit survives an outage and a Redis that
// lost its memory. During an outage each replica counts alone: at worst replicas × limit.
import { LRUCache } from 'lru-cache';
import type { Policy, Reading } from './policy.rules.ts';
import { countSince, emptyLog, untilRoomMs, type WindowLog } from './window-log.rules.ts';

/**
 * Cached organisations; the one that was quiet longest goes first (about 3 KB each on the pro
 * plan).
 */
const ORGANIZATIONS_MAX = 20_000;

interface Tally {
  readonly log: WindowLog;
  /** Requests to Redis without an answer: may be admitted at any moment. */
  pending: number;
  inFlight: number;
}

export interface LocalLimiter {
  /** Decides, and counts what it admits: all of `asked` or none. */
  admit(key: string, policy: Policy, asked: number): Reading;
  /** The decision of `admit`, without counting. */
  look(key: string, policy: Policy, asked: number): Reading;
  /** A request to Redis. Settle it with `settled`. */
  asked(key: string, asked: number): void;
  /** Redis has answered, or has failed to. */
  settled(key: string, policy: Policy, asked: number, admitted: boolean): void;
  /** An admitted request is done. */
  ended(key: string): void;
}

export function createLocalLimiter(): LocalLimiter {
  const tallies = new LRUCache<string, Tally>({ max: ORGANIZATIONS_MAX });

  function getTally(key: string): Tally {
    let tally = tallies.get(key);
    if (!tally) tallies.set(key, (tally = { log: emptyLog(), pending: 0, inFlight: 0 }));
    return tally;
  }

  function look(key: string, policy: Policy, asked: number): Reading {
    const { log, pending, inFlight } = getTally(key);
    const nowMs = performance.now();
    const counted = countSince(log, nowMs, policy.windowMs);
    const room = (policy.requests ?? Infinity) - pending - (asked - 1);
    const resetMs = untilRoomMs(log, nowMs, policy.windowMs, room);
    const busy = policy.concurrent !== null && inFlight + pending >= policy.concurrent;
    const spent = policy.requests !== null && counted + pending + asked > policy.requests;
    return { refusedBy: busy ? 'concurrency' : spent ? 'rate' : null, counted, inFlight, resetMs };
  }

  function count(key: string, policy: Policy, admitted: number): void {
    const tally = getTally(key);
    tally.inFlight += 1;
    if (policy.requests === null) return;
    const nowMs = performance.now();
    // removes old entries: there may be no other look for a long time
    countSince(tally.log, nowMs, policy.windowMs);
    for (let one = 0; one < admitted; one += 1) tally.log.times.push(nowMs);
  }

  return {
    look,
    admit: (key, policy, asked) => {
      const reading = look(key, policy, asked);
      if (reading.refusedBy) return reading;
      count(key, policy, asked);
      return {
        refusedBy: null,
        counted: reading.counted + asked,
        inFlight: reading.inFlight + 1,
        resetMs: reading.resetMs || policy.windowMs,
      };
    },
    asked: (key, asked) => {
      getTally(key).pending += asked;
    },
    settled: (key, policy, asked, admitted) => {
      const tally = getTally(key);
      tally.pending = Math.max(0, tally.pending - asked); // 0: forgotten
      if (admitted) count(key, policy, asked);
    },
    ended: (key) => {
      const tally = getTally(key);
      tally.inFlight = Math.max(0, tally.inFlight - 1);
    },
  };
}
