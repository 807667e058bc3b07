// Whether the database answers with the tables of this release, DATA_KEY opens what it holds, and
// it was not set back: the `store` member of /health, and the basis of /ready. Probed in the
// background, so that /health causes no query (docs/platform.md#operations-endpoints).
import { findMissingMigrations, type Sql } from '@parley/server/postgres';
import { within, type Log, type Sealer } from '@parley/server/runtime';
import { findMissingDataKeys } from './data-keys.ts';

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
  /** How many keys that stored values need DATA_KEY lacks, when it lacks any. */
  readonly data_keys_missing?: number;
  /** After a restore, until `parley replay-journal` ran and workers applied its entries. */
  readonly journal_ahead?: true;
}

export interface Store {
  /** Result of the last probe. */
  readiness(): StoreReadiness;
  close(): void;
}

export interface StoreOptions {
  readonly sql: Sql;
  /** The names of the migrations of this release. */
  readonly migrations: readonly string[];
  readonly sealer: Pick<Sealer, 'keyIds'>;
  /** Whether the journal knows more than the database; undefined without JOURNAL_DIR. */
  readonly isJournalAhead?: (() => Promise<boolean>) | undefined;
  readonly log: Log;
  /** Called in each probe that finds a key missing. */
  readonly onKeysMissing: (ids: readonly string[]) => void;
}

/**
 * Returns after the first probe, so that a service whose database is up is ready immediately. A
 * probe is one query: it makes the checks in turn, and all of them after a failure.
 */
export async function watchStore(options: StoreOptions): Promise<Store> {
  const { sql, migrations, sealer, isJournalAhead, log } = options;
  const found = { migrations: [] as readonly string[], keys: [] as readonly string[] };
  /** Stays as it was while the folder cannot be read. */
  let ahead = isJournalAhead !== undefined;
  let reading: StoreReadiness = { ready: false, ms: 0 };
  const logged = new Map<string, string>();
  let turn = 0;
  let isComplete = false;
  let timer: NodeJS.Timeout | undefined;
  let closed = false;

  const checks = [
    async () => {
      found.migrations = await within(findMissingMigrations(sql, migrations), PROBE_TIMEOUT_MS);
      report('migrations', found.migrations.join(', '));
    },
    async () => {
      if (found.migrations.length > 0) return;
      found.keys = await within(findMissingDataKeys(sql, sealer), PROBE_TIMEOUT_MS);
      report('keys', found.keys.join(', '));
    },
    ...(isJournalAhead ? [() => lookAtJournal(isJournalAhead)] : []),
  ];

  async function probe(): Promise<void> {
    const startedAt = performance.now();
    const all = isComplete ? [checks[(turn += 1) % checks.length]!] : checks;
    isComplete = false;
    try {
      for (const check of all) await check();
      isComplete = true;
    } catch {
      // the failing request logs the cause
    }
    const ms = performance.now() - startedAt;
    reading = toReading(Math.round(ms * 10) / 10);
    if (found.keys.length > 0) options.onKeysMissing(found.keys);
    if (!closed) timer = setTimeout(() => void probe(), PROBE_EVERY_MS - ms).unref();
  }

  function toReading(ms: number): StoreReadiness {
    const [migrationsMissing, keysMissing] = [found.migrations.length, found.keys.length];
    return {
      ready: isComplete && migrationsMissing === 0 && keysMissing === 0 && !ahead,
      ms,
      ...(migrationsMissing > 0 ? { migrations_missing: migrationsMissing } : {}),
      ...(keysMissing > 0 ? { data_keys_missing: keysMissing } : {}),
      ...(ahead ? { journal_ahead: true as const } : {}),
    };
  }

  async function lookAtJournal(isAhead: () => Promise<boolean>): Promise<void> {
    if (found.migrations.length > 0) return;
    try {
      ahead = await within(isAhead(), PROBE_TIMEOUT_MS);
      report('journal', ahead ? 'entries of the journal: run parley replay-journal' : '');
    } catch (error) {
      report('journal', String(error));
    }
  }

  function report(what: 'migrations' | 'keys' | 'journal', missing: string): void {
    if (missing !== '' && missing !== logged.get(what)) log.error({ missing }, `store.${what}_missing`);
    logged.set(what, missing);
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
