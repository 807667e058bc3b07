// How an address that is a credential is shown and stored in the clear.
import { createHash } from 'node:crypto';

/** Enough to tell two addresses apart, too little to post to one: a token has far more than the hash's 64 bits. */
const HASH_CHARS = 16;

export interface ShownAddress {
  readonly host: string;
  readonly hash: string;
}

export function shownAddress({ host, href }: URL): ShownAddress {
  return { host, hash: createHash('sha256').update(href).digest('hex').slice(0, HASH_CHARS) };
}
