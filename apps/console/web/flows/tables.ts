// Looks up the engine's tables by the spellings that a definition uses.
import { choiceValue } from '@parley/answers';
import {
  casts,
  engineVariables as engineTable,
  nodeTypes,
  operators,
  type AuthoredFlow,
  type AuthoredNode,
  type CastSpec,
  type NodeTypeSpec,
  type OperatorSpec,
} from '@parley/flow-engine';

type Table<Spec extends { readonly aliases: readonly string[] }> = Readonly<Record<string, Spec>>;

/** Maps every spelling of a table to its canonical name. */
function spellings(table: Table<{ readonly aliases: readonly string[] }>): ReadonlyMap<string, string> {
  return new Map(
    Object.entries(table).flatMap(([name, { aliases }]) =>
      [name, ...aliases].map((spelling) => [spelling, name] as const),
    ),
  );
}

const types: Table<NodeTypeSpec> = nodeTypes;
const ops: Table<OperatorSpec> = operators;
const castTable: Table<CastSpec> = casts;
const [typeNames, opNames, castNames] = [spellings(types), spellings(ops), spellings(castTable)];

/** The canonical type of a node; null when unknown. */
export const typeOf = (node: AuthoredNode): string | null => typeNames.get(node.type ?? '') ?? null;
export const typeSpec = (type: string | null): NodeTypeSpec | null =>
  type === null ? null : (types[type] ?? null);
export const opOf = (authored: string): string | null => opNames.get(authored.trim()) ?? null;
export const opSpec = (op: string | null): OperatorSpec | null => (op === null ? null : (ops[op] ?? null));
/** An omitted cast is `string`. */
export const castOf = (authored: string | null | undefined): string | null =>
  authored == null || authored === '' ? 'string' : (castNames.get(authored) ?? null);
export const castSpec = (cast: string | null): CastSpec | null =>
  cast === null ? null : (castTable[cast] ?? null);

/** The names of a table's rows for people, by their canonical spelling. */
export const labelsOf = (table: Readonly<Record<string, { readonly label: string }>>) =>
  Object.fromEntries(Object.entries(table).map(([name, { label }]) => [name, label]));
/** Within a sentence: "Add question", "Add AI agent". */
export const inSentence = (label: string): string =>
  /^[A-Z]{2}/.test(label) ? label : label.charAt(0).toLowerCase() + label.slice(1);

/** What the card of a node is called: the author's title, or its kind. */
export function titleOf(node: AuthoredNode): string {
  const own = node['label'];
  if (typeof own === 'string' && own.trim() !== '') return own.trim();
  return typeSpec(typeOf(node))?.label ?? node.type ?? 'Node';
}

/** Longer texts are cut where they stand for a node. */
const NAME_CHARACTERS_MAX = 40;

/** A node within a list or a sentence: its title, else the beginning of its text. */
export function nameOf(node: AuthoredNode | undefined, id: string): string {
  const own = node?.['label'];
  if (node === undefined) return id;
  if (typeof own === 'string' && own.trim() !== '') return own.trim();
  const says = sayingOf(node);
  const short = says.length > NAME_CHARACTERS_MAX ? `${says.slice(0, NAME_CHARACTERS_MAX)}…` : says;
  return short === '' ? `${titleOf(node)} (${id})` : short;
}

/** The values that a question accepts; none when any answer is possible. */
export function choicesOf(node: AuthoredNode | undefined): readonly unknown[] {
  const cast = castOf(node?.cast);
  if (cast === 'boolean') return [true, false];
  return cast === 'enum' && Array.isArray(node?.choices) ? node.choices.map(choiceValue) : [];
}

/** Whether the node can have outgoing edges. A handoff can when it returns. */
export const canBeLeft = (node: AuthoredNode): boolean =>
  typeSpec(typeOf(node))?.constraints.maxOutgoing !== 0 || node['returns'] === true;

/** In the engine's order, with configuration nodes last. */
export const typeRows: readonly { readonly type: string; readonly spec: NodeTypeSpec }[] = Object.entries(
  types,
)
  .map(([type, spec]) => ({ type, spec }))
  .sort((a, b) => Number(a.spec.declarative) - Number(b.spec.declarative));

export const titled = (name: string): string => {
  const words = name.replaceAll('_', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
};

/** Members that name a variable which the flow writes. */
const WRITES = ['variable', 'output_var'];

/** The variables that a definition writes, for completion. */
export function variablesOf({ nodes }: AuthoredFlow): string[] {
  const names = new Set<string>();
  const add = (name: unknown) => {
    if (typeof name === 'string' && name.trim() !== '') names.add(name.trim());
  };
  for (const node of nodes) {
    for (const member of WRITES) add(node[member]);
    const { set, extraction } = node as { set?: unknown; extraction?: { properties?: unknown } | null };
    if (Array.isArray(set)) for (const entry of set) add((entry as { variable?: unknown } | null)?.variable);
    if (typeof extraction?.properties === 'object' && extraction.properties !== null)
      Object.keys(extraction.properties).forEach(add);
  }
  return [...names].sort();
}

/** Variables that the engine provides to conditions. */
export const engineVariables: readonly string[] = Object.keys(engineTable);

/** A one-line summary of a node. */
export function sayingOf(node: AuthoredNode): string {
  for (const member of ['text', 'prompt', 'message', 'goal', 'tool', 'target', 'url', 'event', 'reason']) {
    const value = node[member];
    if (typeof value === 'string' && value.trim() !== '') return value.replaceAll(/\s+/g, ' ').trim();
  }
  const { call, on } = node as { call?: { flow_id?: unknown } | null; on?: unknown };
  if (typeof call?.flow_id === 'string' && call.flow_id !== '') return `Calls ${call.flow_id}`;
  return on === 'any_turn' ? 'Tried at every question' : '';
}
