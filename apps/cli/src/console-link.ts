// `parley console …`: who is signed in, and `link`: a link that signs one person in to the console, once (docs/console.md#signing-in). What they may do is what the keys
// may that are issued for it, one a service, and they end by themselves.
import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Option, type Command } from 'commander';
import { askForSessions, createTickets, requestLink, type Tickets } from '@parley/console-access';
import { SCOPES } from '@parley/http';
import {
  createSecretParser,
  parseKeyring,
  systemClock,
  type Environment,
  type ServiceName,
} from '@parley/runtime';
import { createKey } from './keys.ts';
import type { Output } from './program.ts';
import { databaseVariable, DEV_FOLDER, secretsOf, SERVICES, withDatabase } from './services.ts';

/** As long as a session of the console lasts. */
const KEYS_LIVE_MS = 12 * 3600_000;

const CONSOLE_URL = [
  '--console-url <url>',
  'where the console answers; default CONSOLE_URL, else the running development stack',
] as const;

interface ConsoleOptions {
  readonly consoleUrl?: string;
}

interface LinkOptions extends ConsoleOptions {
  readonly org: string;
  readonly scopes: string;
}

export function addConsole(parley: Command, env: Environment, print: Output['print']): void {
  const consoleCommand = parley
    .command('console')
    .description('The console, where people see and change what belongs to an organisation');
  addSessions(consoleCommand, env, print);
  consoleCommand
    .command('link')
    .description('Print a link that signs one person in, once, within ten minutes')
    .requiredOption('--org <id>', 'the organisation')
    .addOption(new Option('--scopes <list>', `comma-separated: ${SCOPES.join(', ')}`).default('admin'))
    .option(...CONSOLE_URL)
    .action(async (options: LinkOptions) => {
      const keys: Partial<Record<ServiceName, string>> = {};
      for (const product of servicesOf(env)) {
        const issue = { ...options, product, name: 'console link', environment: 'live' } as const;
        await withDatabase(env, issue, async (sql) => {
          keys[product] = (await createKey(sql, issue, systemClock() + KEYS_LIVE_MS)).key;
        });
      }
      const label = `parley console link, ${options.org}`;
      print((await requestLink({ ...consoleOf(env, options), keys, label })).url);
    });
}

interface SessionOptions extends ConsoleOptions {
  readonly id?: string;
  readonly person?: string;
  readonly all?: true;
}

/** Who is signed in, and ending that (docs/console.md#sessions). */
function addSessions(parent: Command, env: Environment, print: Output['print']): void {
  const sessions = parent.command('sessions').description('Who is signed in to the console');
  sessions
    .command('list')
    .description('The sessions, a line each')
    .option(...CONSOLE_URL)
    .action(async (options: ConsoleOptions) => {
      const listed = await askForSessions(consoleOf(env, options), { action: 'list', which: { all: true } });
      for (const session of listed) print(JSON.stringify(session));
    });
  sessions
    .command('end')
    .description('End sessions at once; prints those that ended')
    .option('--id <id>', 'one, as listed')
    .option('--person <name>', 'all of a person, as listed')
    .option('--all', 'all of everybody')
    .option(...CONSOLE_URL)
    .action(async ({ id, person, all, ...options }: SessionOptions) => {
      const which = [
        ...(id === undefined ? [] : [{ id }]),
        ...(person === undefined ? [] : [{ person }]),
        ...(all === undefined ? [] : [{ all }]),
      ];
      if (which[0] === undefined || which.length > 1)
        throw new Error('name the sessions by one of --id, --person and --all');
      const request = { action: 'end', which: which[0] } as const;
      for (const session of await askForSessions(consoleOf(env, options), request))
        print(JSON.stringify(session));
    });
}

/** Services whose databases are known here, by their own variables or from the development stack. */
function servicesOf(env: Environment): readonly ServiceName[] {
  const named = SERVICES.filter((service) => env[databaseVariable(service)]);
  return named.length > 0 ? named : SERVICES;
}

/** @throws Error that says what to set. */
function consoleOf(
  env: Environment,
  { consoleUrl: given }: ConsoleOptions,
): { consoleUrl: string; tickets: Tickets } {
  const keyFile = join(DEV_FOLDER, 'secrets', 'console-key');
  const consoleUrl = given ?? env['CONSOLE_URL'] ?? developmentConsole();
  const key = env['CONSOLE_KEY'] ?? (existsSync(keyFile) ? pathToFileURL(resolve(keyFile)).href : undefined);
  if (consoleUrl && key) {
    const tickets = createTickets(createSecretParser(secretsOf(env), key, parseKeyring), systemClock);
    return { consoleUrl, tickets };
  }
  throw new Error(
    'no console: set CONSOLE_URL and CONSOLE_KEY as the console has them, or run `npm start` first',
  );
}

function developmentConsole(): string | undefined {
  try {
    const dev = JSON.parse(readFileSync(join(DEV_FOLDER, 'dev.json'), 'utf8')) as {
      console?: { base_url: string };
    };
    return dev.console?.base_url;
  } catch {
    return undefined; // no stack is running here
  }
}
