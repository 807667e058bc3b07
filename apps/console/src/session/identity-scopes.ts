// What an identity token allows at each service, so that the page does not offer more. The services
// decide: they read the same claims of the token themselves.
import { decodeJwt } from 'jose';
import { splitTokens, toIdentityCaller } from '@parley/auth/identity-claims';
import type { Scope } from '@parley/server/http';
import type { IdentityClaims, ServiceName } from '@parley/server/runtime';
import type { IdentityTokens } from './identity.ts';

type Scopes = Partial<Record<ServiceName, readonly Scope[]>>;

/**
 * Empty when the token has no scopes here although services accept it: their `IDENTITY_CLAIMS`
 * differ from the console's, so it does not know.
 * @param organization the chosen one of several
 */
export function readIdentityScopes(
  { token, organizations, organization, added }: IdentityTokens & { readonly organization: string | null },
  services: readonly ServiceName[],
  claims: IdentityClaims,
): Scopes {
  const chosen = organizations.length > 1 ? (organization ?? undefined) : undefined;
  const payload = { ...added, ...decodeJwt(splitTokens(token).identityToken) };
  const found = services.map((service) => {
    const scopes = toIdentityCaller(payload, claims, service, chosen)?.scopes ?? [];
    return [service, [...scopes]] as const;
  });
  return found.some(([, scopes]) => scopes.length > 0) ? Object.fromEntries(found) : {};
}
