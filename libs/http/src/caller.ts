// Who is calling: what a verified credential says (docs/platform.md#credentials).

export const SCOPES = ['read', 'write', 'delete', 'admin'] as const;
export type Scope = (typeof SCOPES)[number];

export interface Caller {
  /** The only source of the organisation: it never comes from the request. */
  readonly organizationId: string;
  /** `signature`: a request that proves by itself where it comes from (credential.ts). */
  readonly kind: 'api_key' | 'identity' | 'signature';
  /** The key's id, or `sub` of the identity token: what `created_by` keeps. */
  readonly principal: string;
  /** `sub` of the identity token, where it has one. */
  readonly subject?: string;
  /** The end user of an identity token without `admin`; such a caller acts for itself only. */
  readonly endUser?: string;
  readonly scopes: ReadonlySet<Scope>;
  /** Of a key that is bound to bots: it reaches only what belongs to these (docs/platform.md#bound-keys). */
  readonly botIds?: readonly string[];
}

/** What a caller may know of. */
export type Reach = Pick<Caller, 'organizationId' | 'botIds'>;

/** Whether the caller may know of what belongs to this bot; null: to none. */
export function reachesBot({ botIds }: Pick<Caller, 'botIds'>, botId: string | null): boolean {
  return botIds === undefined || (botId !== null && botIds.includes(botId));
}

/** Scopes are independent of each other; `admin` implies all. */
export function hasScope(caller: Caller, scope: Scope): boolean {
  return caller.scopes.has(scope) || caller.scopes.has('admin');
}
