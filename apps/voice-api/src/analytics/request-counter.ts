// Counts API requests in memory and writes the counts every second: a row for each request would
// cost more than the request. A killed process loses its last second; a stopped one writes it.
import type { Limit } from '@parley/server/http';
import type { Sql } from '@parley/server/postgres';
import { repeat, ignoreFailure, type Clock, type Log } from '@parley/server/runtime';
import { floorToQuarter } from './blocks.rules.ts';
import { recordRequests, type RequestFact } from './record-facts.ts';

export const FLUSH_EVERY_MS = 1_000;
/** Entries held while the database is unavailable. Beyond that, counts are lost and logged. */
const PENDING_MAX = 10_000;

export interface RequestCounter {
  count(organizationId: string): void;
  /** Writes the counts. Counts that could not be written stay for the next flush. */
  flush(): Promise<void>;
  close(): Promise<void>;
}

export function createRequestCounter(options: { sql: Sql; clock: Clock; log: Log }): RequestCounter {
  const { sql, clock, log } = options;
  let pending = new Map<string, RequestFact>();

  function add({ organizationId, atMs, count }: RequestFact): void {
    const key = `${atMs} ${organizationId}`;
    const known = pending.get(key);
    if (known === undefined && pending.size >= PENDING_MAX) {
      log.error({ organization_id: organizationId, count }, 'analytics.requests_lost');
      return;
    }
    pending.set(key, { organizationId, atMs, count: (known?.count ?? 0) + count });
  }

  async function flush(): Promise<void> {
    if (pending.size === 0) return;
    const facts = [...pending.values()];
    pending = new Map();
    try {
      await recordRequests(sql, facts);
    } catch (error) {
      facts.forEach(add);
      throw error;
    }
  }

  const flushing = repeat({ everyMs: FLUSH_EVERY_MS, name: 'analytics.flush_requests', log }, flush);
  return {
    count: (organizationId) => add({ organizationId, atMs: floorToQuarter(clock()).getTime(), count: 1 }),
    flush,
    close: async () => {
      await flushing.close();
      await ignoreFailure(flush(), 'analytics.flush_requests', log);
    },
  };
}

/** `limit`, counting every request that it admits. Rejected requests do not count. */
export function countRequests(counter: Pick<RequestCounter, 'count'>, limit: Limit): Limit {
  return {
    peek: (caller, endpoint) => {
      const admission = limit.peek(caller, endpoint);
      if (admission) counter.count(caller.organizationId);
      return admission;
    },
    admit: async (caller, endpoint) => {
      const admission = await limit.admit(caller, endpoint);
      counter.count(caller.organizationId);
      return admission;
    },
    charge: (caller, count, beside) => limit.charge(caller, count, beside),
    ...(limit.store ? { store: limit.store } : {}),
  };
}
