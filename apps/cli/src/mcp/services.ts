// Where the services are that the tools ask, and with which keys (docs/mcp.md#services).
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Environment, ServiceName } from '@parley/runtime';
import { Parley, type FlowBuilder, type Notifications, type VoiceApi } from '@parley/sdk';
import { Refused } from '../flows/folder.ts';
import { DEV_FOLDER } from '../services.ts';

/** Reading one that was not named throws Refused, which the assistant is told: the other tools work without it. */
export interface Services {
  readonly flows: FlowBuilder;
  readonly voice: VoiceApi;
  readonly inbox: Notifications;
}

interface Address {
  readonly url: string;
  readonly key: string;
}
type Addresses = Partial<Record<ServiceName, Address>>;

/** What the variables of a service begin with. */
const PREFIXES: Readonly<Record<ServiceName, string>> = {
  'flow-builder': 'PARLEY_FLOWS',
  'voice-api': 'PARLEY_VOICE',
  notifications: 'PARLEY_NOTIFICATIONS',
};
const SERVICES = Object.keys(PREFIXES) as ServiceName[];

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

export function servicesAt(addresses: Addresses): Services {
  const { 'flow-builder': flowBuilder, 'voice-api': voiceApi, notifications } = addresses;
  const parley = new Parley({
    ...(flowBuilder && { flowBuilder }),
    ...(voiceApi && { voiceApi }),
    ...(notifications && { notifications }),
  });
  const known = <Client>(service: ServiceName, client: Client): Client => {
    if (addresses[service]) return client;
    const prefix = PREFIXES[service];
    throw new Refused(`where ${service} is was not said: set ${prefix}_URL and ${prefix}_KEY`);
  };
  return {
    get flows() {
      return known('flow-builder', parley.flowBuilder);
    },
    get voice() {
      return known('voice-api', parley.voiceApi);
    },
    get inbox() {
      return known('notifications', parley.notifications);
    },
  };
}
