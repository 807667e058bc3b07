// Creates the database that a URL names, if it is absent.
import pg from 'pg';

const DATABASE_ABSENT = '3D000';
/** Both mean that another replica created the database between our check and our CREATE. */
const CREATED_MEANWHILE = new Set(['42P04', '23505']);

/**
 * Creates an absent database; true when this call created it. Tries the database itself first, so a
 * role for only this database suffices once it exists. Throws the answer of Postgres (wrong
 * password, no CREATEDB right, unreachable).
 */
export async function ensureDatabase(databaseUrl: string): Promise<boolean> {
  try {
    await runOnce(databaseUrl, 'SELECT 1');
    return false;
  } catch (error) {
    if (sqlState(error) !== DATABASE_ABSENT) throw error;
  }
  try {
    await runOnce(
      onDatabase(databaseUrl, 'postgres'),
      `CREATE DATABASE ${pg.escapeIdentifier(databaseName(databaseUrl))}`,
    );
    return true;
  } catch (error) {
    if (CREATED_MEANWHILE.has(sqlState(error) ?? '')) return false;
    throw error;
  }
}

/**
 * Runs one statement on its own connection: for CREATE and DROP DATABASE, which no pool may hold
 * open.
 */
export async function runOnce(databaseUrl: string, sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
}

/** The same server and credentials, another database. */
export function onDatabase(databaseUrl: string, name: string): string {
  const url = new URL(databaseUrl);
  url.pathname = `/${encodeURIComponent(name)}`;
  return url.href;
}

/** The name of the database in a `postgresql://` URL. */
export function databaseName(databaseUrl: string): string {
  const name = decodeURIComponent(new URL(databaseUrl).pathname.slice(1));
  if (name === '')
    throw new Error('The database URL names no database: expected postgresql://host:port/<name>.');
  return name;
}

function sqlState(error: unknown): string | undefined {
  return error instanceof pg.DatabaseError ? error.code : undefined;
}
