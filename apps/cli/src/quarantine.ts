// `parley quarantine …`: lists and releases rows that workers died with
// (docs/platform.md#quarantine).
import type { Command, Option } from 'commander';
import { listQuarantined, releaseQuarantined, quarantines } from '@parley/jobs';
import { systemClock, type Environment } from '@parley/server/runtime';
import type { Output } from './program.ts';
import { withDatabase, type Service } from './services.ts';

interface ServiceOptions {
  readonly product: Service;
  readonly databaseUrl?: string;
}

interface ReleaseOptions extends ServiceOptions {
  readonly table: string;
  readonly id: string;
  readonly org: string;
}

export function addQuarantine(
  parley: Command,
  env: Environment,
  print: Output['print'],
  { product, url }: { readonly product: () => Option; readonly url: () => Option },
): void {
  const quarantine = parley
    .command('quarantine')
    .description('Manage rows in quarantine: those that three workers died with');
  quarantine
    .command('list')
    .description('List the rows in quarantine, one JSON object a line')
    .addOption(product())
    .addOption(url())
    .action((options: ServiceOptions) =>
      withDatabase(env, options, async (sql) => {
        for (const { table, id, organizationId, quarantinedAt } of await listQuarantined(
          sql,
          options.product,
        ))
          print(JSON.stringify({ table, id, org: organizationId, quarantined_at: quarantinedAt }));
      }),
    );
  quarantine
    .command('release')
    .description('Release a row, so that workers process it again')
    .addOption(product())
    .requiredOption(
      '--table <table>',
      `table, as listed: ${[
        ...new Set(
          Object.values(quarantines)
            .flat()
            .map(({ table }) => table),
        ),
      ].join(', ')}`,
    )
    .requiredOption('--org <id>', 'the organisation of the row')
    .requiredOption('--id <id>', 'id of the row, as listed')
    .addOption(url())
    .action((options: ReleaseOptions) =>
      withDatabase(env, options, async (sql) => {
        const { product: service, table, id, org: organizationId } = options;
        const now = new Date(systemClock());
        if (!(await releaseQuarantined(sql, service, { table, id, organizationId }, now)))
          throw new Error(`no row "${id}" of "${organizationId}" is in quarantine in ${table}`);
        print(`released ${id}`);
      }),
    );
}
