// The Postgres connections of the schema engine: @prisma/adapter-pg with four repairs (7.10.0).
import { randomUUID } from 'node:crypto';
import { PrismaPg } from '@prisma/adapter-pg';
import { ColumnTypeEnum, DriverAdapterError } from '@prisma/driver-adapter-utils';
import type { SqlDriverAdapter, SqlMigrationAwareDriverAdapterFactory } from '@prisma/driver-adapter-utils';
import pg from 'pg';
import { onDatabase, runOnce } from './ensure-database.ts';

/** Prisma's own advisory lock: its command line and this library exclude each other. */
const MIGRATION_LOCK = 72707369;
/** How long a replica waits for another one's deploy. The engine alone gives up after 10 s. */
const LOCK_WAIT_MS = 15 * 60_000;
const CONNECT_TIMEOUT_MS = 15_000;

const OID_CHAR = 18; // the one-byte "char" of the system catalogues
const OID_TEXT = 25;

/**
 * Gives the schema engine its connections and closes them at the end.
 *
 * 1. The adapter refuses columns of type "char". They reach the engine as Character (as Text it
 * panics on Postgres 18).
 * 2. The adapter's executeScript splits at every `;`, which breaks function bodies and may apply
 * half a migration. Here a script is sent as a whole, as one implicit transaction.
 * 3. The adapter drops the shadow database while its own pool is still connected to it.
 * 4. A migration's script also sets `finished_at` of its row in the same transaction. After a crash
 * a row without it proves that nothing was committed, and deployMigrations can clear it.
 */
export class MigrationAdapters implements SqlMigrationAwareDriverAdapterFactory {
  readonly provider = 'postgres';
  readonly adapterName = '@prisma/adapter-pg';
  /** The answer of Postgres to the last failed script: the engine's message hides most of it. */
  scriptError: string | undefined;
  readonly #databaseUrl: string;
  readonly #deploying: ReadonlySet<string> | undefined;
  readonly #pools: pg.Pool[] = [];
  readonly #shadows = new Set<string>();

  /**
   * `deploying`: the scripts for repair 4 when migrations are applied; without it the database is
   * only read.
   */
  constructor(databaseUrl: string, deploying?: ReadonlySet<string>) {
    this.#databaseUrl = databaseUrl;
    this.#deploying = deploying;
  }

  /** A connection to the database. When deploying it holds the migration lock until close(). */
  async connect(): Promise<SqlDriverAdapter> {
    const adapter = await this.#open(this.#databaseUrl);
    if (this.#deploying !== undefined) {
      await adapter.executeScript(
        `SET lock_timeout = ${LOCK_WAIT_MS}; SELECT pg_advisory_lock(${MIGRATION_LOCK}); RESET lock_timeout`,
      );
    }
    return adapter;
  }

  /**
   * A connection to an empty database that lives as long as the engine. Migrations are replayed
   * there for comparison.
   */
  async connectToShadowDb(): Promise<SqlDriverAdapter> {
    const name = `parley_shadow_${randomUUID().replaceAll('-', '')}`;
    await runOnce(this.#databaseUrl, `CREATE DATABASE "${name}"`);
    this.#shadows.add(name);
    return this.#open(onDatabase(this.#databaseUrl, name));
  }

  /** Ends every connection, then drops the shadow databases. */
  async close(): Promise<void> {
    await Promise.all(this.#pools.splice(0).map((pool) => pool.end()));
    for (const name of this.#shadows)
      await runOnce(this.#databaseUrl, `DROP DATABASE IF EXISTS "${name}" WITH (FORCE)`);
    this.#shadows.clear();
  }

  async #open(databaseUrl: string): Promise<SqlDriverAdapter> {
    // One fixed connection: the advisory lock and the script must share it.
    const pool = new CatalogPool({
      connectionString: databaseUrl,
      max: 1,
      idleTimeoutMillis: 0,
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    });
    // A dropped shadow database ends connections that are still closing.
    pool.on('connect', (client) => client.on('error', () => undefined));
    this.#pools.push(pool);
    const adapter = await new PrismaPg(pool).connect();
    const queryRaw = adapter.queryRaw.bind(adapter);
    adapter.queryRaw = async (query) => {
      const result = await queryRaw(query);
      for (const column of pool.charColumns.get(result.rows) ?? [])
        result.columnTypes[column] = ColumnTypeEnum.Character;
      return result;
    };
    adapter.executeScript = async (script) => {
      const sql = this.#deploying?.has(script) ? `${script}\n;${FINISH_MIGRATION}` : script;
      // Without arguments node-postgres uses the simple protocol: many statements, one implicit
      // transaction.
      try {
        await adapter.executeRaw({ sql, args: [], argTypes: [] });
      } catch (error) {
        this.scriptError = describe(error);
        throw error;
      }
    };
    return adapter;
  }
}

const FINISH_MIGRATION = `UPDATE "_prisma_migrations" SET finished_at = now() WHERE finished_at IS NULL AND rolled_back_at IS NULL`;

function describe(error: unknown): string {
  if (!(error instanceof DriverAdapterError)) return String(error);
  const { originalMessage = error.message, originalCode } = error.cause;
  return originalCode === undefined ? originalMessage : `${originalMessage} (${originalCode})`;
}

/**
 * A pool that returns "char" columns as text and remembers which columns they were. It keeps its
 * connection when a statement fails: pg.Pool would close it, and the migration lock with it.
 */
class CatalogPool extends pg.Pool {
  readonly charColumns = new WeakMap<unknown[], number[]>();

  // The adapter calls query() with one object and awaits the answer; it does not use other
  // overloads.
  override query: pg.Pool['query'] = (async (config: pg.QueryConfig) => {
    const client = await this.connect();
    const result = await client
      .query<unknown[]>(config as pg.QueryArrayConfig)
      .finally(() => client.release());
    const chars: number[] = [];
    for (const [column, field] of (result.fields ?? []).entries()) {
      if (field.dataTypeID !== OID_CHAR) continue;
      chars.push(column);
      field.dataTypeID = OID_TEXT;
    }
    if (chars.length > 0) this.charColumns.set(result.rows, chars);
    return result;
  }) as unknown as pg.Pool['query'];
}
