// The setting IDENTITY_CLAIMS: which claims of an identity token mean what.
import { z } from 'zod';
import { jsonVariable } from './json-variable.ts';
import { SERVICES } from './services.ts';

const scopes = z.array(z.enum(['read', 'write', 'delete', 'admin', 'pii']));
const name = z.string().min(1).max(255);

const identityClaims = z.strictObject({
  /** Claim with the organisation: a text, or a list. */
  organization: name.default('organization_id'),
  /** Claim with scopes: a text with blanks between them, or a list. */
  scope: name.default('scope'),
  /** Claim with groups or roles: a list, or a text with blanks between them. */
  groups: name.default('groups'),
  /** The scopes of a group: in every service, or by service. */
  group_scopes: z.record(name, z.union([scopes, z.partialRecord(z.enum(SERVICES), scopes)])).default({}),
  /** Where claims are that a token lacks (docs/platform.md#claims-of-userinfo). */
  userinfo: z.url({ protocol: /^https?$/ }).optional(),
});
export type IdentityClaims = z.output<typeof identityClaims>;
/** What tokens have where IDENTITY_CLAIMS says nothing else. */
export const USUAL_CLAIMS: IdentityClaims = identityClaims.parse({});

/** In an environment variable; the default is `USUAL_CLAIMS`. */
export const identityClaimsVariable = jsonVariable.pipe(identityClaims).prefault('{}');

/** Whether a token has no organisation, or neither scopes nor groups: userinfo may have them. */
export function lacksClaims(
  { organization, scope, groups }: IdentityClaims,
  payload: Readonly<Record<string, unknown>>,
): boolean {
  if (payload[organization] === undefined) return true;
  return payload[scope] === undefined && payload[groups] === undefined;
}
