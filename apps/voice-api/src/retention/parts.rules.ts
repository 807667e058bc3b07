// Which parts of conversations are stored for how long, and which are due for removal
// (docs/voice-api.md#retention). Pure.

export const PARTS = ['transcript', 'recorded_turns', 'recording', 'raw_reports', 'delivery_bodies'] as const;
export type Part = (typeof PARTS)[number];

const DAY_MS = 86_400_000;

/** Null days: until the conversation is deleted. */
export interface PartRule {
  readonly days: number | null;
  readonly reason: string;
}

/** The rules of an organisation or of a bot. An absent part has no rule there. */
export type PartRules = Readonly<Partial<Record<Part, PartRule>>>;

export const SETTERS = ['bot', 'organization', 'installation'] as const;

export interface EffectiveRule extends PartRule {
  readonly set_by: (typeof SETTERS)[number];
}
export type EffectiveRules = Readonly<Record<Part, EffectiveRule>>;

/** Days of the delivery log, which rules can only shorten. */
export const DELIVERY_BODY_DAYS = 30;

const DELIVERY_LOG: PartRule = { days: DELIVERY_BODY_DAYS, reason: 'The delivery log is stored for 30 days' };

/** The rule of the bot wins over the organisation's, which wins over the installation's. */
export function resolveRules(
  { organization, bot }: { readonly organization: PartRules; readonly bot: PartRules },
  installationDays: number,
): EffectiveRules {
  const fallback: PartRule =
    installationDays === 0
      ? { days: null, reason: 'The installation sets no limit' }
      : { days: installationDays, reason: 'The installation stores data for RETENTION_DAYS' };
  const resolve = (part: Part): EffectiveRule => {
    if (bot[part]) return { ...bot[part], set_by: 'bot' };
    if (organization[part]) return { ...organization[part], set_by: 'organization' };
    return { ...(part === 'delivery_bodies' ? DELIVERY_LOG : fallback), set_by: 'installation' };
  };
  return Object.fromEntries(PARTS.map((part) => [part, resolve(part)])) as EffectiveRules;
}

/** What a conversation still has, and since when. */
export interface StoredParts {
  /** Start, or the first report of it. */
  readonly at: Date;
  readonly isHeld: boolean;
  /** What it has. */
  readonly parts: readonly Part[];
}

/**
 * Parts to remove, with the reason. The bodies of deliveries go with the transcript, since they
 * repeat it.
 */
export function findDueParts(stored: StoredParts, rules: EffectiveRules, nowMs: number): Map<Part, string> {
  const due = new Map<Part, string>();
  if (stored.isHeld) return due;
  const isOver = ({ days }: PartRule) => days !== null && stored.at.getTime() + days * DAY_MS <= nowMs;
  for (const part of stored.parts) {
    const rule = rules[part];
    // Trimming the delivery log applies the rule of the installation.
    const isTrimmed = part === 'delivery_bodies' && rule.set_by === 'installation';
    if (isOver(rule) && !isTrimmed) due.set(part, rule.reason);
    else if (part === 'delivery_bodies' && isOver(rules.transcript)) due.set(part, rules.transcript.reason);
  }
  return due;
}

/** Conversations that started after this have nothing to remove. Null: none ever has. */
export function findYoungestCut(rules: readonly EffectiveRules[], nowMs: number): Date | null {
  const days = rules.flatMap((each) => PARTS.flatMap((part) => each[part].days ?? []));
  return days.length === 0 ? null : new Date(nowMs - Math.min(...days) * DAY_MS);
}
