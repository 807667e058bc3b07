// The caller, as a verified credential describes it (docs/platform.md#credentials).

export const SCOPES = ['read', 'write', 'delete', 'admin', 'pii'] as const;
export type Scope = (typeof SCOPES)[number];

export interface Caller {
  /** The only source of the organisation: it never comes from the request. */
  readonly organizationId: string;
  /**
   * `signature`: the request proves its origin itself (credential.ts). `portal`: a portal link.
   */
  readonly kind: 'api_key' | 'identity' | 'signature' | 'portal';
  /** The key's id, or `sub` of the identity token. Stored as `created_by`. */
  readonly principal: string;
  /** `sub` of the identity token, if any. */
  readonly subject?: string;
  /** The end user of an identity token without `admin`. Such a caller acts only for itself. */
  readonly endUser?: string;
  readonly scopes: ReadonlySet<Scope>;
  /**
   * For a key that is bound to bots: it accesses only what belongs to them
   * (docs/platform.md#bound-keys).
   */
  readonly botIds?: readonly string[];
  /** For a portal link: it accesses only the webhooks of this application (docs/portal.md). */
  readonly applicationId?: string;
}

/** What a caller may access. */
export type Reach = Pick<Caller, 'organizationId' | 'botIds' | 'applicationId'>;

/** Whether the caller may access what belongs to this bot. Null: belongs to no bot. */
export function reachesBot({ botIds }: Pick<Caller, 'botIds'>, botId: string | null): boolean {
  return botIds === undefined || (botId !== null && botIds.includes(botId));
}

/**
 * Scopes are independent of each other; `admin` implies all but `pii`, which is for texts that an
 * organisation redacts (docs/voice-api.md#scrubbed-transcripts).
 */
export function hasScope(caller: Caller, scope: Scope): boolean {
  return caller.scopes.has(scope) || (scope !== 'pii' && caller.scopes.has('admin'));
}
