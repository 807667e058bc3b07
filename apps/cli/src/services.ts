// Which services there are, and how the CLI finds the database of one.
import { readFileSync } from 'node:fs';
import pg from 'pg';
import type { Product } from '@parley/auth';
import { sqlOf, type Sql } from '@parley/postgres';
import {
  createIds,
  createSecrets,
  Secret,
  SERVICES,
  systemClock,
  type Environment,
  type Secrets,
  type ServiceName as Service,
} from '@parley/runtime';

export { SERVICES, type Service };

/** An image knows its service; that of the console is of none. */
export const serviceOfImage = (env: Environment): Service | undefined =>
  SERVICES.find((service) => service === env['PARLEY_SERVICE']);

/** What a key of the service begins with (docs/platform.md#credentials). */
export const productOf: Readonly<Record<Service, Product>> = {
  'flow-builder': 'fb',
  'voice-api': 'va',
  notifications: 'nt',
};

/** Where `npm start` keeps what it runs. */
export const DEV_FOLDER = '.parley';

/**
 * The database of a service: `--database-url`, else DATABASE_URL_<SERVICE>, else (in an image, which holds one service)
 * DATABASE_DIRECT_URL or DATABASE_URL, else the running development stack. The direct one comes first because migrations
 * hold a lock of their session, which a transaction pooler does not keep.
 * @throws Error that says what to set.
 */
export function databaseUrl(env: Environment, options: { product: Service; databaseUrl?: string }): string {
  const name = options.product.replaceAll('-', '_');
  const given =
    options.databaseUrl ??
    env[databaseVariable(options.product)] ??
    env['DATABASE_DIRECT_URL'] ??
    env['DATABASE_URL'];
  if (given) return given;
  const development = developmentServer();
  if (development) return new URL(`/${name}`, development).href;
  throw new Error(
    `no database: give --database-url, set ${databaseVariable(options.product)}, or run \`npm start\` first`,
  );
}

/** The variable with the address of one service's database. */
export function databaseVariable(service: Service): string {
  return `DATABASE_URL_${service.replaceAll('-', '_').toUpperCase()}`;
}

function developmentServer(): string | undefined {
  try {
    return (JSON.parse(readFileSync(`${DEV_FOLDER}/dev.json`, 'utf8')) as { postgres_url?: string })
      .postgres_url;
  } catch {
    return undefined; // no stack is running here
  }
}

/** The same, with a secret reference (`file://…` in an image) read. */
export async function resolveDatabaseUrl(
  env: Environment,
  options: { product: Service; databaseUrl?: string },
): Promise<string> {
  const given = new Secret(databaseUrl(env, options));
  return (await secretsOf(env).resolveUrl(given)).reveal();
}

/** Reads secret references as a service does. */
export function secretsOf(env: Environment): Secrets {
  const { VAULT_ADDR: url, VAULT_TOKEN: token } = env;
  return createSecrets({ env, clock: systemClock, vault: url && token ? { url, token } : undefined });
}

/** What the audit log's rows are made with. */
export const deeds = { ids: createIds(), clock: systemClock };

/** All or nothing: `work` runs in one transaction, and what it did stands in the audit log or did not happen. */
export function withDatabase(
  env: Environment,
  options: { product: Service; databaseUrl?: string },
  work: (sql: Sql) => Promise<void>,
): Promise<void> {
  return withConnection(env, options, async (client) => {
    await client.query('BEGIN');
    await work(sqlOf(client));
    await client.query('COMMIT');
  });
}

export async function withConnection(
  env: Environment,
  options: { product: Service; databaseUrl?: string },
  work: (client: pg.Client) => Promise<void>,
): Promise<void> {
  const connectionString = await resolveDatabaseUrl(env, options);
  const client = new pg.Client({ connectionString, application_name: 'parley' });
  await client.connect();
  try {
    await work(client);
  } finally {
    await client.end();
  }
}
