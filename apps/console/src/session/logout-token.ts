// Verifies the token with which an identity provider ends sessions (OpenID Connect Back-Channel
// Logout 1.0, section 2.6).
import { createRemoteJWKSet, customFetch, jwtVerify } from 'jose';
import { z } from 'zod';
import type { Clock } from '@parley/server/runtime';
import { CLOCK_TOLERANCE_SECONDS, fetchBounded, ProviderUnreachable } from './provider.ts';

/** The whole of a person, or one session of theirs at the provider. */
export type LoggedOut = { readonly providerSession: string } | { readonly subject: string };

/** What the provider says of itself. */
interface LogoutProvider {
  readonly issuer: string;
  /** Address of its keys. */
  readonly keys: string;
}

/** A provider sends it at once. */
const AGE_MAX_SECONDS = 120;
const EVENT = 'http://schemas.openid.net/event/backchannel-logout';

const payload = z
  .object({
    sub: z.string().optional(),
    sid: z.string().optional(),
    jti: z.string(),
    iat: z.number(),
    nonce: z.never().optional(), // an identity token may not pass for one
    events: z.object({ [EVENT]: z.object({}) }),
  })
  .refine(({ sub, sid }) => sub !== undefined || sid !== undefined);

/** Reads tokens for a client. Keys are fetched when they are needed, and cached. */
export function createLogoutReader({
  clientId,
  clock,
}: {
  readonly clientId: string;
  readonly clock: Clock;
}) {
  let cached: { readonly address: string; readonly set: ReturnType<typeof createRemoteJWKSet> } | undefined;
  /** Null when the token is invalid. @throws ProviderUnreachable when the keys cannot be fetched */
  return async (token: string, { issuer, keys }: LogoutProvider): Promise<LoggedOut | null> => {
    if (cached?.address !== keys)
      cached = { address: keys, set: createRemoteJWKSet(new URL(keys), { [customFetch]: fetchBounded }) };
    try {
      const verified = await jwtVerify(token, cached.set, {
        issuer,
        audience: clientId,
        clockTolerance: CLOCK_TOLERANCE_SECONDS,
        maxTokenAge: AGE_MAX_SECONDS,
        currentDate: new Date(clock()),
      });
      const { data } = payload.safeParse(verified.payload);
      if (!data) return null;
      return data.sid === undefined ? { subject: data.sub! } : { providerSession: data.sid };
    } catch (error) {
      if (error instanceof ProviderUnreachable) throw error;
      return null;
    }
  };
}
