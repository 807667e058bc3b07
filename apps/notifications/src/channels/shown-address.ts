// How an address that is a credential is shown and stored in the clear.
import { createHash } from 'node:crypto';
import { z } from 'zod';

/** Enough to tell two addresses apart, too little to post to one: a token has far more than the hash's 64 bits. */
const HASH_CHARS = 16;

export const shownAddressSchema = z.object({ host: z.string(), hash: z.string() });
export type ShownAddress = Readonly<z.output<typeof shownAddressSchema>>;

export function shownAddress({ host, href }: URL): ShownAddress {
  return { host, hash: createHash('sha256').update(href).digest('hex').slice(0, HASH_CHARS) };
}

const addressed = z.object({ address: shownAddressSchema });

/** The receiver of a plan that names an address: whoever answers there, whatever the path. */
export function hostOf(plain: unknown): string | undefined {
  return addressed.safeParse(plain).data?.address.host;
}
