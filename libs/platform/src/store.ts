// Whether the database answers with the tables of this release: the `store` member of /health, and
// the basis of /ready. Probed in the background, so that /health causes no query
// (docs/platform.md#operations-endpoints).
import { findMissingMigrations, type Sql } from '@parley/server/postgres';
import { within, type Log } from '@parley/server/runtime';

const PROBE_EVERY_MS = 1_000;
/**
 * A query on a dead connection fails only after its own timeout, but the load balancer must know
 * within 2 s.
 */
const PROBE_TIMEOUT_MS = 1_000;

export interface StoreReadiness {
  readonly ready: boolean;
  /** Duration of the last probe. */
  readonly ms: number;
  /** How many migrations of this release the database lacks, when it lacks any. */
  readonly migrations_missing?: number;
}

export interface Store {
  /** Result of the last probe. */
  readiness(): StoreReadiness;
  close(): void;
}

/**
 * Returns after the first probe, so that a service whose database is up is ready immediately.
 * `migrations`: the names of those of this release.
 */
export async function watchStore(sql: Sql, migrations: readonly string[], log: Log): Promise<Store> {
  let reading: StoreReadiness = { ready: false, ms: 0 };
  let logged = '';
  let timer: NodeJS.Timeout | undefined;
  let closed = false;

  async function probe(): Promise<void> {
    const startedAt = performance.now();
    let missing: string[] | undefined;
    try {
      missing = await within(findMissingMigrations(sql, migrations), PROBE_TIMEOUT_MS);
    } catch {
      // the failing request logs the cause
    }
    const ms = performance.now() - startedAt;
    reading = {
      ready: missing?.length === 0,
      ms: Math.round(ms * 10) / 10,
      ...(missing?.length ? { migrations_missing: missing.length } : {}),
    };
    report(missing ?? []);
    if (!closed) timer = setTimeout(() => void probe(), PROBE_EVERY_MS - ms).unref();
  }

  function report(missing: readonly string[]): void {
    const names = missing.join(', ');
    if (names !== '' && names !== logged) log.error({ missing: names }, 'store.migrations_missing');
    logged = names;
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
