// `npm run db:diff -- <service> <name>`: writes the migration that brings
// prisma/<service>/migrations up to its schema.prisma.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createMigration } from '@parley/migrator';
import { openLedger, startEmbeddedPostgres } from '@parley/testing/servers';
import { schemaDir } from '../stack/index.ts';
import { givenUrl, serviceNamed } from '../databases.ts';
import { CommandError, runCommand } from '../run-command.ts';
import type { CommandContext } from '../run-command.ts';

await runCommand(async (context) => {
  const [serviceText, name] = context.args;
  if (serviceText === undefined || name === undefined) {
    throw new CommandError(
      'Usage: npm run db:diff -- <service> <name>, for example: npm run db:diff -- voice-api add_bots',
    );
  }
  const service = serviceNamed(serviceText);
  const dir = schemaDir(context.root, service);
  await withShadowServer(context, givenUrl(context, service), async (databaseUrl) => {
    const folder = await createMigration({ schemaDir: dir, databaseUrl, name, now: new Date() });
    context.print(
      folder === null
        ? 'Nothing changed: the migrations say what schema.prisma says.'
        : `Wrote ${dir}/migrations/${folder}`,
    );
  });
  return 0;
});

/**
 * A server on which the migrations can be replayed: the given one (its role must be able to create
 * databases), or one for the moment.
 */
async function withShadowServer(
  { root, report }: CommandContext,
  given: string | undefined,
  work: (databaseUrl: string) => Promise<void>,
): Promise<void> {
  if (given !== undefined) return work(given);
  const home = mkdtempSync(join(tmpdir(), 'parley-shadow-'));
  try {
    const ledger = openLedger(join(home, 'processes.json'));
    const postgres = await report.step('Postgres started for the moment', () =>
      startEmbeddedPostgres({ root, home, ledger, throwaway: true }),
    );
    try {
      await work(postgres.url);
    } finally {
      await postgres.stop();
    }
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}
