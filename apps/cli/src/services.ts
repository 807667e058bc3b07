// Which services there are, and how the CLI finds the database of one.
import { readFileSync } from 'node:fs';
import pg from 'pg';
import type { Product } from '@parley/auth';
import { sqlOf, type Sql } from '@parley/postgres';
import { SERVICES, type Environment, type ServiceName as Service } from '@parley/runtime';

export { SERVICES, type Service };

/** What a key of the service begins with (platform §3). */
export const productOf: Readonly<Record<Service, Product>> = {
  'flow-builder': 'fb',
  'voice-api': 'va',
  notifications: 'nt',
};

/** Where `npm start` writes what it runs. */
const DEV_FILE = '.parley/dev.json';

/**
 * The database of a service: `--database-url`, else DATABASE_URL_<SERVICE>, else DATABASE_URL (in an image, which
 * holds one service), else the running development stack.
 * @throws Error that says what to set.
 */
export function databaseUrl(env: Environment, options: { product: Service; databaseUrl?: string }): string {
  const name = options.product.replaceAll('-', '_');
  const given = options.databaseUrl ?? env[`DATABASE_URL_${name.toUpperCase()}`] ?? env['DATABASE_URL'];
  if (given) return given;
  const development = developmentServer();
  if (development) return new URL(`/${name}`, development).href;
  throw new Error(
    `no database: give --database-url, set DATABASE_URL_${name.toUpperCase()}, or run \`npm start\` first`,
  );
}

function developmentServer(): string | undefined {
  try {
    return (JSON.parse(readFileSync(DEV_FILE, 'utf8')) as { postgres_url?: string }).postgres_url;
  } catch {
    return undefined; // no stack is running here
  }
}

export async function withDatabase(
  env: Environment,
  options: { product: Service; databaseUrl?: string },
  work: (sql: Sql) => Promise<void>,
): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl(env, options), application_name: 'parley' });
  await client.connect();
  try {
    await work(sqlOf(client));
  } finally {
    await client.end();
  }
}
