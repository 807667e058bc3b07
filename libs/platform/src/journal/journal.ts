// The journal of what a restore must not undo: revoked keys, erasures, unsubscribes, suppressions.
// Triggers write a row of `journal_entries` in the transaction of the effect; workers append it to
// the folder. After a restore the folder knows more than the database: the service is not ready
// until `parley replay-journal` has brought the entries back and workers have applied them
// (docs/recovery.md#the-journal).
import type pg from 'pg';
import { inTransaction, type Sql } from '@parley/server/postgres';
import { appendEntries, readEntries, readLastEntry, type JournalEntry } from './journal-folder.ts';

/** Applies entries of one kind and organisation, oldest first; may be called twice. */
export type ApplyEntries = (
  sql: Sql,
  organizationId: string,
  entries: readonly JournalEntry[],
) => Promise<void>;

const BATCH = 500;
/** Any constant: one flush at a time in a database. */
const FLUSH_LOCK = 7_260_201;

type Row = Omit<JournalEntry, 'at'> & { readonly at: Date };
const toEntry = (row: Row): JournalEntry => Object.assign(row, { at: row.at.toISOString() });

/**
 * Appends new entries to the folder, unless it is ahead of the database: then the newest entry
 * would be known again. If the process ends before the commit, entries are appended twice.
 */
export async function flushJournal(pool: pg.Pool, folder: string): Promise<void> {
  for (let count = BATCH; count === BATCH;) {
    count = await inTransaction(pool, async (sql) => {
      await sql('SELECT pg_advisory_xact_lock($1::bigint)', [FLUSH_LOCK]);
      if (await isJournalAhead(sql, folder)) return 0;
      const rows = await sql<Row>(
        `SELECT id, at, kind, organization_id, subject, detail FROM journal_entries
         WHERE flushed_at IS NULL ORDER BY at, id LIMIT $1::int`,
        [BATCH],
      );
      await appendEntries(folder, rows.map(toEntry));
      await sql('UPDATE journal_entries SET flushed_at = now() WHERE id = ANY($1::text[])', [
        rows.map(({ id }) => id),
      ]);
      return rows.length;
    });
  }
}

/** True while workers apply entries, or when the folder has entries that the database lacks. */
export async function isJournalAhead(sql: Sql, folder: string): Promise<boolean> {
  const last = await readLastEntry(folder);
  const [row] = await sql<{ known: boolean; open: boolean }>(
    `SELECT $1::text IS NULL OR EXISTS (SELECT 1 FROM journal_entries WHERE id = $1) AS known,
       EXISTS (SELECT 1 FROM journal_entries WHERE replaying) AS open`,
    [last?.id ?? null],
  );
  return !row!.known || row!.open;
}

/** Brings entries of the folder that the database lacks back, for workers to apply. */
export async function loadJournal(sql: Sql, folder: string, since: Date | undefined): Promise<number> {
  let loaded = 0;
  // The database knew all that is older, and has trimmed it.
  const [known] = await sql<{ oldest: Date | null }>('SELECT min(at) AS oldest FROM journal_entries');
  const oldest = known!.oldest;
  const newest = (await readLastEntry(folder))?.id;
  for await (const all of readEntries(folder)) {
    const entries = all.filter(({ id, at }) => !since || new Date(at) >= since || id === newest);
    for (let from = 0; from < entries.length; from += BATCH) {
      const added = await sql<{ id: string }>(
        `INSERT INTO journal_entries (id, at, kind, organization_id, subject, detail, flushed_at, replaying)
         SELECT entry.*, now(), true
         FROM jsonb_to_recordset($1::jsonb)
           AS entry (id text, at timestamptz, kind text, organization_id text, subject text, detail jsonb)
         WHERE entry.at >= COALESCE($2::timestamptz, '-infinity')
         ON CONFLICT (id) DO NOTHING RETURNING id`,
        [JSON.stringify(entries.slice(from, from + BATCH)), oldest],
      );
      loaded += added.length;
    }
  }
  return loaded;
}

/**
 * Applies what `loadJournal` brought back, in its order.
 * @throws Error for a kind without a function: nothing of a newer release is skipped in silence
 */
export async function applyJournal(
  pool: pg.Pool,
  appliers: Readonly<Record<string, ApplyEntries>>,
): Promise<void> {
  for (let count = BATCH; count === BATCH;) {
    count = await inTransaction(pool, async (sql) => {
      const rows = await sql<Row>(
        `SELECT id, at, kind, organization_id, subject, detail FROM journal_entries
         WHERE replaying ORDER BY at, id LIMIT $1::int FOR UPDATE`,
        [BATCH],
      );
      for (const group of groupRuns(rows.map(toEntry))) {
        const { kind, organization_id: organizationId } = group[0]!;
        const apply = Object.hasOwn(appliers, kind) ? appliers[kind] : undefined;
        if (!apply)
          throw new Error(`the journal has entries of the kind "${kind}", which this release lacks`);
        await apply(sql, organizationId, group);
      }
      await sql('UPDATE journal_entries SET replaying = false WHERE id = ANY($1::text[])', [
        rows.map(({ id }) => id),
      ]);
      return rows.length;
    });
  }
}

/** Consecutive entries of one kind and organisation, so that the order of kinds stays. */
function groupRuns(entries: readonly JournalEntry[]): JournalEntry[][] {
  const runs: JournalEntry[][] = [];
  for (const entry of entries) {
    const run = runs.at(-1);
    const isSame = run?.[0]?.kind === entry.kind && run[0].organization_id === entry.organization_id;
    if (run && isSame) run.push(entry);
    else runs.push([entry]);
  }
  return runs;
}

/** Backups that are older bring back entries that are in the folder all the same. */
const KEPT_DAYS = 30;

/** The newest one stays: it says that the folder is not ahead. */
export async function trimJournal(sql: Sql): Promise<void> {
  await sql(
    `DELETE FROM journal_entries
     WHERE at < now() - make_interval(days => $1::int) AND NOT replaying
       AND id <> (SELECT id FROM journal_entries ORDER BY flushed_at DESC NULLS LAST, at DESC, id DESC LIMIT 1)`,
    [KEPT_DAYS],
  );
}
