// Authenticates the sender of a message: a MAC under a key that only its two services hold. A
// compromised service cannot impersonate another (docs/platform.md#who-a-message-is-from).
import { createHmac, timingSafeEqual } from 'node:crypto';
import { createSecretParser, parseKeyring, type Keyring, type Secrets } from '@parley/server/runtime';
import { MalformedJob } from '../worker.ts';
import {
  contracts,
  PARTIES,
  type ContractName,
  type ContractRow,
  type Party,
  type Service,
} from './contracts.ts';

/** The sender does not hold the key. Stored like a malformed job, and never applied. */
export class UnauthenticatedMessage extends MalformedJob {
  constructor(problems: readonly string[]) {
    super(problems, 'unauthenticated');
  }
}

/** What the MAC covers besides the text: everything that the receiver acts on. */
export type SignedFacts = readonly [
  type: string,
  from: Party,
  to: Service,
  ...more: (string | number | null)[],
];

/** The current keys. */
export interface PairKeys {
  readonly service: Service;
  /** @throws Error when the two parties share no key. */
  sign(facts: SignedFacts, text: string): string;
  /** @throws UnauthenticatedMessage unless `mac` is the sender's. */
  check(facts: SignedFacts, text: unknown, mac: string | undefined): void;
}

export interface MessageKeys {
  /** A changed key file applies immediately. @throws SecretUnavailable */
  current(): Promise<PairKeys>;
}

/** @throws Error when the keys cannot be read or a required one is missing. */
export async function createMessageKeys(
  secrets: Pick<Secrets, 'resolve'>,
  reference: string,
  service: Service,
): Promise<MessageKeys> {
  const current = createSecretParser(secrets, reference, (text) => pairKeys(parseMessageKeys(text), service));
  await current();
  return { current };
}

/**
 * Parses `<party>=<keyring>` entries, separated by white space.
 * @throws Error that names the entry's position, never its value.
 */
export function parseMessageKeys(text: string): ReadonlyMap<Party, Keyring> {
  const keyrings = new Map<Party, Keyring>();
  for (const [index, entry] of text.trim().split(/\s+/).entries()) {
    const [, name, keyring = ''] = /^([a-z-]+)=(.+)$/.exec(entry) ?? [];
    const party = PARTIES.find((known) => known === name);
    if (!party) throw new Error(`entry ${index + 1} of the message keys must be "<party>=<id>:<base64>"`);
    if (keyrings.has(party)) throw new Error(`entry ${index + 1} of the message keys repeats "${party}"`);
    keyrings.set(party, parseKeyring(keyring));
  }
  return keyrings;
}

function pairKeys(keyrings: ReadonlyMap<Party, Keyring>, service: Service): PairKeys {
  const missing = listPeers(service).filter((peer) => !keyrings.has(peer));
  if (missing.length > 0) throw new Error(`the message keys lack a key for ${missing.join(', ')}`);
  return {
    service,
    sign: (facts, text) => {
      const [, from, to] = facts;
      const peer = from === service ? to : from;
      const [first] = keyrings.get(peer) ?? [];
      if (!first) throw new Error(`the message keys lack a key for ${peer}`);
      return `${first[0]}.${computeMac(first[1], facts, text).toString('base64url')}`;
    },
    check: (facts, text, mac) => {
      const [id = '', encoded = ''] = mac?.split('.') ?? [];
      const key = keyrings.get(facts[1])?.get(id);
      // An object has several spellings as text, so only text can be authenticated.
      if (mac === undefined || typeof text !== 'string') throw new UnauthenticatedMessage(['mac is missing']);
      if (!key) throw new UnauthenticatedMessage([`mac is under a key that is not shared with ${facts[1]}`]);
      const given = Buffer.from(encoded, 'base64url');
      const right = computeMac(key, facts, text);
      if (given.length !== right.length || !timingSafeEqual(given, right)) {
        throw new UnauthenticatedMessage([`mac is not ${facts[1]}'s`]);
      }
    },
  };
}

function computeMac(key: Parameters<typeof createHmac>[1], facts: SignedFacts, text: string): Buffer {
  // JSON on one line: no fact can be mistaken for a part of another one or of the text.
  return createHmac('sha256', key).update(JSON.stringify(facts)).update('\n').update(text).digest();
}

/** The services that it exchanges messages with. A media runtime may lack a key. */
function listPeers(service: Service): Service[] {
  const rows: readonly ContractRow[] = Object.values(contracts);
  const peers = rows.flatMap(({ producers, consumer }) => [
    ...(consumer === service ? producers : []),
    ...(producers.includes(service) ? [consumer] : []),
  ]);
  return [...new Set(peers)].filter((peer) => peer !== 'media-runtime');
}

/** The contracts that a service consumes and so may acknowledge. */
export function listConsumed(service: Service): ContractName[] {
  return (Object.keys(contracts) as ContractName[]).filter((name) => contracts[name].consumer === service);
}
