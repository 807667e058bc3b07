// Where the database of a service is, for the two db commands: a given server, the running stack's,
// or the stack's started for the moment.
import { join } from 'node:path';
import { SERVICES, SERVICE_FACTS, readJson, type ServiceName } from './stack/index.ts';
import { lockFolder, lockHolder, openLedger, startEmbeddedPostgres } from '@parley/testing/servers';
import type { DevFile } from './dev-file.ts';
import { CommandError } from './run-command.ts';
import type { CommandContext } from './run-command.ts';

/** Reads a service's name from the command line. */
export function serviceNamed(text: string): ServiceName {
  const found = SERVICES.find((name) => name === text);
  if (found === undefined) throw new CommandError(`"${text}" is none of ${SERVICES.join(', ')}.`);
  return found;
}

/** The server that DATABASE_URL_<SERVICE> names, if it does. */
export function givenUrl(context: CommandContext, service: ServiceName): string | undefined {
  return context.env[SERVICE_FACTS[service].urlVariable] || undefined;
}

/**
 * Runs `work` with the URL of the development stack's Postgres. When no stack runs, its Postgres is
 * started for the moment, under the stack's lock.
 */
export async function withDevelopmentPostgres(
  context: CommandContext,
  work: (url: string) => Promise<void>,
): Promise<void> {
  const { root, home, report } = context;
  const lock = join(home, 'stack.lock');
  if (lockHolder(lock) !== null) {
    const running = readJson<DevFile>(join(home, 'dev.json'));
    if (running === null)
      throw new CommandError('The development stack is just starting or stopping. Try again in a moment.');
    return work(running.postgres_url);
  }
  const unlock = lockFolder(lock);
  try {
    const ledger = openLedger(join(home, 'processes.json'));
    await ledger.endLeftovers();
    const postgres = await report.step('Postgres started', () =>
      startEmbeddedPostgres({ root, home, ledger }),
    );
    try {
      await work(postgres.url);
    } finally {
      await postgres.stop();
    }
  } finally {
    unlock();
  }
}

/** Another database of the same server. */
export function onServer(serverUrl: string, database: string): string {
  const url = new URL(serverUrl);
  url.pathname = `/${database}`;
  return url.href;
}
