// `parley restored`: raises the epoch of a database that was put back where Postgres does not show
// it, such as a snapshot of a managed database (docs/platform.md#epochs).
import { Option, type Command } from 'commander';
import { raiseEpoch } from '@parley/server/event-streams';
import type { Environment } from '@parley/server/runtime';
import type { Output } from './program.ts';
import { readImageService, withDatabase, type Service } from './services.ts';

/** Those with positions. */
const STREAMING: readonly Service[] = ['voice-api', 'notifications'];

export function addRestored(
  parley: Command,
  env: Environment,
  print: Output['print'],
  { url }: { readonly url: () => Option },
): void {
  parley
    .command('restored')
    .description('Raise the epoch after a restore, so that no reader of the feed or a stream misses events')
    .addOption(
      new Option('--product <service>', 'the service')
        .choices(STREAMING)
        .default(readImageService(env))
        .makeOptionMandatory(),
    )
    .addOption(url())
    .action((options: { readonly product: Service; readonly databaseUrl?: string }) =>
      withDatabase(env, options, async (sql) => {
        const number = await raiseEpoch(sql);
        print(
          `${options.product}: epoch ${number}. Readers go on from the position that they get with 410 or after reset.`,
        );
      }),
    );
}
