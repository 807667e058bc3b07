// How each member of a node is edited. The engine's tables say which members exist; unlisted ones
// use their schema.
import { definitionMembers, type Member } from '@parley/flow-analysis';
import { casts, type AuthoredNode, type CastSpec, type NodeType } from '@parley/flow-engine';
import { canBeLeft, castOf, castSpec, titled, typeOf, typeSpec } from '../tables.ts';

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
  | 'command'
  | 'extraction';

export interface MemberRow {
  readonly member: string;
  readonly label: string;
  readonly control: Control;
  readonly hint?: string | undefined;
  /** For a line: the possible values with their names. */
  readonly options?: Readonly<Record<string, string>> | undefined;
}

/** Controls that the schema of a member does not tell. */
const controls: Readonly<Partial<Record<string, Control>>> = {
  ...named('template', 'text prompt reprompt message reason goal'),
  ...named('words', 'variants unit also events context_vars redact'),
  ...named('variable', 'variable output_var'),
  ...named('value', 'min max default_answer'),
  ...named('line', 'label default_region pattern tool target url event'),
  ...named('number', 'max_attempts max_iterations turn_budget max_turns'),
  ...named('flag', 'allow_empty add_global_prompt resume'),
  ...named('json', 'graph_constraints output_schema'),
  ...named('map', 'args headers'),
  cast: 'cast',
  choices: 'choices',
  extraction: 'extraction',
  reprompts: 'texts',
  set: 'assignments',
  on: 'command',
  call: 'call',
};

function named(control: Control, members: string): Record<string, Control> {
  return Object.fromEntries(members.split(' ').map((member) => [member, control]));
}

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
const elsewhere: ReadonlySet<string> = new Set(['id', 'type', 'label', 'position']);

function rowOf(member: string, type: string | null): MemberRow {
  const spec = table[member];
  const control = controls[member] ?? controlFor(spec);
  const label = memberLabel(member, type);
  const hint = spec?.help ?? (control === 'template' ? undefined : spec?.meaning);
  return { member, label, control, hint, options: optionsOf(spec) };
}

/** The name of a member for people. */
export function memberLabel(member: string, type: string | null): string {
  const spec = table[member];
  return spec?.labelOn?.[type as NodeType] ?? (spec === undefined ? titled(member) : spec.label);
}

export const isAdvanced = (member: string): boolean => table[member]?.advanced === true;

const enumOf = ({ schema, parsed }: Member): unknown => (schema ?? parsed)['enum'];

function optionsOf(spec: Member | undefined): MemberRow['options'] {
  const names = spec === undefined ? undefined : enumOf(spec);
  if (!Array.isArray(names)) return spec?.options;
  const texts = names.filter((one): one is string => typeof one === 'string');
  return Object.fromEntries(texts.map((name) => [name, spec?.options?.[name] ?? titled(name)]));
}

function controlFor(spec: Member | undefined): Control {
  if (spec?.options !== undefined || (spec !== undefined && Array.isArray(enumOf(spec)))) return 'line';
  const { type } = spec?.schema ?? spec?.parsed ?? {};
  const [is] = Array.isArray(type) ? (type as unknown[]) : [type];
  if (is === 'boolean') return 'flag';
  if (is === 'number' || is === 'integer') return 'number';
  return is === 'string' ? 'line' : 'json';
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
    shown: [...main, ...others.filter(isThere), ...unlisted].map((member) => rowOf(member, type)),
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
  const { control, options } = rowOf(member, null);
  switch (control) {
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
      return Object.keys(options ?? {})[0] ?? '';
  }
}
