// The commands of `parley`, as a table of commander commands.
import { Command, Option } from 'commander';
import { SCOPES } from '@parley/http';
import { systemClock, type Environment } from '@parley/runtime';
import { addConsole } from './console-link.ts';
import { addDashboard } from './dashboard/add-dashboard.ts';
import { addFlows } from './flows/add-flows.ts';
import { addImport } from './import/add-import.ts';
import { createKey, listKeys, revokeKey } from './keys.ts';
import { addMail } from './mail.ts';
import { addMcp } from './mcp/add-mcp.ts';
import { addMigrate } from './migrate.ts';
import { addOrganizations } from './organizations.ts';
import { addQuarantine } from './quarantine.ts';
import { addRewrap } from './rewrap.ts';
import { serviceOfImage, SERVICES, withDatabase, type Service } from './services.ts';
import { addSettings } from './settings.ts';
import { vapidId, vapidLines } from './vapid.ts';

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
      .default(serviceOfImage(env)) // an image knows its service
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
  addOrganizations(parley, env, print, url);
  addSettings(parley, env, print, url);
  addMail(parley, env, print);
  addMigrate(parley, { env, print }, { product, url });
  addQuarantine(parley, env, print, { product, url });
  addRewrap(parley, { env, print }, { product, url });
  addConsole(parley, env, print);
  addFlows(parley, env, { print, explain });
  addDashboard(parley, env, product);
  addImport(parley, { print, explain });
  addMcp(parley, env, { explain });
  parley
    .command('vapid')
    .description('Keys of web push')
    .command('generate')
    .description('Print a new key pair and the variables that notifications needs for it')
    .option('--id <id>', 'name of the key', vapidId(systemClock()))
    .option(
      '--subject <uri>',
      'mailto: or https:, where push services can reach you',
      'mailto:ops@example.com',
    )
    .action((options: { id: string; subject: string }) => vapidLines(options).forEach(print));
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
