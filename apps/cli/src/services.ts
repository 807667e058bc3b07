// Finds the database of a service, and connects to it.
import { readFileSync } from 'node:fs';
import pg from 'pg';
import type { Product } from '@parley/auth';
import { sqlOf, type Sql } from '@parley/server/postgres';
import {
  createIds,
  createSecrets,
  Secret,
  SERVICES,
  systemClock,
  type Environment,
  type Secrets,
  type ServiceName as Service,
} from '@parley/server/runtime';

export { SERVICES, type Service };

/** The service of the image that this program runs in; the console's image has none. */
export const readImageService = (env: Environment): Service | undefined =>
  SERVICES.find((service) => service === env['PARLEY_SERVICE']);

/** Prefixes of each service's keys (docs/platform.md#credentials). */
export const products: Readonly<Record<Service, Product>> = {
  'flow-builder': 'fb',
  'voice-api': 'va',
  notifications: 'nt',
};

/** The folder of the development stack. */
export const DEV_FOLDER = '.parley';

/**
 * `--database-url`, else DATABASE_URL_<SERVICE>, else DATABASE_DIRECT_URL or DATABASE_URL (in an
 * image), else the running development stack. The direct URL comes first because migrations hold a
 * session lock, which a transaction pooler does not keep.
 * @throws Error that names the missing settings.
 */
export function findDatabaseUrl(
  env: Environment,
  options: { product: Service; databaseUrl?: string },
): string {
  const name = options.product.replaceAll('-', '_');
  const given =
    options.databaseUrl ??
    env[databaseVariable(options.product)] ??
    env['DATABASE_DIRECT_URL'] ??
    env['DATABASE_URL'];
  if (given) return given;
  const development = findDevelopmentServer();
  if (development) return new URL(`/${name}`, development).href;
  throw new Error(
    `no database: pass --database-url, set ${databaseVariable(options.product)}, or run \`npm start\` first`,
  );
}

export function databaseVariable(service: Service): string {
  return `DATABASE_URL_${service.replaceAll('-', '_').toUpperCase()}`;
}

function findDevelopmentServer(): string | undefined {
  try {
    return (JSON.parse(readFileSync(`${DEV_FOLDER}/dev.json`, 'utf8')) as { postgres_url?: string })
      .postgres_url;
  } catch {
    return undefined; // no stack is running here
  }
}

/** Also resolves a secret reference, such as `file://…` in an image. */
export async function resolveDatabaseUrl(
  env: Environment,
  options: { product: Service; databaseUrl?: string },
): Promise<string> {
  const given = new Secret(findDatabaseUrl(env, options));
  return (await createSecretReader(env).resolveUrl(given)).reveal();
}

/** Resolves secret references as a service does. */
export function createSecretReader(env: Environment): Secrets {
  const { VAULT_ADDR: url, VAULT_TOKEN: token } = env;
  return createSecrets({ env, clock: systemClock, vault: url && token ? { url, token } : undefined });
}

/** Dependencies of `audit`. */
export const auditDeps = { ids: createIds(), clock: systemClock };

/** Runs `work` and its audit log entries in one transaction. */
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
