// The graph that definite assignment runs over (assignment.ts): the walk, with a vertex of its own for every edge that proves
// something about a variable. "Taken because `email exists`" and "came past `email not_exists`" both prove that email is set.
import { compileComparison } from '../../read/compare.ts';
import { compileValue } from '../../compile/interpolate.ts';
import { comparisonsOf } from '../../define/conditions.ts';
import type { Condition, NodeModel } from '../../define/model.ts';
import { operators } from '../../define/operators.ts';
import { Arcs, makeGraph, type Graph } from './flow-graph.ts';
import type { FlowIndex } from '../flow-index.ts';
import { groupBy } from '../group-by.ts';
import { canGiveUp, leavingStatuses } from '../node-kinds.ts';
import { assignmentsOf, type ReadingMoment, type VariableRead } from '../variable-uses.ts';

/** What happens at a vertex, in order. `unit` is the number of a variable that some node sets. */
export type AssignmentEvent =
  | { readonly kind: 'read'; readonly unit: number; readonly read: VariableRead }
  /** Set from here on. */
  | { readonly kind: 'set'; readonly unit: number }
  /** A tool was asked: the caller sets the variable before the next wait is over. */
  | { readonly kind: 'promised'; readonly unit: number }
  /** Taken out of the bag. */
  | { readonly kind: 'cleared'; readonly unit: number }
  | { readonly kind: 'wait' };

export interface AssignmentGraph {
  /** Vertices below `index.nodes.length` are nodes; then the root, which leads to every entry; then the edges that prove something. */
  readonly graph: Graph;
  readonly root: number;
  readonly events: readonly (readonly AssignmentEvent[])[];
  readonly units: readonly string[];
}

export function makeAssignmentGraph(index: FlowIndex): AssignmentGraph {
  const { nodes, entries } = index;
  const readsAt = readsByPlace(index);
  const units = [...new Set([...readsAt.values()].flatMap((reads) => reads.map(({ root }) => root)))];
  const draft: Draft = {
    index,
    unitOf: new Map(units.map((unit, number) => [unit, number] as const)),
    readsAt,
    arcs: new Arcs(),
    events: Array<null>(nodes.length + 1).fill(null),
  };
  const root = nodes.length;
  for (const to of entries) draft.arcs.add(root, to, -1);
  nodes.forEach((_, vertex) => {
    if (index.reachable[vertex] === 0) return;
    visitNode(draft, vertex);
    leaveNode(draft, vertex);
  });
  const events = draft.events.map((happens) => happens ?? nothing);
  return { graph: makeGraph(events.length, draft.arcs), root, events, units };
}

const nothing: readonly never[] = [];

interface Draft {
  readonly index: FlowIndex;
  readonly unitOf: ReadonlyMap<string, number>;
  /** By the comparison or node that reads. */
  readonly readsAt: ReadonlyMap<Condition | NodeModel, readonly VariableRead[]>;
  readonly arcs: Arcs;
  /** By vertex; null = nothing happens there, which is so nearly everywhere. */
  readonly events: (AssignmentEvent[] | null)[];
}

/** Where no path leads, nothing can be unset on it. */
function readsByPlace({
  variables,
  vertexOf,
  reachable,
  isWritten,
}: FlowIndex): ReadonlyMap<Condition | NodeModel, readonly VariableRead[]> {
  const reads = variables.reads.filter(
    ({ unsetIsFine, moment, node, path }) =>
      !unsetIsFine &&
      moment !== 'outside' &&
      node !== null &&
      reachable[vertexOf.get(node.id)!] === 1 &&
      isWritten(path),
  );
  return groupBy(reads, ({ condition, node }) => condition ?? node!);
}

function addEvent(draft: Draft, vertex: number, event: AssignmentEvent): void {
  (draft.events[vertex] ??= []).push(event);
}

function addReads(draft: Draft, vertex: number, reader: Condition | NodeModel, moment: ReadingMoment): void {
  for (const read of draft.readsAt.get(reader) ?? nothing)
    if (read.moment === moment)
      addEvent(draft, vertex, { kind: 'read', unit: draft.unitOf.get(read.root)!, read });
}

function visitNode(draft: Draft, vertex: number): void {
  const node = draft.index.nodes[vertex]!;
  addReads(draft, vertex, node, 'arriving');
  if (node.type === 'collect') {
    addEvent(draft, vertex, { kind: 'wait' });
    addReads(draft, vertex, node, 'asking_again');
  }
  if (node.type !== 'collect' || !canGiveUp(node)) {
    const kind = node.type === 'tool' ? 'promised' : 'set';
    for (const unit of unitsSetBy(draft, vertex)) addEvent(draft, vertex, { kind, unit });
  }
  addReads(draft, vertex, node, 'leaving');
  for (const { variable, op } of assignmentsOf(node)) {
    const read = op === 'remove' ? null : draft.index.readPath(variable);
    const unit = read === null ? undefined : draft.unitOf.get(read.root);
    if (unit === undefined) continue;
    // What is left of an object after one member was taken out is still there.
    if (op !== 'clear') addEvent(draft, vertex, { kind: 'set', unit });
    else if (read!.path === read!.root) addEvent(draft, vertex, { kind: 'cleared', unit });
  }
}

