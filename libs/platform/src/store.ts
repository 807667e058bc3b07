// Whether the database answers: the `store` member of /health and the heart of /ready. Asked in the background, so that nobody who
// asks for /health asks the database (docs/platform.md#operations-endpoints).
import type { Sql } from '@parley/postgres';
import { within } from '@parley/runtime';

const PROBE_EVERY_MS = 1_000;
/** A query on a connection that died silently takes its own time-out to fail; who routes requests here shall know in two seconds. */
const PROBE_TIMEOUT_MS = 1_000;

export interface Store {
  /** How the last probe went, and how long it took. */
  readiness(): { ready: boolean; ms: number };
  close(): void;
}

/** The first answer is there when it returns: a service that starts beside its database is ready at once. */
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
      ready = false; // why is in the log of whoever needed the database
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
