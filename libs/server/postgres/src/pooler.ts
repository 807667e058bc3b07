// Checks of DATABASE_URL and DATABASE_DIRECT_URL at start. Behind a pooler that does not suit,
// every request would fail with 500 while the process stays up (k8s/README.md#what-you-bring).
import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { within } from '@parley/server/runtime';

const ANSWERS_WITHIN_MS = 3_000;
/** A notice arrives within milliseconds; through a transaction pooler it never does. */
const NOTICED_WITHIN_MS = 10_000;
const PROBE = { name: 'parley_pooler_probe', text: 'SELECT 1' };

export interface DatabaseAddresses {
  readonly url: string;
  /** Where the service listens; the same as `url` without a pooler. */
  readonly directUrl: string;
  /** Sent as a startup parameter; absent behind a pooler. */
  readonly statementMs: number | undefined;
}

/**
 * One sentence about what does not suit, or undefined.
 * @throws Error when the database cannot be asked.
 */
export async function findPoolerProblem(
  { url, directUrl, statementMs }: DatabaseAddresses,
  noticedWithinMs = NOTICED_WITHIN_MS,
): Promise<string | undefined> {
  const settings = { connectionTimeoutMillis: ANSWERS_WITHIN_MS, query_timeout: ANSWERS_WITHIN_MS };
  const pooled = { ...settings, connectionString: url, statement_timeout: statementMs };
  const [one, other] = [new pg.Client(pooled), new pg.Client(pooled)];
  const direct = new pg.Client({ ...settings, connectionString: directUrl });
  for (const client of [one, other, direct]) client.on('error', () => undefined); // its query fails too
  try {
    await one.connect();
    await other.connect();
    await direct.connect();
    if (await losesStatements(one, other)) return STATEMENTS;
    if (await hearsNotices(one, direct, noticedWithinMs)) return undefined;
    return url === directUrl ? NOTICES : NOTICES_DIRECT;
  } catch (error) {
    if (/unsupported startup parameter/.test((error as Error).message)) return STARTUP;
    throw error;
  } finally {
    await Promise.allSettled([one, other, direct].map((client) => client.end()));
  }
}

const STARTUP =
  'DATABASE_URL is the address of a pooler that refuses the startup parameter statement_timeout: set DATABASE_DIRECT_URL to the address of the Postgres server itself.';
const STATEMENTS =
  'The pooler of DATABASE_URL loses prepared statements between transactions: use PgBouncer 1.21 or newer with max_prepared_statements = 500, or session mode.';
const NOTICES =
  'DATABASE_URL is the address of a transaction pooler, which drops LISTEN: set DATABASE_DIRECT_URL to the address of the Postgres server itself.';
const NOTICES_DIRECT =
  'LISTEN on DATABASE_DIRECT_URL receives no notices from DATABASE_URL: set it to the address of the Postgres server itself, and to the same database.';

/** `undefined_pstatement` and `duplicate_pstatement`. */
const LOST_STATES: ReadonlySet<unknown> = new Set(['26000', '42P05']);

/**
 * Two clients take turns, because a pooler gives a single one the same server connection again.
 * While the second is in a transaction, the first one gets another connection.
 */
async function losesStatements(one: pg.Client, other: pg.Client): Promise<boolean> {
  try {
    await one.query(PROBE);
    await other.query('BEGIN');
    await other.query(PROBE);
    await one.query(PROBE);
    await other.query('COMMIT');
    return false;
  } catch (error) {
    if (LOST_STATES.has((error as { code?: unknown }).code)) return true;
    throw error;
  }
}

async function hearsNotices(sender: pg.Client, listener: pg.Client, withinMs: number): Promise<boolean> {
  const channel = `parley_probe_${randomBytes(8).toString('hex')}`;
  const noticed = new Promise<true>((resolve) =>
    listener.on('notification', (notice) => void (notice.channel === channel && resolve(true))),
  );
  await listener.query(`LISTEN ${channel}`);
  await sender.query("SELECT pg_notify($1, '')", [channel]);
  return within(noticed, withinMs).catch(() => false);
}
