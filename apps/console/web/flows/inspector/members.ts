// How each member of a node is edited. The engine's tables say which members exist; unlisted ones
// use their schema.
import { definitionMembers, type Member } from '@parley/flow-analysis';
import { casts, type AuthoredNode, type CastSpec } from '@parley/flow-engine';
import { canBeLeft, castOf, castSpec, typeOf, typeSpec } from '../tables.ts';

export type Control =
  | 'line'
  | 'template'
  | 'flag'
  | 'number'
  | 'words'
  | 'value'
  | 'json'
  | 'choices'
  | 'variable'
  | 'cast'
  | 'assignments'
  | 'map'
  | 'texts'
  | 'call'
  | 'command';

export interface MemberRow {
  readonly member: string;
  readonly control: Control;
  readonly hint?: string;
  /** For a line: the possible values. */
  readonly options?: readonly string[];
}

const rows: readonly MemberRow[] = [
  { member: 'text', control: 'template' },
  { member: 'prompt', control: 'template' },
  { member: 'reprompt', control: 'template', hint: 'Message after an answer that was not understood.' },
  { member: 'message', control: 'template' },
  { member: 'reason', control: 'template' },
  { member: 'goal', control: 'template' },
  { member: 'variants', control: 'words', hint: 'Alternative texts, one per line.' },
  { member: 'variable', control: 'variable', hint: 'Variable that stores the answer.' },
  { member: 'output_var', control: 'variable', hint: 'Variable that stores the result.' },
  { member: 'cast', control: 'cast' },
  {
    member: 'choices',
    control: 'choices',
    hint: 'One per line, with synonyms after a colon: red: crimson, scarlet',
  },
  { member: 'default_region', control: 'line', hint: 'ISO 3166 code, for example DE.' },
  { member: 'prefer', control: 'line', options: ['future', 'past', 'nearest'] },
  { member: 'date_order', control: 'line', options: ['dmy', 'mdy', 'ymd'] },
  { member: 'reading', control: 'line', options: ['whole', 'sentence'] },
  { member: 'min', control: 'value' },
  { member: 'max', control: 'value' },
  { member: 'pattern', control: 'line', hint: 'RE2 syntax.' },
  { member: 'unit', control: 'words', hint: 'Units that may follow the number, one per line.' },
  { member: 'max_attempts', control: 'number', hint: 'Empty: the question repeats without limit.' },
  { member: 'strict', control: 'flag', hint: 'The whole answer must be the value.' },
  { member: 'allow_empty', control: 'flag', hint: 'Accept silence as an answer.' },
  {
    member: 'also',
    control: 'words',
    hint: 'Variables of other questions that the answer may fill, one per line.',
  },
  {
    member: 'skip_if_set',
    control: 'flag',
    hint: 'Skip the question when its variable already holds an answer.',
  },
  { member: 'reprompts', control: 'texts', hint: 'A separate text for each reason why an answer fails.' },
  { member: 'default_answer', control: 'value', hint: 'Used when no attempts are left.' },
  {
    member: 'extraction',
    control: 'json',
    hint: 'A JSON Schema of further values to extract from the answer.',
  },
  { member: 'tool', control: 'line' },
  { member: 'args', control: 'map', hint: 'Values are templates.' },
  { member: 'target', control: 'line' },
  { member: 'url', control: 'line', hint: 'A public https address.' },
  { member: 'events', control: 'words', hint: 'completed or handed_off, one per line.' },
  { member: 'max_iterations', control: 'number' },
  { member: 'turn_budget', control: 'number', hint: 'Seconds.' },
  {
    member: 'converse',
    control: 'flag',
    hint: 'The agent talks: it speaks, waits here for the caller, and leaves by the edges. The default edge is taken when a limit is used up.',
  },
  { member: 'max_turns', control: 'number', hint: 'Utterances that an agent that talks answers.' },
  { member: 'context_vars', control: 'words', hint: 'Variables that the agent receives, one per line.' },
  { member: 'add_global_prompt', control: 'flag' },
  { member: 'set', control: 'assignments', hint: 'Applied in this order when the walk leaves the node.' },
  { member: 'graph_constraints', control: 'json' },
  { member: 'event', control: 'line' },
  {
    member: 'wait_for_result',
    control: 'flag',
    hint: 'The turn ends here, and the next one brings the result.',
  },
  {
    member: 'output_schema',
    control: 'json',
    hint: 'A JSON Schema of the result: validation reports members that it does not name.',
  },
  { member: 'returns', control: 'flag', hint: 'The conversation may return and then continues here.' },
  { member: 'on', control: 'command' },
  {
    member: 'priority',
    control: 'line',
    options: ['after', 'before'],
    hint: 'Whether the engine tries it after or before the edges of the question.',
  },
  { member: 'resume', control: 'flag', hint: 'Returns to the question that the command interrupted.' },
  { member: 'call', control: 'call' },
  { member: 'headers', control: 'map', hint: 'Values are templates.' },
  { member: 'redact', control: 'words', hint: 'Variables to hide in traces and recordings, one per line.' },
];
const known: ReadonlyMap<string, MemberRow> = new Map(rows.map((row) => [row.member, row]));

