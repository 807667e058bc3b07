// A filter of a webhook as a form: one member of the events, a comparison and its value. Pure.
import { operators, type OperatorSpec } from '@parley/flow-engine';
import type { components } from '@parley/sdk/voice-api';

type Schemas = components['schemas'];
type Data =
  | Schemas['ConversationStartedData']
  | Schemas['ConversationEndedData']
  | Schemas['ConversationErrorData']
  | Schemas['TranscriptReadyData']
  | Schemas['SpeechInterimData']
  | Schemas['SpeechFinalData']
  | Schemas['BotMessageData']
  | Schemas['ConversationDeletedData'];
type MembersOf<One> = One extends unknown ? keyof One : never;
/** Those that hold more than one value are compared by a path: `metadata.plan`. */
type Member = Exclude<MembersOf<Data>, 'metadata' | 'error' | 'transcript'>;

/** The compiler checks that no member of an event is missing. */
export const MEMBERS: Readonly<Record<Member, string>> = {
  bot_id: 'Agent id',
  end_reason: 'End reason',
  duration_seconds: 'Duration in seconds',
  channel: 'Channel',
  direction: 'Direction',
  from: 'From',
  to: 'To',
  language: 'Language',
  text: 'Text',
  confidence: 'Confidence',
  turn_count: 'Number of turns',
  turn_index: 'Number of the turn',
  truncated: 'Transcript is cut',
  conversation_id: 'Conversation id',
  sequence: 'Sequence',
  revision: 'Revision of the transcript',
  sha256: 'SHA-256 of the transcript',
  transcript_url: 'Address of the transcript',
  start_ms: 'Start in milliseconds',
  end_ms: 'End in milliseconds',
};
const NUMBERS: ReadonlySet<string> = new Set<Member>([
  'duration_seconds',
  'confidence',
  'turn_count',
  'turn_index',
  'sequence',
  'revision',
  'start_ms',
  'end_ms',
]);
export const METADATA = 'metadata.';

const ops: Readonly<Record<string, OperatorSpec>> = operators;
export const OPERATORS = Object.entries(ops).map(([op, { label }]) => [op, label] as const);
const nameOf = (op: string) =>
  Object.hasOwn(ops, op) ? op : Object.keys(ops).find((name) => ops[name]!.aliases.includes(op));
export const takesOf = (op: string) => ops[op]?.takes ?? 'any';

export interface FilterForm {
  /** Empty: no filter. */
  readonly variable: string;
  readonly op: string;
  /** As typed; two for a range. */
  readonly values: readonly string[];
}

const EMPTY: FilterForm = { variable: '', op: 'eq', values: [''] };
const isText = (value: unknown): value is string => typeof value === 'string';
const isSimple = (value: unknown): boolean =>
  (isText(value) && !value.includes(',')) || typeof value === 'number' || typeof value === 'boolean';

/** Null: the form would not write the same filter again. */
export function toFilterForm(text: string): FilterForm | null {
  if (text.trim() === '') return EMPTY;
  let filter: unknown;
  try {
    filter = JSON.parse(text);
  } catch {
    return null;
  }
  const { variable, op, value, ...more } = (filter ?? {}) as Readonly<Record<string, unknown>>;
  const known = isText(op)
    ? nameOf(op)
    : op === undefined
      ? value === undefined
        ? 'exists'
        : 'eq'
      : undefined;
  if (!isText(variable) || known === undefined || Object.keys(more).length > 0) return null;
  if (!Object.hasOwn(MEMBERS, variable) && !variable.startsWith(METADATA)) return null;
  const values = [value ?? ''].flat();
  if (!values.every(isSimple)) return null;
  const texts = values.map(String);
  const shown = takesOf(known) === 'list' ? [texts.join(', ')] : texts;
  const form = { variable, op: known, values: shown };
  return toFilterText(form) === JSON.stringify({ variable, op: known, value }) ? form : null;
}

/** The condition as JSON. A value that is not typed yet is left out, which `readFilter` refuses. */
export function toFilterText({ variable, op, values }: FilterForm): string {
  if (variable === '') return '';
  const takes = takesOf(op);
  const read = (text: string) => readValue(variable, text.trim());
  const [first = '', second = ''] = values;
  const value =
    takes === 'list'
      ? first
          .split(',')
          .map((one) => read(one))
          .filter((one) => one !== '')
      : takes === 'pair'
        ? [read(first), read(second)]
        : read(first);
  const isMissing = [value].flat().length === 0 || [value].flat().includes('');
  return JSON.stringify({ variable, op, ...(takes === 'none' || isMissing ? {} : { value }) });
}

/** Texts of known members stay texts: an id of digits is no number. */
function readValue(variable: string, text: string): string | number | boolean {
  if (variable === 'truncated' || variable.startsWith(METADATA)) {
    if (text === 'true') return true;
    if (text === 'false') return false;
  }
  const isNumeric = /^-?(?:0|[1-9]\d{0,14})(?:\.\d+)?$/.test(text);
  return isNumeric && (NUMBERS.has(variable) || variable.startsWith(METADATA)) ? Number(text) : text;
}

/** A member for the form's first choice, or the comparison with its value. */
export function changeOperator(form: FilterForm, op: string): FilterForm {
  const [first = '', second = ''] = form.values;
  return { ...form, op, values: takesOf(op) === 'pair' ? [first, second] : [first] };
}
