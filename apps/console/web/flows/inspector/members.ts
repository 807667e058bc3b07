// How the members of a node are edited. Which casts, operators and filters there are, and which members a cast reads, is the engine's
// to say; a type or a member that is not listed here is edited all the same, by what the table says of it or as JSON.
import type { AuthoredNode } from '@parley/flow-engine';
import { castOf, castSpec, typeOf, typeSpec } from '../tables.ts';

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
  | 'assignments';

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
  { member: 'min', control: 'value' },
  { member: 'max', control: 'value' },
  { member: 'pattern', control: 'line', hint: 'RE2 syntax.' },
  { member: 'unit', control: 'words', hint: 'Words that may follow the number, one a line.' },
  { member: 'max_attempts', control: 'number', hint: 'Without it, it is asked for ever.' },
  { member: 'strict', control: 'flag', hint: 'The whole answer must be the value.' },
  { member: 'allow_empty', control: 'flag', hint: 'Silence is an answer.' },
  {
    member: 'reprompts',
    control: 'json',
    hint: 'Words of their own for no_match, no_input and out_of_range.',
  },
  { member: 'default_answer', control: 'value', hint: 'Captured when no attempts are left.' },
  { member: 'extraction', control: 'json', hint: 'A JSON Schema of what else is taken out of the answer.' },
  { member: 'tool', control: 'line' },
  { member: 'args', control: 'json' },
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
];
const known: ReadonlyMap<string, MemberRow> = new Map(rows.map((row) => [row.member, row]));

/** What the node is for; shown even when it is not there. */
const first: Readonly<Record<string, readonly string[]>> = {
  message: ['text'],
  collect: ['prompt', 'variable', 'cast'],
  branch: [],
  tool: ['tool', 'args', 'output_var'],
  autonomous: ['goal', 'prompt', 'tools'],
  handoff: ['target', 'reason', 'message'],
  end: ['message'],
  global: ['prompt'],
  trigger: ['event'],
  webhook: ['url', 'payload'],
  qa: [],
};
/** What can be added to it. */
const more: Readonly<Record<string, readonly string[]>> = {
  message: ['variants'],
  collect: [
    'variants',
    'reprompt',
    'reprompts',
    'max_attempts',
    'strict',
    'allow_empty',
    'default_answer',
    'extraction',
  ],
  autonomous: [
    ...['tool_dispatch', 'documents', 'mcp', 'context_vars', 'max_iterations', 'turn_budget', 'output_var'],
    'add_global_prompt',
  ],
  webhook: ['events', 'headers'],
};

/** Members that the inspector shows elsewhere, or that are about drawing. */
const elsewhere: ReadonlySet<string> = new Set(['id', 'type', 'position']);

const rowOf = (member: string): MemberRow => known.get(member) ?? { member, control: 'json' };

/** Names in backticks in the one line that the table says of a type: its members, where nothing else says them. */
const membersIn = (meaning: string): string[] => [...meaning.matchAll(/`(\w+)`/g)].map(([, name]) => name!);

export interface MemberRows {
  readonly shown: readonly MemberRow[];
  /** Not there yet. */
  readonly addable: readonly string[];
}

/** @param edited members that stay in sight although they have just been emptied */
export function memberRows(node: AuthoredNode, edited: readonly string[] = []): MemberRows {
  const type = typeOf(node);
  const spec = typeSpec(type);
  const own = (type === null ? undefined : first[type]) ?? (spec === null ? [] : membersIn(spec.meaning));
  const read = own.includes('cast') ? (castSpec(castOf(node.cast))?.reads ?? []) : [];
  const main = [...own, ...(read.includes('choices') ? ['choices'] : [])];
  const others = [
    ...read.filter((member) => member !== 'choices'),
    ...((type === null ? undefined : more[type]) ?? []),
    ...(spec?.walked ? ['set'] : []),
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
      return {};
    default:
      return rowOf(member).options?.[0] ?? '';
  }
}