/** Main members of each type, shown even when missing. */
const first: Readonly<Record<string, readonly string[]>> = {
  message: ['text'],
  collect: ['prompt', 'variable', 'cast'],
  branch: [],
  tool: ['tool', 'args', 'output_var', 'wait_for_result'],
  autonomous: ['goal', 'prompt', 'converse', 'tools'],
  handoff: ['target', 'reason', 'message', 'returns'],
  end: ['message'],
  global: ['prompt'],
  trigger: ['event', 'on'],
  webhook: ['url', 'payload'],
  qa: [],
};
/** Members that the engine's table assigns to no type but that are useful here. */
const beside: Readonly<Record<string, readonly string[]>> = {
  autonomous: ['documents', 'mcp'],
  global: ['redact'],
};

const table: Readonly<Record<string, Member>> = definitionMembers().node;
const castTable: Readonly<Record<string, CastSpec>> = casts;
const readByCasts: ReadonlySet<string> = new Set(
  Object.values(castTable).flatMap(({ reads }) => reads ?? []),
);

/** Members that nodes of a type read, regardless of their cast. */
const readOn = (type: string): string[] =>
  Object.keys(table).filter((name) => table[name]!.on?.some((one) => one === type) && !readByCasts.has(name));

/** Members that the inspector shows elsewhere or that only affect drawing. */
const elsewhere: ReadonlySet<string> = new Set(['id', 'type', 'position']);

function rowOf(member: string): MemberRow {
  const spec = table[member];
  const row = known.get(member) ?? { member, ...controlFor(spec) };
  const meaning = row.hint ?? spec?.meaning;
  return meaning === undefined || row.control === 'template' ? row : { ...row, hint: meaning };
}

/** The control of an unlisted member, by its schema. */
function controlFor(spec: Member | undefined): Pick<MemberRow, 'control' | 'options'> {
  const { type, enum: names } = (spec?.schema ?? spec?.parsed ?? {}) as { type?: unknown; enum?: unknown };
  if (Array.isArray(names))
    return { control: 'line', options: names.filter((one) => typeof one === 'string') };
  const [is] = Array.isArray(type) ? (type as unknown[]) : [type];
  if (is === 'boolean') return { control: 'flag' };
  if (is === 'number' || is === 'integer') return { control: 'number' };
  return { control: is === 'string' ? 'line' : 'json' };
}

/** The names of the texts in a member. */
export function textNames(member: string): string[] {
  const { properties = {} } = (table[member]?.schema ?? {}) as { properties?: object };
  return Object.keys(properties);
}

export interface MemberRows {
  readonly shown: readonly MemberRow[];
  /** Members that the node can get. */
  readonly addable: readonly string[];
}

/** @param edited members to keep visible after they were emptied */
export function memberRows(node: AuthoredNode, edited: readonly string[] = []): MemberRows {
  const type = typeOf(node);
  const spec = typeSpec(type);
  const own = (type === null ? undefined : first[type]) ?? (type === null ? [] : readOn(type));
  const read = own.includes('cast') ? (castSpec(castOf(node.cast))?.reads ?? []) : [];
  const main = [...own, ...(read.includes('choices') ? ['choices'] : [])];
  const others = [
    ...read.filter((member) => member !== 'choices'),
    ...(type === null ? [] : [...readOn(type), ...(beside[type] ?? [])]).filter((name) =>
      isOffered(name, own),
    ),
    ...(spec?.walked && canBeLeft(node) ? ['set'] : []),
    'graph_constraints',
  ];
  const isThere = (member: string) =>
    edited.includes(member) || (node[member] !== undefined && node[member] !== null);
  const listed = new Set([...main, ...others]);
  const unlisted = Object.keys(node).filter((member) => !listed.has(member) && !elsewhere.has(member));
  return {
    shown: [...main, ...others.filter(isThere), ...unlisted].map(rowOf),
    addable: others.filter((member) => !isThere(member)),
  };
}

/** `text` is an alias of `message`. */
const isOffered = (member: string, own: readonly string[]): boolean =>
  !own.includes(member) && !(member === 'text' && own.includes('message'));

/** Every member that a node of this type can have. */
export function memberNames(node: AuthoredNode): string[] {
  const { shown, addable } = memberRows(node);
  return [...shown.map(({ member }) => member), ...addable];
}

/** The initial value of an added member. */
export function freshValue(member: string): unknown {
  switch (rowOf(member).control) {
    case 'flag':
      return true;
    case 'number':
      return 3;
    case 'words':
    case 'choices':
    case 'assignments':
      return [];
    case 'json':
    case 'map':
    case 'texts':
      return {};
    case 'call':
      return { flow_id: '', version: 'published' };
    default:
      return rowOf(member).options?.[0] ?? '';
  }
}
