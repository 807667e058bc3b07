// The commands of `parley`, as a table of commander commands. Called by main.ts and by tests.
import { Command, Option } from 'commander';
import { SCOPES } from '@parley/http';
import type { Environment } from '@parley/runtime';
import { createKey, listKeys, revokeKey } from './keys.ts';
import { SERVICES, withDatabase, type Service } from './services.ts';

export interface Output {
  /** Results, a line each. */
  readonly print: (line: string) => void;
  /** Usage and errors. */
  readonly explain: (text: string) => void;
}

export function program(env: Environment, { print, explain }: Output): Command {
  const parley = new Command('parley')
    .description('Operates Parley services: what is not done over the API')
    .exitOverride()
    .configureOutput({ writeErr: explain })
    .showHelpAfterError();
  const product = () =>
    new Option('--product <service>', 'the service the key belongs to')
      .choices(SERVICES)
      .makeOptionMandatory();
  const url = () =>
    new Option('--database-url <url>', "the service's database; see apps/cli/README.md for the default");

  const keys = parley
    .command('keys')
    .description('Product API keys, the first one of an organisation among them');
  keys
    .command('create')
    .description('Issue a key and print it: it is shown this once')
    .addOption(product())
    .requiredOption('--org <id>', 'the organisation it belongs to')
    .requiredOption('--name <name>', 'what it is for')
    .addOption(new Option('--scopes <list>', `comma-separated: ${SCOPES.join(', ')}`).default('admin'))
    .addOption(
      new Option('--environment <name>', 'written into the key').choices(['live', 'test']).default('live'),
    )
    .addOption(url())
    .action((options: CreateOptions) =>
      withDatabase(env, options, async (sql) =>
        print(JSON.stringify(await createKey(sql, options), null, 2)),
      ),
    );
  keys
    .command('list')
    .description("An organisation's keys that are not revoked, newest first")
    .addOption(product())
    .requiredOption('--org <id>', 'the organisation')
    .addOption(url())
    .action((options: ListOptions) =>
      withDatabase(env, options, async (sql) => {
        for await (const key of listKeys(sql, options.org)) print(JSON.stringify(key));
      }),
    );
  keys
    .command('revoke')
    .description('Revoke a key at once')
    .addOption(product())
    .requiredOption('--org <id>', 'the organisation')
    .requiredOption('--id <id>', 'the id of the key')
    .addOption(url())
    .action((options: RevokeOptions) =>
      withDatabase(env, options, async (sql) => {
        await revokeKey(sql, options.org, options.id);
        print(`revoked ${options.id}`);
      }),
    );
  return parley;
}

interface ListOptions {
  readonly product: Service;
  readonly org: string;
  readonly databaseUrl?: string;
}

interface RevokeOptions extends ListOptions {
  readonly id: string;
}

export interface CreateOptions extends ListOptions {
  readonly name: string;
  readonly scopes: string;
  readonly environment: 'live' | 'test';
}
