// `parley console link`: a link that signs one person in to the console, once (docs/console.md#signing-in). What they may do is what the keys
// may that are issued for it, one a service, and they end by themselves.
import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Option, type Command } from 'commander';
import { createTickets, requestLink } from '@parley/console-access';
import { SCOPES } from '@parley/http';
import { parsedSecret, parseKeyring, systemClock, type Environment, type ServiceName } from '@parley/runtime';
import { createKey } from './keys.ts';
import type { Output } from './program.ts';
import { databaseVariable, DEV_FOLDER, secretsOf, SERVICES, withDatabase } from './services.ts';

/** As long as a session of the console lasts. */
const KEYS_LIVE_MS = 12 * 3600_000;

interface LinkOptions {
  readonly org: string;
  readonly scopes: string;
  readonly consoleUrl?: string;
}

export function addConsole(parley: Command, env: Environment, print: Output['print']): void {
  parley
    .command('console')
    .description('The console, where people see and change what belongs to an organisation')
    .command('link')
    .description('Print a link that signs one person in, once, within ten minutes')
    .requiredOption('--org <id>', 'the organisation')
    .addOption(new Option('--scopes <list>', `comma-separated: ${SCOPES.join(', ')}`).default('admin'))
    .option(
      '--console-url <url>',
      'where the console answers; default CONSOLE_URL, else the running development stack',
    )
    .action(async (options: LinkOptions) => {
      const { consoleUrl, key } = consoleOf(env, options);
      const tickets = createTickets(parsedSecret(secretsOf(env), key, parseKeyring), systemClock);
      const keys: Partial<Record<ServiceName, string>> = {};
      for (const product of servicesOf(env)) {
        const issue = { ...options, product, name: 'console link', environment: 'live' } as const;
        await withDatabase(env, issue, async (sql) => {
          keys[product] = (await createKey(sql, issue, systemClock() + KEYS_LIVE_MS)).key;
        });
      }
      print(
        (await requestLink({ consoleUrl, tickets, keys, label: `parley console link, ${options.org}` })).url,
      );
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
  { consoleUrl: given }: LinkOptions,
): { consoleUrl: string; key: string } {
  const keyFile = join(DEV_FOLDER, 'secrets', 'console-key');
  const consoleUrl = given ?? env['CONSOLE_URL'] ?? developmentConsole();
  const key = env['CONSOLE_KEY'] ?? (existsSync(keyFile) ? pathToFileURL(resolve(keyFile)).href : undefined);
  if (consoleUrl && key) return { consoleUrl, key };
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
