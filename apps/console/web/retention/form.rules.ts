// The form of retention rules, and the request it makes. Pure.
import type { Retention, RetentionChange } from './api.ts';

export const PARTS = {
  transcript: {
    label: 'Transcripts',
    hint: 'With summary, analysis, and the copies in deliveries',
  },
  recorded_turns: { label: 'Recorded turns', hint: 'What flows did, and what callers answered' },
  recording: {
    label: 'Recordings',
    hint: 'Links and copies in your bucket. The file of your telephony stays where it is',
  },
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

/** `inherit`: no rule here; `off`: no copies. */
export interface StorageForm {
  readonly kind: 'inherit' | 'off' | 'bucket';
  readonly fields: Readonly<Record<StorageField, string>>;
}

export const STORAGE_FIELDS = {
  endpoint: {
    label: 'Address of the store',
    hint: 'Without the bucket, for example https://s3.eu-central-1.amazonaws.com',
  },
  region: { label: 'Region', hint: 'For example eu-central-1; “auto” for Cloudflare R2' },
  bucket: { label: 'Bucket', hint: undefined },
  prefix: { label: 'Prefix of the names', hint: 'Optional, for example calls/' },
  access_key_id: { label: 'Access key id', hint: undefined },
  secret_access_key: {
    label: 'Secret access key',
    hint: 'secret://name, a secret of the organisation that is read for each request',
  },
} as const;
export type StorageField = keyof typeof STORAGE_FIELDS;
export const STORAGE_FIELD_NAMES = Object.keys(STORAGE_FIELDS) as StorageField[];

export interface RetentionForm {
  readonly storage: StorageForm;
  readonly parts: Readonly<Record<Part, RuleForm>>;
  readonly redact: '' | 'true' | 'false';
}

const toRule = (rule: Retention[Part]): RuleForm => {
  if (rule === undefined) return { kind: 'inherit', days: '', reason: '' };
  if (rule.days === null) return { kind: 'forever', days: '', reason: rule.reason };
  return { kind: 'days', days: String(rule.days), reason: rule.reason };
};

function toStorage(storage: Retention['recording_storage']): StorageForm {
  const fields = Object.fromEntries(STORAGE_FIELD_NAMES.map((name) => [name, storage?.[name] ?? '']));
  return {
    kind: storage === undefined ? 'inherit' : storage === null ? 'off' : 'bucket',
    fields: fields as StorageForm['fields'],
  };
}

export function toForm(retention: Retention): RetentionForm {
  const parts = Object.fromEntries(PART_NAMES.map((part) => [part, toRule(retention[part])]));
  const { redact_transcripts: redact } = retention;
  return {
    parts: parts as Record<Part, RuleForm>,
    storage: toStorage(retention.recording_storage),
    redact: redact === undefined ? '' : redact ? 'true' : 'false',
  };
}

export function toRequest({ parts, redact, storage }: RetentionForm): RetentionChange {
  const rules = PART_NAMES.flatMap((part) => {
    const { kind, days, reason } = parts[part];
    if (kind === 'inherit') return [];
    return [[part, { days: kind === 'forever' ? null : Number(days), reason: reason.trim() }]];
  });
  return {
    ...(Object.fromEntries(rules) as RetentionChange),
    ...(redact === '' ? {} : { redact_transcripts: redact === 'true' }),
    ...(storage.kind === 'inherit' ? {} : { recording_storage: toStorageRequest(storage) }),
  };
}

function toStorageRequest({ kind, fields }: StorageForm): RetentionChange['recording_storage'] {
  if (kind === 'off') return null;
  const trimmed = STORAGE_FIELD_NAMES.map((name) => [name, fields[name].trim()]);
  return Object.fromEntries(trimmed) as StorageForm['fields'];
}

const SETTERS = { bot: 'this agent', organization: 'the organisation', installation: 'the installation' };

/** The rule that applies, and who set it. */
export function describeRule({ days, reason, set_by: setBy }: Retention['effective'][Part]): string {
  const time = days === null ? 'No limit' : days === 1 ? 'One day' : `${days} days`;
  return `${time}, set by ${SETTERS[setBy]}: ${reason}`;
}
