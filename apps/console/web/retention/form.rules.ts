// The form of retention rules, and the request it makes. Pure.
import type { Retention, RetentionChange } from './api.ts';

export const PARTS = {
  transcript: {
    label: 'Transcripts',
    hint: 'With summary, analysis, and the copies in deliveries',
  },
  recorded_turns: { label: 'Recorded turns', hint: 'What flows did, and what callers answered' },
  recording: { label: 'Links to recordings', hint: 'The file stays where your telephony stored it' },
  raw_reports: { label: 'Raw reports', hint: 'Reports of vendors as they arrived' },
  delivery_bodies: { label: 'Bodies of deliveries', hint: 'Events and answers of webhooks; 2 to 30 days' },
} as const;
export type Part = keyof typeof PARTS;
export const PART_NAMES = Object.keys(PARTS) as Part[];

export interface RuleForm {
  /** `inherit`: no rule here. */
  readonly kind: 'inherit' | 'days' | 'forever';
  readonly days: string;
  readonly reason: string;
}

export interface RetentionForm {
  readonly parts: Readonly<Record<Part, RuleForm>>;
  readonly redact: '' | 'true' | 'false';
}

const toRule = (rule: Retention[Part]): RuleForm => {
  if (rule === undefined) return { kind: 'inherit', days: '', reason: '' };
  if (rule.days === null) return { kind: 'forever', days: '', reason: rule.reason };
  return { kind: 'days', days: String(rule.days), reason: rule.reason };
};

export function toForm(retention: Retention): RetentionForm {
  const parts = Object.fromEntries(PART_NAMES.map((part) => [part, toRule(retention[part])]));
  const { redact_transcripts: redact } = retention;
  return {
    parts: parts as Record<Part, RuleForm>,
    redact: redact === undefined ? '' : redact ? 'true' : 'false',
  };
}

export function toRequest({ parts, redact }: RetentionForm): RetentionChange {
  const rules = PART_NAMES.flatMap((part) => {
    const { kind, days, reason } = parts[part];
    if (kind === 'inherit') return [];
    return [[part, { days: kind === 'forever' ? null : Number(days), reason: reason.trim() }]];
  });
  return {
    ...(Object.fromEntries(rules) as RetentionChange),
    ...(redact === '' ? {} : { redact_transcripts: redact === 'true' }),
  };
}

const SETTERS = { bot: 'this agent', organization: 'the organisation', installation: 'the installation' };

/** The rule that applies, and who set it. */
export function describeRule({ days, reason, set_by: setBy }: Retention['effective'][Part]): string {
  const time = days === null ? 'No limit' : days === 1 ? 'One day' : `${days} days`;
  return `${time}, set by ${SETTERS[setBy]}: ${reason}`;
}
