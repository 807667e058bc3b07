// Which texts a caller gets scrubbed (docs/voice-api.md#scrubbed-transcripts).
import { AppError } from '@parley/envelopes';
import { hasScope, type Caller } from '@parley/server/http';
import type { Deps } from './deps.ts';
import type { OrganizationRules } from './stored-rules.ts';

export interface Redaction {
  /** Some bot's texts are scrubbed for the caller. */
  readonly isActive: boolean;
  /** Texts of this bot; null: of no bot. */
  hides(botId: string | null): boolean;
  /** The same for SQL: all bots but `exceptions`, or only these. */
  readonly byDefault: boolean;
  readonly exceptions: readonly string[];
}

/** For readers with the scope `pii`. */
const WHOLE_TEXTS: Redaction = { isActive: false, hides: () => false, byDefault: false, exceptions: [] };

/** The rule of the bot wins. Without any, nothing is scrubbed. */
export function resolveRedaction(rules: OrganizationRules, hasPii: boolean): Redaction {
  if (hasPii) return WHOLE_TEXTS;
  const byDefault = rules.get('')?.redactTranscripts ?? false;
  const exceptions = new Set(
    [...rules].flatMap(([botId, { redactTranscripts: own }]) =>
      botId !== '' && own !== null && own !== byDefault ? [botId] : [],
    ),
  );
  return {
    isActive: byDefault || exceptions.size > 0,
    hides: (botId) => (botId !== null && exceptions.has(botId)) !== byDefault,
    byDefault,
    exceptions: [...exceptions],
  };
}

/** The rules are at most a second out of date. */
export async function readRedaction(
  { retentionRules }: Pick<Deps, 'retentionRules'>,
  caller: Caller,
): Promise<Redaction> {
  if (hasScope(caller, 'pii')) return WHOLE_TEXTS;
  const { organizationId } = caller;
  const rules = retentionRules.peek(organizationId) ?? (await retentionRules.get(organizationId));
  return resolveRedaction(rules, false);
}

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
