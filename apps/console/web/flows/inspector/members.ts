// How the members of a node are edited. Which there are, on which types, and which of them a cast reads, is the engine's to say; a
// member that is not listed here is edited all the same, by what its schema says of it.
import { casts, definitionMembers, type AuthoredNode, type CastSpec, type Member } from '@parley/flow-engine';
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
  /** For a line: what may stand there. */
  readonly options?: readonly string[];
}

const rows: readonly MemberRow[] = [
  { member: 'text', control: 'template' },
  { member: 'prompt', control: 'template' },
  { member: 'reprompt', control: 'template', hint: 'Said when the answer was not understood.' },
  { member: 'message', control: 'template' },
  { member: 'reason', control: 'template' },
  { member: 'goal', control: 'template' },
  { member: 'variants', control: 'words', hint: 'Other ways to say it, one a line.' },
  { member: 'variable', control: 'variable', hint: 'Where the answer is kept.' },
  { member: 'output_var', control: 'variable', hint: 'Where the result is kept.' },
  { member: 'cast', control: 'cast' },
  {
    member: 'choices',
    control: 'choices',
    hint: 'One a line; synonyms behind a colon: red: crimson, scarlet',
  },
  { member: 'default_region', control: 'line', hint: 'ISO 3166, such as DE.' },
  { member: 'prefer', control: 'line', options: ['future', 'past', 'nearest'] },
  { member: 'date_order', control: 'line', options: ['dmy', 'mdy', 'ymd'] },
  { member: 'reading', control: 'line', options: ['whole', 'sentence'] },
  { member: 'min', control: 'value' },
  { member: 'max', control: 'value' },
  { member: 'pattern', control: 'line', hint: 'RE2 syntax.' },
  { member: 'unit', control: 'words', hint: 'Words that may follow the number, one a line.' },
  { member: 'max_attempts', control: 'number', hint: 'Without it, it is asked for ever.' },
  { member: 'strict', control: 'flag', hint: 'The whole answer must be the value.' },
  { member: 'allow_empty', control: 'flag', hint: 'Silence is an answer.' },
  {
    member: 'also',
    control: 'words',
    hint: 'Variables of other questions that the answer may fill, one a line.',
  },
  {
    member: 'skip_if_set',
    control: 'flag',
    hint: 'Skip the question when its variable already holds an answer.',
  },
  { member: 'reprompts', control: 'texts', hint: 'Words of their own for each way an answer can fail.' },
  { member: 'default_answer', control: 'value', hint: 'Captured when no attempts are left.' },
  { member: 'extraction', control: 'json', hint: 'A JSON Schema of what else is taken out of the answer.' },
  { member: 'tool', control: 'line' },
  { member: 'args', control: 'map', hint: 'Templates.' },
  { member: 'target', control: 'line' },
  { member: 'url', control: 'line', hint: 'A public https address.' },
  { member: 'events', control: 'words', hint: 'completed, handed_off; one a line.' },
  { member: 'max_iterations', control: 'number' },
  { member: 'turn_budget', control: 'number', hint: 'Seconds.' },
  { member: 'context_vars', control: 'words', hint: 'Variables that the agent is handed, one a line.' },
  { member: 'add_global_prompt', control: 'flag' },
  { member: 'set', control: 'assignments', hint: 'Written when the node is left, in this order.' },
  { member: 'graph_constraints', control: 'json' },
  { member: 'event', control: 'line' },
  { member: 'wait_for_result', control: 'flag', hint: 'The turn ends here; the next one brings the result.' },
  { member: 'returns', control: 'flag', hint: 'The conversation may come back, and then goes on here.' },
  { member: 'on', control: 'command' },
  {
    member: 'priority',
    control: 'line',
    options: ['after', 'before'],
    hint: 'Tried after or before the edges of the question.',
  },
  { member: 'resume', control: 'flag', hint: 'Goes back to the question that a command interrupted.' },
  { member: 'call', control: 'call' },
  { member: 'headers', control: 'map', hint: 'Templates.' },
  { member: 'redact', control: 'words', hint: 'Variables that nobody is told, one a line.' },
];
const known: ReadonlyMap<string, MemberRow> = new Map(rows.map((row) => [row.member, row]));

/** What the node is for; shown even when it is not there. */
const first: Readonly<Record<string, readonly string[]>> = {
  message: ['text'],
  collect: ['prompt', 'variable', 'cast'],
  branch: [],
  tool: ['tool', 'args', 'output_var', 'wait_for_result'],
  autonomous: ['goal', 'prompt', 'tools'],
  handoff: ['target', 'reason', 'message', 'returns'],
  end: ['message'],
  global: ['prompt'],
  trigger: ['event', 'on'],
  webhook: ['url', 'payload'],
  qa: [],
};
/** What the engine's table says of no type in particular, and what is of use there. */
const beside: Readonly<Record<string, readonly string[]>> = {
  autonomous: ['documents', 'mcp'],
  global: ['redact'],
};

const table: Readonly<Record<string, Member>> = definitionMembers().node;
const castTable: Readonly<Record<string, CastSpec>> = casts;
const readByCasts: ReadonlySet<string> = new Set(
  Object.values(castTable).flatMap(({ reads }) => reads ?? []),
);

/** Members that are read on nodes of a type, whatever their cast. */
const readOn = (type: string): string[] =>
  Object.keys(table).filter((name) => table[name]!.on?.some((one) => one === type) && !readByCasts.has(name));

/** Members that the inspector shows elsewhere, or that are about drawing. */
const elsewhere: ReadonlySet<string> = new Set(['id', 'type', 'position']);

function rowOf(member: string): MemberRow {
  const spec = table[member];
  const row = known.get(member) ?? { member, ...controlFor(spec) };
  const meaning = row.hint ?? spec?.meaning;
  return meaning === undefined || row.control === 'template' ? row : { ...row, hint: meaning };
}

/** Of a member that has no row: as its schema has it. */
function controlFor(spec: Member | undefined): Pick<MemberRow, 'control' | 'options'> {
  const { type, enum: names } = (spec?.schema ?? spec?.parsed ?? {}) as { type?: unknown; enum?: unknown };
  if (Array.isArray(names))
    return { control: 'line', options: names.filter((one) => typeof one === 'string') };
  const [is] = Array.isArray(type) ? (type as unknown[]) : [type];
  if (is === 'boolean') return { control: 'flag' };
  if (is === 'number' || is === 'integer') return { control: 'number' };
  return { control: is === 'string' ? 'line' : 'json' };
}

/** The names under which a member holds texts. */
export function textNames(member: string): string[] {
  const { properties = {} } = (table[member]?.schema ?? {}) as { properties?: object };
  return Object.keys(properties);
}

export interface MemberRows {
  readonly shown: readonly MemberRow[];
  /** Not there yet. */
  readonly addable: readonly string[];
}

/** @param edited members that stay in sight although they have just been emptied */
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

/** `text` is another name of the last words. */
const isOffered = (member: string, own: readonly string[]): boolean =>
  !own.includes(member) && !(member === 'text' && own.includes('message'));

/** Every member that a node of its type may have, as far as the tables know. */
export function memberNames(node: AuthoredNode): string[] {
  const { shown, addable } = memberRows(node);
  return [...shown.map(({ member }) => member), ...addable];
}

/** What a member is when it has just been added. */
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
