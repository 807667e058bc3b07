// Which texts a caller gets scrubbed (docs/voice-api.md#scrubbed-transcripts).
import { AppError } from '@parley/envelopes';
import { hasScope, type Caller } from '@parley/server/http';
import type { Deps } from './deps.ts';
import { scrubEvent } from './scrub.rules.ts';
import type { OrganizationRules } from './stored-rules.ts';

export interface Redaction {
  /** Some bot's texts are scrubbed for the caller. */
  readonly isActive: boolean;
  /** Texts of this bot; null: of no bot. */
  hides(botId: string | null): boolean;
}

/** The rule of the bot wins over the organisation's. Without any, nothing is scrubbed. */
export function isRedacted(rules: OrganizationRules, botId: string | null): boolean {
  const own = botId === null ? undefined : rules.get(botId)?.redactTranscripts;
  return own ?? rules.get('')?.redactTranscripts ?? false;
}

export async function readRedaction(
  { retentionRules }: Pick<Deps, 'retentionRules'>,
  caller: Caller,
): Promise<Redaction> {
  if (hasScope(caller, 'pii')) return { isActive: false, hides: () => false };
  const { organizationId } = caller;
  const rules = retentionRules.peek(organizationId) ?? (await retentionRules.get(organizationId));
  return {
    isActive: [...rules.values()].some(({ redactTranscripts }) => redactTranscripts === true),
    hides: (botId) => isRedacted(rules, botId),
  };
}

/** A webhook event as it was sent. */
export interface EventBody {
  readonly event?: string;
  readonly data?: { readonly bot_id?: string | null };
}

/** The event as the caller may read it. */
export const redactEvent = <Body extends EventBody>({ hides }: Pick<Redaction, 'hides'>, body: Body): Body =>
  hides(body.data?.bot_id ?? null) ? scrubEvent(body) : body;

/**
 * Webhooks send whole texts, and so do files that were written for others.
 * @throws AppError insufficient_scope
 */
export function requireWholeTexts({ isActive }: Redaction, what: string): void {
  if (isActive)
    throw new AppError(
      'insufficient_scope',
      `The organisation redacts transcripts, and ${what} whole texts: use a credential with the scope "pii".`,
    );
}
