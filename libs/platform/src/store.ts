// Whether the database answers: the `store` member of /health, and the basis of /ready. Probed in
// the background, so that /health causes no query (docs/platform.md#operations-endpoints).
import type { Sql } from '@parley/server/postgres';
import { within } from '@parley/server/runtime';

const PROBE_EVERY_MS = 1_000;
/**
 * A query on a dead connection fails only after its own timeout, but the load balancer must know
 * within 2 s.
 */
const PROBE_TIMEOUT_MS = 1_000;

export interface Store {
  /** Result and duration of the last probe. */
  readiness(): { ready: boolean; ms: number };
  close(): void;
}

/** Returns after the first probe, so that a service whose database is up is ready immediately. */
export async function watchStore(sql: Sql): Promise<Store> {
  let reading = { ready: false, ms: 0 };
  let timer: NodeJS.Timeout | undefined;
  let closed = false;

  async function probe(): Promise<void> {
    const startedAt = performance.now();
    let ready = true;
    try {
      await within(sql('SELECT 1'), PROBE_TIMEOUT_MS);
    } catch {
      ready = false; // the failing request logs the cause
    }
    const ms = performance.now() - startedAt;
    reading = { ready, ms: Math.round(ms * 10) / 10 };
    if (!closed) timer = setTimeout(() => void probe(), PROBE_EVERY_MS - ms).unref();
  }
  await probe();

  return {
    readiness: () => reading,
    close: () => {
      closed = true;
      clearTimeout(timer);
    },
  };
}
