// `parley console …`: lists and ends sessions, and issues sign-in links
// (docs/console.md#signing-in). A link carries one expiring key per service; the keys decide what
// the person may do.
import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Option, type Command } from 'commander';
import { askForSessions, createTickets, requestLink, type Tickets } from '@parley/server/console-access';
import { SCOPES } from '@parley/server/http';
import {
  createSecretParser,
  parseKeyring,
  systemClock,
  type Environment,
  type ServiceName,
} from '@parley/server/runtime';
import { createKey } from './keys.ts';
import type { Output } from './program.ts';
import { databaseVariable, DEV_FOLDER, createSecretReader, SERVICES, withDatabase } from './services.ts';

/** The lifetime of a console session. */
const KEY_LIFETIME_MS = 12 * 3600_000;

const CONSOLE_URL = [
  '--console-url <url>',
  'URL of the console; default CONSOLE_URL, else the running development stack',
] as const;

interface ConsoleOptions {
  readonly consoleUrl?: string;
}

interface LinkOptions extends ConsoleOptions {
  readonly org: string;
  readonly scopes: string;
}

export function addConsole(parley: Command, env: Environment, print: Output['print']): void {
  const consoleCommand = parley.command('console').description('Manage access to the console');
  addSessions(consoleCommand, env, print);
  consoleCommand
    .command('link')
    .description('Print a link that signs one person in, once, within ten minutes')
    .requiredOption('--org <id>', 'the organisation')
    .addOption(new Option('--scopes <list>', `comma-separated: ${SCOPES.join(', ')}`).default('admin'))
    .option(...CONSOLE_URL)
    .action(async (options: LinkOptions) => {
      const keys: Partial<Record<ServiceName, string>> = {};
      for (const product of selectServices(env)) {
        const issue = { ...options, product, name: 'console link', environment: 'live' } as const;
        await withDatabase(env, issue, async (sql) => {
          keys[product] = (await createKey(sql, issue, systemClock() + KEY_LIFETIME_MS)).key;
        });
      }
      const label = `parley console link, ${options.org}`;
      print((await requestLink({ ...findConsole(env, options), keys, label })).url);
    });
}

interface SessionOptions extends ConsoleOptions {
  readonly id?: string;
  readonly person?: string;
  readonly all?: true;
}

/** Lists and ends sessions (docs/console.md#sessions). */
function addSessions(parent: Command, env: Environment, print: Output['print']): void {
  const sessions = parent.command('sessions').description('Manage console sessions');
  sessions
    .command('list')
    .description('List the sessions, one JSON object a line')
    .option(...CONSOLE_URL)
    .action(async (options: ConsoleOptions) => {
      const listed = await askForSessions(findConsole(env, options), {
        action: 'list',
        which: { all: true },
      });
      for (const session of listed) print(JSON.stringify(session));
    });
  sessions
    .command('end')
    .description('End sessions immediately and print those that ended')
    .option('--id <id>', 'id of the session, as listed')
    .option('--person <name>', 'end all sessions of this person, as listed')
    .option('--all', 'end all sessions')
    .option(...CONSOLE_URL)
    .action(async ({ id, person, all, ...options }: SessionOptions) => {
      const which = [
        ...(id === undefined ? [] : [{ id }]),
        ...(person === undefined ? [] : [{ person }]),
        ...(all === undefined ? [] : [{ all }]),
      ];
      if (which[0] === undefined || which.length > 1)
        throw new Error('choose the sessions with one of --id, --person and --all');
      const request = { action: 'end', which: which[0] } as const;
      for (const session of await askForSessions(findConsole(env, options), request))
        print(JSON.stringify(session));
    });
}

/** Services with a DATABASE_URL_<SERVICE>, else all of the development stack. */
function selectServices(env: Environment): readonly ServiceName[] {
  const named = SERVICES.filter((service) => env[databaseVariable(service)]);
  return named.length > 0 ? named : SERVICES;
}

/** @throws Error that names the missing settings. */
function findConsole(
  env: Environment,
  { consoleUrl: given }: ConsoleOptions,
): { consoleUrl: string; tickets: Tickets } {
  const keyFile = join(DEV_FOLDER, 'secrets', 'console-key');
  const consoleUrl = given ?? env['CONSOLE_URL'] ?? findDevelopmentConsole();
  const key = env['CONSOLE_KEY'] ?? (existsSync(keyFile) ? pathToFileURL(resolve(keyFile)).href : undefined);
  if (consoleUrl && key) {
    const tickets = createTickets(
      createSecretParser(createSecretReader(env), key, parseKeyring),
      systemClock,
    );
    return { consoleUrl, tickets };
  }
  throw new Error(
    'no console found: set CONSOLE_URL and CONSOLE_KEY to the values of the console, or run `npm start` first',
  );
}

function findDevelopmentConsole(): string | undefined {
  try {
    const dev = JSON.parse(readFileSync(join(DEV_FOLDER, 'dev.json'), 'utf8')) as {
      console?: { base_url: string };
    };
    return dev.console?.base_url;
  } catch {
    return undefined; // no stack is running here
  }
}
