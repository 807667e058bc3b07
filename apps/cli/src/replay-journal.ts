// `parley replay-journal`: after a restore, brings back what the journal knows and the database
// does not. Workers of the service apply it, and the service is ready afterwards.
import type { Command, Option } from 'commander';
import { loadJournal, locateJournal, readLastEntry } from '@parley/platform/journal';
import type { Environment } from '@parley/server/runtime';
import type { Output } from './program.ts';
import { withDatabase, type Service } from './services.ts';

interface ReplayOptions {
  readonly product: Service;
  readonly since?: string;
  readonly journalDir?: string;
  readonly databaseUrl?: string;
}

export function addReplayJournal(
  parley: Command,
  env: Environment,
  print: Output['print'],
  { product, url }: { readonly product: () => Option; readonly url: () => Option },
): void {
  parley
    .command('replay-journal')
    .description('After a restore, revoke and erase again what was revoked and erased since the backup')
    .addOption(product())
    .option('--since <time>', 'ISO 8601; default: all that the database does not know')
    .option('--journal-dir <folder>', 'default: JOURNAL_DIR')
    .addOption(url())
    .action(async (options: ReplayOptions) => {
      const journals = options.journalDir ?? env['JOURNAL_DIR'];
      if (!journals) throw new Error('no journal: pass --journal-dir or set JOURNAL_DIR');
      const since = options.since === undefined ? undefined : new Date(options.since);
      if (since && Number.isNaN(since.getTime())) throw new Error('--since must be a time of ISO 8601');
      const folder = locateJournal(journals, options.product);
      if (!(await readLastEntry(folder))) throw new Error(`${folder} holds no journal`);
      await withDatabase(env, options, async (sql) => {
        const loaded = await loadJournal(sql, folder, since);
        print(`${options.product}: workers apply ${loaded} entries; the service is ready afterwards`);
      });
    });
}