function unitsSetBy({ index, unitOf }: Draft, vertex: number): readonly number[] {
  const written = index.writesOf.get(index.nodes[vertex]!) ?? nothing;
  return written.flatMap(({ root, by }) => (by === 'set' ? [] : (unitOf.get(root) ?? [])));
}

/** Adds the edges of a node in the order in which they are tried, and the comparisons of each in theirs. */
function leaveNode(draft: Draft, vertex: number): void {
  const node = draft.index.nodes[vertex]!;
  const canBeOpen = node.type === 'collect' && canGiveUp(node);
  let left = canBeOpen ? new Set<string>(leavingStatuses(node)) : null;
  const answered = canBeOpen ? unitsSetBy(draft, vertex) : nothing;
  let cursor = vertex;
  const passing = (from: number, units: readonly number[]): number => {
    if (units.length === 0) return from;
    const passed = draft.events.push(units.map((unit) => ({ kind: 'set', unit }) as const)) - 1;
    draft.arcs.add(from, passed, -1);
    return passed;
  };
  const edges = draft.index.edgesOf[vertex]!;
  for (const edge of edges) {
    if (edge.kind !== 'deterministic') continue;
    const target = draft.index.vertexOf.get(edge.target)!;
    const any = edge.group?.joint === 'any';
    const compared = comparisonsOf(edge);
    /** Where a walk stands that passes the edge by before its last comparison, as only `all` can. */
    const passedEarly: number[] = [];
    let at = cursor;
    let statuses = left;
    compared.forEach((condition, place) => {
      const isLast = place === compared.length - 1;
      addReads(draft, at, condition, 'leaving');
      const told = statuses === null ? noTelling : whatStatusTells(condition, edge.caseSensitive, statuses);
      const [taken, passed] = [whenTaken(draft, condition), whenPassed(draft, condition)];
      const held = passing(at, told.taken ? [...taken, ...answered] : taken);
      const failed = passing(at, told.passed ? [...passed, ...answered] : passed);
      if (any || isLast) draft.arcs.add(held, target, edge.index);
      if (!any && !isLast) passedEarly.push(failed);
      at = any || isLast ? failed : held;
      statuses = any || isLast ? told.failed : told.held;
    });
    if (any || compared.length === 1) left = statuses;
    cursor = passedEarly.length === 0 ? at : draft.events.push(null) - 1;
    for (const from of passedEarly.length === 0 ? [] : [...passedEarly, at]) draft.arcs.add(from, cursor, -1);
  }
  for (const edge of edges)
    if (edge.kind !== 'deterministic')
      draft.arcs.add(cursor, draft.index.vertexOf.get(edge.target)!, edge.index);
}

/** Operators that fail on a missing variable prove that it is there when they hold … */
function whenTaken(draft: Draft, { variable, op }: Condition): readonly number[] {
  const unit = comparedUnit(draft, variable);
  return unit === null || op === null || operators[op].trueOnMissing ? nothing : [unit];
}

/** … and operators that hold on a missing variable prove it when they fail. */
function whenPassed(draft: Draft, { variable, op }: Condition): readonly number[] {
  const unit = comparedUnit(draft, variable);
  return unit === null || op === null || !operators[op].trueOnMissing ? nothing : [unit];
}

function comparedUnit({ unitOf, index }: Draft, variable: string | null | undefined): number | null {
  const read = variable == null ? null : index.readPath(variable);
  return read === null ? null : (unitOf.get(read.root) ?? null);
}

/** Whether a comparison, holding or not, proves that the collect node was answered; and which statuses each leaves possible. */
interface StatusTelling {
  readonly taken: boolean;
  readonly passed: boolean;
  readonly held: Set<string> | null;
  readonly failed: Set<string> | null;
}

const noTelling: StatusTelling = { taken: false, passed: false, held: null, failed: null };

function whatStatusTells(
  { variable, op, value }: Condition,
  caseSensitive: boolean,
  left: Set<string>,
): StatusTelling {
  const isTold = variable?.trim() === '_input_status' && op !== null && compileValue(value, null).constant;
  if (!isTold) return { taken: false, passed: false, held: left, failed: left };
  const compare = compileComparison(op, value, { caseSensitive });
  const held = new Set([...left].filter((status) => compare(status).matched));
  const failed = new Set([...left].filter((status) => !held.has(status)));
  const onlyAnswered = (statuses: Iterable<string>) => [...statuses].join() === 'captured';
  return { taken: onlyAnswered(held), passed: held.size > 0 && onlyAnswered(failed), held, failed };
}
