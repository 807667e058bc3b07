// The form in which a secret address is shown and stored in the clear.
import { createHash } from 'node:crypto';
import { z } from 'zod';

/** Tells two addresses apart but cannot be reversed: a token has far more than 64 bits. */
const HASH_CHARS = 16;

export const maskedAddressSchema = z.object({ host: z.string(), hash: z.string() });
export type MaskedAddress = Readonly<z.output<typeof maskedAddressSchema>>;

export function maskAddress({ host, href }: URL): MaskedAddress {
  return { host, hash: createHash('sha256').update(href).digest('hex').slice(0, HASH_CHARS) };
}

const addressedPlan = z.object({ address: maskedAddressSchema });

/** The receiver of a plan with an address: its host, for every path. */
export function readHost(plain: unknown): string | undefined {
  return addressedPlan.safeParse(plain).data?.address.host;
}
