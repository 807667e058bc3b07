// Where the services are that `parley mcp` asks, and with which keys (docs/mcp.md#services).
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Addresses } from '@parley/mcp';
import { SERVICES, type Environment, type ServiceName } from '@parley/runtime';
import { Refused } from '../flows/folder.ts';
import { DEV_FOLDER } from '../services.ts';

/** What the variables of a service begin with. */
const PREFIXES: Readonly<Record<ServiceName, string>> = {
  'flow-builder': 'PARLEY_FLOWS',
  'voice-api': 'PARLEY_VOICE',
  notifications: 'PARLEY_NOTIFICATIONS',
};

/**
 * Those that the environment names; only where it names none, those of the running development stack: never some of one and some of the
 * other.
 * @throws Refused where an address has no key, or a key no address
 */
export function addressesOf(env: Environment): Addresses {
  const named: Addresses = {};
  for (const service of SERVICES) {
    const [urlName, keyName] = [`${PREFIXES[service]}_URL`, `${PREFIXES[service]}_KEY`];
    const [url, key] = [env[urlName], env[keyName]];
    if (!url && !key) continue;
    if (!url || !key) throw new Refused(`${url ? keyName : urlName} is missing: both are needed`);
    named[service] = { url, key };
  }
  return Object.keys(named).length > 0 ? named : developmentStack();
}

/** What the assistant is told of a service that was not named. */
export const notNamed = (service: ServiceName): string =>
  `where ${service} is was not said: set ${PREFIXES[service]}_URL and ${PREFIXES[service]}_KEY`;

function developmentStack(): Addresses {
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
