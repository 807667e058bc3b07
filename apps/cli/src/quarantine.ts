// `parley quarantine …`: what workers died of and is set aside, and putting it back once the cause is mended (docs/platform.md#quarantine).
import type { Command, Option } from 'commander';
import { listQuarantined, releaseQuarantined, quarantines } from '@parley/queues';
import { systemClock, type Environment } from '@parley/runtime';
import type { Output } from './program.ts';
import { withDatabase, type Service } from './services.ts';

interface ServiceOptions {
  readonly product: Service;
  readonly databaseUrl?: string;
}

interface PutBackOptions extends ServiceOptions {
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
    .description('Work that is set aside because workers died with it in hand');
  quarantine
    .command('list')
    .description('What is set aside, a line each')
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
    .description('Put one back to work, as if no worker had died with it')
    .addOption(product())
    .requiredOption(
      '--table <table>',
      `as listed: ${[
        ...new Set(
          Object.values(quarantines)
            .flat()
            .map(({ table }) => table),
        ),
      ].join(', ')}`,
    )
    .requiredOption('--org <id>', 'the organisation that it belongs to')
    .requiredOption('--id <id>', 'as listed')
    .addOption(url())
    .action((options: PutBackOptions) =>
      withDatabase(env, options, async (sql) => {
        const { product: service, table, id, org: organizationId } = options;
        const now = new Date(systemClock());
        if (!(await releaseQuarantined(sql, service, { table, id, organizationId }, now)))
          throw new Error(`nothing is set aside as "${id}" of "${organizationId}" in ${table}`);
        print(`released ${id}`);
      }),
    );
}
