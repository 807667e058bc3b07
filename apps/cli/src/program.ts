// The commands of `parley`.
import { Command, Option } from 'commander';
import { SCOPES } from '@parley/server/http';
import { systemClock, type Environment } from '@parley/server/runtime';
import { addApplications } from './applications/add-applications.ts';
import { addConsole } from './console-link.ts';
import { addDashboard } from './dashboard/add-dashboard.ts';
import { addFlows } from './flows/add-flows.ts';
import { addGateway } from './gateway/add-gateway.ts';
import { addHandover } from './handover.ts';
import { addImport } from './import/add-import.ts';
import { createKey, listKeys, revokeKey, findKeysOf } from './keys.ts';
import { addMail } from './mail.ts';
import { addMcp } from './mcp/add-mcp.ts';
import { addMigrate } from './migrate.ts';
import { addOrganizations } from './organizations.ts';
import { addQuarantine } from './quarantine.ts';
import { addReplayJournal } from './replay-journal.ts';
import { addRestored } from './restored.ts';
import { addRewrap } from './rewrap.ts';
import { readImageService, SERVICES, withDatabase, type Service } from './services.ts';
import { addSettings } from './settings.ts';
import { addToken } from './token.ts';
import { vapidId, vapidLines } from './vapid.ts';

export interface Output {
  /** Prints one line of results. */
  readonly print: (line: string) => void;
  /** Prints usage and errors. */
  readonly explain: (text: string) => void;
}

export function createProgram(env: Environment, { print, explain }: Output): Command {
  const parley = new Command('parley')
    .description('Operates Parley services: tasks that the API does not offer')
    .exitOverride()
    .configureOutput({ writeErr: explain })
    .showHelpAfterError();
  const product = () =>
    new Option('--product <service>', 'the service')
      .choices(SERVICES)
      .default(readImageService(env)) // an image knows its service
      .makeOptionMandatory();
  const url = () =>
    new Option('--database-url <url>', "the service's database; see apps/cli/README.md for the default");

  const keys = parley
    .command('keys')
    .description('Manage API keys, including the first key of an organisation');
  keys
    .command('create')
    .description('Issue a key and print it; it cannot be shown again')
    .addOption(product())
    .requiredOption('--org <id>', 'the organisation of the key')
    .requiredOption('--name <name>', 'name of the key')
    .addOption(new Option('--scopes <list>', `comma-separated: ${SCOPES.join(', ')}`).default('admin'))
    .addOption(
      new Option('--environment <name>', 'environment in the key').choices(['live', 'test']).default('live'),
    )
    .addOption(url())
    .action((options: CreateOptions) =>
      withDatabase(env, options, async (sql) =>
        print(JSON.stringify(await createKey(sql, options), null, 2)),
      ),
    );
  keys
    .command('list')
    .description('List the active keys of an organisation, newest first')
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
    .description('Revoke a key; takes effect within a second')
    .addOption(product())
    .requiredOption('--org <id>', 'the organisation')
    .option('--id <id>', 'the id of the key')
    .option('--created-by <person>', 'all keys that this person made, and keys made with these')
    .addOption(url())
    .action(({ id, createdBy, ...options }: RevokeOptions) =>
      withDatabase(env, options, async (sql) => {
        if ((id === undefined) === (createdBy === undefined))
          throw new Error('name either a key with --id, or a person with --created-by');
        const ids = createdBy === undefined ? [id!] : await findKeysOf(sql, options.org, createdBy);
        for (const one of ids) {
          await revokeKey(sql, options.org, one);
          print(`revoked ${one}`);
        }
      }),
    );
  addOrganizations(parley, env, print, url);
  addSettings(parley, env, print, url);
  addMail(parley, env, print);
  addMigrate(parley, { env, print }, { product, url });
  addQuarantine(parley, env, print, { product, url });
  addRestored(parley, env, print, { url });
  addReplayJournal(parley, env, print, { product, url });
  addHandover(parley, env, print, { url });
  addRewrap(parley, { env, print }, { product, url });
  addConsole(parley, env, print);
  addToken(parley, env, print);
  addFlows(parley, env, { print, explain });
  addDashboard(parley, env, product);
  addApplications(parley, env, { print, explain });
  addGateway(parley, env, { print, explain });
  addImport(parley, env, { print, explain });
  addMcp(parley, env, { explain });
  parley
    .command('vapid')
    .description('Manage keys of web push')
    .command('generate')
    .description('Print a new key pair and its environment variables for notifications')
    .option('--id <id>', 'name of the key', vapidId(systemClock()))
    .option('--subject <uri>', 'contact for push services, mailto: or https:', 'mailto:ops@example.com')
    .action((options: { id: string; subject: string }) => vapidLines(options).forEach(print));
  return parley;
}

interface ListOptions {
  readonly product: Service;
  readonly org: string;
  readonly databaseUrl?: string;
}

interface RevokeOptions extends ListOptions {
  readonly id?: string;
  readonly createdBy?: string;
}

export interface CreateOptions extends ListOptions {
  readonly name: string;
  readonly scopes: string;
  readonly environment: 'live' | 'test';
}
