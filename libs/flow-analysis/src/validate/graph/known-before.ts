// Finds constants that earlier nodes have set: the known value of a variable when the edges of a
// node are tried, on every path of a turn.
import type { Interruption } from '../interruption.ts';
import { canBeFollowed, isScalarConstant, knownAfter, nothingKnown, type Known } from '../known-values.ts';
import { isLeft, isWait, mayPass } from '../node-kinds.ts';
import { listAssignments } from '../variable-uses.ts';
import type { CountedFlow } from './counted-turn.ts';
import type { Graph } from './flow-graph.ts';

/** Variables to follow, and arcs walked for them; beyond either it claims nothing. */
const variablesMax = 50;
const arcsPerArcMax = 100;

/** By vertex: the known values when its edges are tried. */
export function findKnownAtEdges(flow: CountedFlow, walk: Graph): readonly Known[] {
  const { nodes, edgesOf, entries, interruption, readPath, writesOf } = flow;
  const unknown = nodes.map(() => nothingKnown);
  const tracked = findConstants(flow);
  if (tracked.size === 0 || tracked.size > variablesMax) return unknown;
  const after = nodes.map((node) => knownAfter(node, writesOf.get(node) ?? [], tracked, readPath));
  /** Null = no known turn comes here yet. */
  const before: (Known | null)[] = nodes.map(() => null);
  const left: number[] = [];
  const arrive = (vertex: number, known: Known) => {
    const met = meet(before[vertex] ?? null, known);
    if (met === before[vertex]) return;
    before[vertex] = met;
    left.push(vertex);
  };
  for (const vertex of beginnings(flow, entries, interruption)) arrive(vertex, nothingKnown);
  let arcsLeft = arcsPerArcMax * (walk.size + walk.targets.length);
  for (let vertex = left.pop(); vertex !== undefined; vertex = left.pop()) {
    const known = after[vertex]!(before[vertex]!);
    arcsLeft -= edgesOf[vertex]!.length;
    if (arcsLeft < 0) return unknown;
    for (const to of walk.targets.subarray(walk.offsets[vertex], walk.offsets[vertex + 1]))
      if (mayPass(nodes[to]!)) arrive(to, known);
  }
  return before.map((known, vertex) => (known === null ? nothingKnown : after[vertex]!(known)));
}

/** Paths that some node sets to a constant and some edge compares. */
function findConstants({ nodes, edgesOf, readPath }: CountedFlow): ReadonlySet<string> {
  const set = new Set<string>();
  for (const node of nodes)
    for (const { variable, op, operand } of listAssignments(node)) {
      const path = op === 'to' && isScalarConstant(operand) ? readPath(variable)?.path : undefined;
      if (path !== undefined && canBeFollowed(path)) set.add(path);
    }
  if (set.size === 0) return set;
  const compared = edgesOf.flatMap((edges) =>
    edges.map(({ condition }) => readPath(condition?.variable ?? '')?.path ?? ''),
  );
  return new Set(compared.filter((path) => set.has(path)));
}

/**
 * Where a turn may begin: an entry, a question, the target of a command, a node where a turn may
 * have stopped.
 */
function* beginnings(
  { nodes, edgesOf }: CountedFlow,
  entries: readonly number[],
  interruption: Interruption | null,
): Generator<number> {
  yield* entries;
  yield* interruption?.targets ?? [];
  for (const [vertex, node] of nodes.entries())
    if (isLeft(node) && (isWait(node) || !edgesOf[vertex]!.some(({ kind }) => kind === 'default')))
      yield vertex;
}

/** The values on which both agree; the first map itself when it has no others. */
function meet(known: Known | null, other: Known): Known {
  if (known === null) return other;
  const same = [...known].filter(([path, value]) => other.has(path) && Object.is(other.get(path), value));
  return same.length === known.size ? known : new Map(same);
}
