// URLs and keys of the services that `parley mcp` calls (docs/mcp.md#services).
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Addresses } from '@parley/mcp';
import { SERVICES, type Environment, type ServiceName } from '@parley/server/runtime';
import { CommandError } from '../flows/folder.ts';
import { DEV_FOLDER } from '../services.ts';

/** Prefixes of each service's variables. */
const PREFIXES: Readonly<Record<ServiceName, string>> = {
  'flow-builder': 'PARLEY_FLOWS',
  'voice-api': 'PARLEY_VOICE',
  notifications: 'PARLEY_NOTIFICATIONS',
};

/**
 * The services that the environment names; when it names none, those of the running development
 * stack. Never a mixture.
 * @throws CommandError when a URL has no key, or a key no URL
 */
export function readAddresses(env: Environment): Addresses {
  const named: Addresses = {};
  for (const service of SERVICES) {
    const [urlName, keyName] = [`${PREFIXES[service]}_URL`, `${PREFIXES[service]}_KEY`];
    const [url, key] = [env[urlName], env[keyName]];
    if (!url && !key) continue;
    if (!url || !key) throw new CommandError(`${url ? keyName : urlName} is missing: set both`);
    named[service] = { url, key };
  }
  return Object.keys(named).length > 0 ? named : readDevelopmentStack();
}

/** The message for the assistant when it needs a service that is not configured. */
export const explainMissing = (service: ServiceName): string =>
  `${service} is not configured: set ${PREFIXES[service]}_URL and ${PREFIXES[service]}_KEY`;

function readDevelopmentStack(): Addresses {
  try {
    const dev = JSON.parse(readFileSync(join(DEV_FOLDER, 'dev.json'), 'utf8')) as {
      services?: Partial<Record<ServiceName, { base_url: string; api_key: string }>>;
    };
    return Object.fromEntries(
      Object.entries(dev.services ?? {}).map(([name, { base_url: url, api_key: key }]) => [
        name,
        { url, key },
      ]),
    );
  } catch {
    return {}; // no stack is running here
  }
}
