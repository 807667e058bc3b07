// Makes identity tokens for development, in place of an identity provider
// (docs/platform.md#credentials).
import { SignJWT } from 'jose';
import type { Scope } from '@parley/server/http';

/** Where the services of a development stack take identity tokens from. */
export interface DevelopmentIdentity {
  readonly issuer: string;
  readonly audience: string;
  /** A reference to the shared secret. */
  readonly secret: string;
}

export interface TokenClaims {
  readonly organizationId: string;
  readonly userId: string;
  readonly scopes: readonly Scope[];
  /** At most 24 hours, or the services refuse the token. */
  readonly lifetimeSeconds: number;
}

/** What an end user needs: their own inbox, devices and preferences. */
export const END_USER_SCOPES: readonly Scope[] = ['read', 'write', 'delete'];
export const TOKEN_LIFETIME_SECONDS = 12 * 3600;

/** @param secret the shared secret itself */
export function mintIdentityToken(
  { issuer, audience }: Pick<DevelopmentIdentity, 'issuer' | 'audience'>,
  secret: string,
  { organizationId, userId, scopes, lifetimeSeconds }: TokenClaims,
  nowMs: number,
): Promise<string> {
  const issuedAt = Math.floor(nowMs / 1_000);
  return new SignJWT({ organization_id: organizationId, scope: scopes.join(' ') })
    .setProtectedHeader({ alg: 'HS256' })
    .setIssuer(issuer)
    .setAudience(audience)
    .setSubject(userId)
    .setIssuedAt(issuedAt)
    .setExpirationTime(issuedAt + lifetimeSeconds)
    .sign(new TextEncoder().encode(secret));
}
