// Who a message is from: a MAC under the key that its two services alone hold, so that a compromised service cannot speak for another
// (docs/platform.md#who-a-message-is-from).
import { createHmac, timingSafeEqual } from 'node:crypto';
import { parsedSecret, parseKeyring, type Keyring, type Secrets } from '@parley/runtime';
import { MalformedJob } from '../worker.ts';
import {
  contracts,
  PARTIES,
  type ContractName,
  type ContractRow,
  type Party,
  type Service,
} from './contracts.ts';

/** The sender does not hold the key. Kept like a malformed job, and never applied. */
export class UnauthenticatedMessage extends MalformedJob {
  override readonly outcome = 'unauthenticated';
}

/** What the MAC covers beside the text: whatever the receiver acts on. */
export type SignedFacts = readonly [
  type: string,
  from: Party,
  to: Service,
  ...more: (string | number | null)[],
];

/** The keys as they are now. */
export interface PairKeys {
  readonly service: Service;
  has(peer: Party): boolean;
  /** @throws Error when no key is shared with the other of the two. */
  sign(facts: SignedFacts, text: string): string;
  /** @throws UnauthenticatedMessage unless `mac` is the sender's. */
  check(facts: SignedFacts, text: unknown, mac: string | undefined): void;
}

export interface MessageKeys {
  /** A key file that was changed counts at once. @throws SecretUnavailable */
  current(): Promise<PairKeys>;
}

export interface MessageKeysOptions {
  readonly service: Service;
  /** `accept` takes messages without a MAC, never those with a wrong one: while a release that signs nothing is still running. */
  readonly unsigned: 'refuse' | 'accept';
}

/** @throws Error when the keys cannot be read, or one that this service needs is not among them. */
export async function createMessageKeys(
  secrets: Pick<Secrets, 'resolve'>,
  reference: string,
  options: MessageKeysOptions,
): Promise<MessageKeys> {
  const current = parsedSecret(secrets, reference, (text) => pairKeys(parseMessageKeys(text), options));
  await current();
  return { current };
}

/**
 * Reads `<party>=<keyring>`, separated by blanks or line ends.
 * @throws Error that names the entry's position, never its value.
 */
export function parseMessageKeys(text: string): ReadonlyMap<Party, Keyring> {
  const rings = new Map<Party, Keyring>();
  for (const [index, entry] of text.trim().split(/\s+/).entries()) {
    const [, name, keyring = ''] = /^([a-z-]+)=(.+)$/.exec(entry) ?? [];
    const party = PARTIES.find((known) => known === name);
    if (!party) throw new Error(`entry ${index + 1} of the message keys is not "<party>=<id>:<base64>"`);
    if (rings.has(party)) throw new Error(`entry ${index + 1} of the message keys repeats "${party}"`);
    rings.set(party, parseKeyring(keyring));
  }
  return rings;
}

function pairKeys(rings: ReadonlyMap<Party, Keyring>, { service, unsigned }: MessageKeysOptions): PairKeys {
  const missing = peersOf(service).filter((peer) => !rings.has(peer));
  if (missing.length > 0) throw new Error(`the message keys have none for ${missing.join(', ')}`);
  return {
    service,
    has: (peer) => rings.has(peer),
    sign: (facts, text) => {
      const [, from, to] = facts;
      const peer = from === service ? to : from;
      const [first] = rings.get(peer) ?? [];
      if (!first) throw new Error(`the message keys have none for ${peer}`);
      return `${first[0]}.${macOf(first[1], facts, text).toString('base64url')}`;
    },
    check: (facts, text, mac) => {
      if (mac === undefined && unsigned === 'accept') return;
      const [id = '', encoded = ''] = mac?.split('.') ?? [];
      const key = rings.get(facts[1])?.get(id);
      // An object has no one spelling as text, so only text can be authenticated.
      if (mac === undefined || typeof text !== 'string') throw new UnauthenticatedMessage(['mac is missing']);
      if (!key) throw new UnauthenticatedMessage([`mac is under a key that is not shared with ${facts[1]}`]);
      const given = Buffer.from(encoded, 'base64url');
      const right = macOf(key, facts, text);
      if (given.length !== right.length || !timingSafeEqual(given, right)) {
        throw new UnauthenticatedMessage([`mac is not ${facts[1]}'s`]);
      }
    },
  };
}

function macOf(key: Parameters<typeof createHmac>[1], facts: SignedFacts, text: string): Buffer {
  // JSON of one line: no fact can pass for a part of another one, or of the text.
  return createHmac('sha256', key).update(JSON.stringify(facts)).update('\n').update(text).digest();
}

/** The services that it exchanges messages with. What is outside of the three and optional pairs may go without a key: then nothing passes. */
function peersOf(service: Service): Service[] {
  const rows: readonly ContractRow[] = Object.values(contracts);
  const peers = rows.flatMap(({ producers: all, keyOptionalFor = [], consumer }) => {
    const producers = all.filter((one) => !(keyOptionalFor as readonly Party[]).includes(one));
    return [...(consumer === service ? producers : []), ...(producers.includes(service) ? [consumer] : [])];
  });
  return [...new Set(peers)].filter((peer) => peer !== 'media-runtime');
}

/** The contracts that a service consumes, and so may acknowledge. */
export function consumedBy(service: Service): ContractName[] {
  return (Object.keys(contracts) as ContractName[]).filter((name) => contracts[name].consumer === service);
}
