// `parley handover replay`: sends messages again that a service acknowledged before its database
// was put back (docs/recovery.md#one-database-put-back).
import { Option, type Command } from 'commander';
import { listProducers, replayHandovers } from '@parley/jobs';
import { inTransaction, sqlOf } from '@parley/server/postgres';
import type { Environment } from '@parley/server/runtime';
import pg from 'pg';
import type { Output } from './program.ts';
import {
  databaseVariable,
  readImageService,
  resolveDatabaseUrl,
  SERVICES,
  type Service,
} from './services.ts';

interface ReplayOptions {
  readonly product?: Service;
  readonly since: string;
  readonly to: Service;
  readonly databaseUrl?: string;
}

export function addHandover(
  parley: Command,
  env: Environment,
  print: Output['print'],
  { url }: { readonly url: () => Option },
): void {
  parley
    .command('handover')
    .description('Manage messages that other services acknowledged')
    .command('replay')
    .description('Send messages again to a service whose database was put back')
    .requiredOption('--since <time>', 'ISO 8601: the moment of the backup')
    .addOption(
      new Option('--to <service>', 'the service that was put back').choices(SERVICES).makeOptionMandatory(),
    )
    .addOption(
      new Option('--product <service>', 'the service that sends; default: all with a known database')
        .choices(SERVICES)
        .default(readImageService(env)), // an image knows its service
    )
    .addOption(url())
    .action(async (options: ReplayOptions) => {
      const since = new Date(options.since);
      if (Number.isNaN(since.getTime())) throw new Error('--since must be a time of ISO 8601');
      for (const product of selectProducers(env, options)) {
        const count = await replayFrom(env, { ...options, product }, since);
        print(`${product}: workers send ${count} messages to ${options.to} again`);
      }
    });
}

/** @throws Error when none of them sends to that service */
function selectProducers(env: Environment, { product, to, databaseUrl }: ReplayOptions): readonly Service[] {
  const producers = listProducers(to);
  if (product && !producers.includes(product)) throw new Error(`${product} sends nothing to ${to}`);
  if (product) return [product];
  if (databaseUrl) throw new Error('name the service of --database-url with --product');
  const known = producers.filter((name) => env[databaseVariable(name)]);
  return known.length > 0 ? known : producers;
}

async function replayFrom(
  env: Environment,
  options: ReplayOptions & { readonly product: Service },
  since: Date,
): Promise<number> {
  const connectionString = await resolveDatabaseUrl(env, options);
  const pool = new pg.Pool({ connectionString, application_name: 'parley', max: 1 });
  try {
    const [row] = await sqlOf(pool)<{ now: Date }>('SELECT now() AS now');
    const period = { since, until: row!.now };
    return await replayHandovers((work) => inTransaction(pool, work), options.to, period);
  } finally {
    await pool.end();
  }
}
