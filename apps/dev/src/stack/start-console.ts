// The console beside a stack (docs/console.md#shape), and links that sign in to it with the keys of
// the demo organisation.
import { createTickets, requestLink, type ServiceKeys } from '@parley/server/console-access';
import { createSecrets, createSecretParser, parseKeyring, systemClock } from '@parley/server/runtime';
import { LOOPBACK } from '@parley/testing/servers';
import { startService, type RunningService, type ServiceOptions } from './processes/service-process.ts';
import type { ServiceName } from './services.ts';

export interface StackConsole {
  readonly baseUrl: string;
  readonly process: RunningService;
  /** A new link that signs in once. */
  link(label: string): Promise<string>;
}

export interface ConsoleOptions extends Omit<ServiceOptions, 'name' | 'as'> {
  /** A reference to its key. */
  readonly consoleKey: string;
  /** Where each service answers, without /v1. */
  readonly origins: Partial<Record<ServiceName, string>>;
}

export function startConsole({
  consoleKey,
  origins,
  ...options
}: ConsoleOptions): Omit<StackConsole, 'link'> {
  const baseUrl = `http://${LOOPBACK}:${options.port}`;
  const env = {
    ...options.env,
    NODE_ENV: 'development',
    PUBLIC_URL: baseUrl,
    CONSOLE_KEY: consoleKey,
    SERVICE_URLS: Object.entries(origins)
      .map(([service, origin]) => `${service}=${origin}`)
      .join(','),
  };
  return { baseUrl, process: startService({ ...options, name: 'console', env }) };
}

export async function makeLink(
  { baseUrl }: Pick<StackConsole, 'baseUrl'>,
  consoleKey: string,
  keys: ServiceKeys,
  label: string,
): Promise<string> {
  const secrets = createSecrets({ env: {}, clock: systemClock });
  const tickets = createTickets(createSecretParser(secrets, consoleKey, parseKeyring), systemClock);
  return (await requestLink({ consoleUrl: baseUrl, tickets, keys, label })).url;
}
