// Reads the caller from the claims of a verified token, by the names that the identity provider
// uses (docs/platform.md#claims-and-groups). Pure.
import { z } from 'zod';
import { findRefusedJson, SCOPES, type Caller, type Scope } from '@parley/server/http';
import type { IdentityClaims } from '@parley/server/runtime';

/** Between an identity token and its access token, which userinfo takes. No JWT has it. */
const AND_ACCESS_TOKEN = '~';

/** The credential of a person whose identity token lacks claims. */
export const joinTokens = (identityToken: string, accessToken: string): string =>
  `${identityToken}${AND_ACCESS_TOKEN}${accessToken}`;

/** Without an access token that one is empty. */
export function splitTokens(credential: string): { identityToken: string; accessToken: string } {
  const [identityToken = '', ...rest] = credential.split(AND_ACCESS_TOKEN);
  return { identityToken, accessToken: rest.join(AND_ACCESS_TOKEN) };
}

const words = z.union([z.string().transform((text) => text.split(' ')), z.array(z.string())]);
const organization = z.string().min(1).max(128);
const organizations = z.union([organization.transform((one) => [one]), z.array(organization).max(100)]);
const subject = z.string().min(1).max(255).optional();

/**
 * Null when a claim is missing or has another form. A person in a group that maps to scopes works
 * for the organisation; anybody else without `admin` is an end user.
 * @param service whose scopes count where a group has scopes for each service
 * @param chosen the organisation that the request names; needed when the token lists several
 */
export function toIdentityCaller(
  payload: Readonly<Record<string, unknown>>,
  { organization: organizationClaim, scope, groups, group_scopes: groupScopes }: IdentityClaims,
  service: string,
  chosen?: string,
): Caller | null {
  const listed = organizations.safeParse(payload[organizationClaim]).data ?? [];
  const organizationId = chosen ?? (listed.length === 1 ? listed[0] : undefined);
  const sub = subject.safeParse(payload['sub']);
  const own = words.safeParse(payload[scope] ?? '');
  const member = words.safeParse(payload[groups] ?? []);
  if (organizationId === undefined || !listed.includes(organizationId)) return null;
  if (!sub.success || !own.success || !member.success) return null;
  // A text that cannot be stored (NUL, half a surrogate pair) would fail in the first query.
  if (findRefusedJson([organizationId, sub.data ?? '']).length > 0) return null;

  const mapped = member.data.flatMap((group) => scopesOfGroup(groupScopes, group, service));
  const scopes = new Set([...own.data.filter(isScope), ...mapped]);
  const isEndUser = sub.data !== undefined && mapped.length === 0 && !scopes.has('admin');
  return {
    organizationId,
    kind: 'identity',
    principal: sub.data ?? 'identity',
    scopes,
    ...(sub.data === undefined ? {} : { subject: sub.data }),
    ...(isEndUser ? { endUser: sub.data } : {}),
  };
}

function scopesOfGroup(
  map: IdentityClaims['group_scopes'],
  group: string,
  service: string,
): readonly Scope[] {
  const scopes = Object.hasOwn(map, group) ? map[group]! : [];
  return Array.isArray(scopes) ? scopes : ((scopes as Record<string, Scope[]>)[service] ?? []);
}

function isScope(word: string): word is Scope {
  return (SCOPES as readonly string[]).includes(word);
}
