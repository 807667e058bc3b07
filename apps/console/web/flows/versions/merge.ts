// Three-way merge of a flow: takes changes of either side and reports what both changed.
import type { AuthoredEdge, AuthoredFlow, AuthoredNode } from '@parley/flow-engine';
import { edgesOf } from '../document/doc.ts';

/** The unit of merging: a node, the ordered edges out of a node, or a member of the flow. */
export interface Unit {
  readonly key: string;
  readonly kind: 'node' | 'edges' | 'member';
  readonly name: string;
}

export interface Conflict extends Unit {
  /** Undefined when removed. */
  readonly mine: unknown;
  readonly theirs: unknown;
}

export type Side = 'mine' | 'theirs';

export interface Merged {
  readonly flow: AuthoredFlow;
  readonly conflicts: readonly Conflict[];
}

/** @param choices by conflict key; default: mine */
export function mergeFlows(
  base: AuthoredFlow,
  mine: AuthoredFlow,
  theirs: AuthoredFlow,
  choices: Readonly<Record<string, Side>> = {},
): Merged {
  const [old, ours, other] = [unitsOf(base), unitsOf(mine), unitsOf(theirs)];
  const conflicts: Conflict[] = [];
  const result = new Map<string, unknown>();
  for (const key of new Set([...ours.keys(), ...other.keys(), ...old.keys()])) {
    const [was, here, there] = [old, ours, other].map((units) => JSON.stringify(units.get(key)?.value));
    let side: Side = here === was ? 'theirs' : 'mine';
    if (here !== there && here !== was && there !== was) {
      const { kind, name } = (ours.get(key) ?? other.get(key) ?? old.get(key))!;
      conflicts.push({ key, kind, name, mine: ours.get(key)?.value, theirs: other.get(key)?.value });
      side = choices[key] ?? 'mine';
    }
    const chosen = (side === 'mine' ? ours : other).get(key);
    if (chosen !== undefined) result.set(key, chosen.value);
  }
  return { flow: assembled(result, mine, theirs), conflicts };
}

interface Valued extends Unit {
  readonly value: unknown;
}

function unitsOf(flow: AuthoredFlow): Map<string, Valued> {
  const units = new Map<string, Valued>();
  const put = (kind: Unit['kind'], name: string, value: unknown) =>
    units.set(keyOf(kind, name), { key: keyOf(kind, name), kind, name, value });
  const { nodes, edges: _, ...members } = flow;
  for (const [name, value] of Object.entries(members)) put('member', name, value);
  for (const node of nodes) put('node', node.id, node);
  const bySource = new Map<string, AuthoredEdge[]>();
  for (const edge of edgesOf(flow)) bySource.set(edge.source, [...(bySource.get(edge.source) ?? []), edge]);
  for (const [source, edges] of bySource) put('edges', source, edges);
  return units;
}

const keyOf = (kind: Unit['kind'], name: string): string => `${kind} ${name}`;

/** Keeps my order and appends what only they have. */
function assembled(
  units: ReadonlyMap<string, unknown>,
  mine: AuthoredFlow,
  theirs: AuthoredFlow,
): AuthoredFlow {
  const names = <Thing>(
    kind: Unit['kind'],
    things: (flow: AuthoredFlow) => readonly Thing[],
    name: (thing: Thing) => string,
  ) =>
    [...new Set([...things(mine), ...things(theirs)].map(name))].flatMap((one) => {
      const value = units.get(keyOf(kind, one));
      return value === undefined ? [] : [value];
    });
  const members = [...units]
    .filter(([key]) => key.startsWith('member '))
    .map(([key, value]) => [key.slice('member '.length), value] as const);
  return {
    ...Object.fromEntries(members),
    nodes: names(
      'node',
      (flow) => flow.nodes,
      ({ id }) => id,
    ) as AuthoredNode[],
    edges: names('edges', edgesOf, ({ source }) => source).flat() as AuthoredEdge[],
  };
}
