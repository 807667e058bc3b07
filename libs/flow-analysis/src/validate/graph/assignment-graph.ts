// Builds the graph for definite assignment (assignment.ts): the walk, with an extra vertex for
// every edge that proves something about a variable. An edge taken because `email exists`, and one
// passed because of `email not_exists`, both prove that email is set.
import { isResuming } from '@parley/flow-engine/define/commands';
import { listComparisons } from '@parley/flow-engine/define/conditions';
import type { Condition, EdgeModel, NodeModel } from '@parley/flow-engine/define/model';
import { operators } from '@parley/flow-engine/define/operators';
import type { AssignmentEvent } from './assignment-event.ts';
import { findClearedBefore } from './cleared-before.ts';
import { Arcs, makeGraph, type Graph } from './flow-graph.ts';
import { analyseStatus, noTelling } from './status-proof.ts';
import type { FlowIndex } from '../flow-index.ts';
import { groupBy } from '../group-by.ts';
import { canGiveUp, isInterruptible, isWait, leavingStatuses } from '../node-kinds.ts';
import { listAssignments, type ReadingMoment, type VariableRead } from '../variable-uses.ts';

export interface AssignmentGraph {
  /**
   * Vertices below `index.nodes.length` are nodes; then the root, which leads to every entry; then
   * the edges that prove something.
   */
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
  const commands = areCalled(index) ? draft.events.push(null) - 1 : null;
  nodes.forEach((_, vertex) => {
    if (index.reachable[vertex] === 0) return;
    const asked = visitNode(draft, vertex);
    leaveNode(draft, vertex, takeAnswer(draft, vertex, asked, commands));
  });
  if (commands !== null) {
    leaveBy(draft, commands, index.interruption!.edges, null);
    goBack(draft, root, commands);
  }
  const events = draft.events.map((happens) => happens ?? nothing);
  return { graph: makeGraph(events.length, draft.arcs), root, events, units };
}

const nothing: readonly never[] = [];

/** Some reachable question accepts commands. */
const areCalled = ({ interruption, reachable }: FlowIndex): boolean =>
  interruption?.questions.some((vertex) => reachable[vertex] === 1) === true;

interface Draft {
  readonly index: FlowIndex;
  readonly unitOf: ReadonlyMap<string, number>;
  /** By the comparison or node that reads. */
  readonly readsAt: ReadonlyMap<Condition | NodeModel, readonly VariableRead[]>;
  readonly arcs: Arcs;
  /** By vertex; null for the many vertices without events. */
  readonly events: (AssignmentEvent[] | null)[];
}

/** Without unreachable places: nothing can be unset there. */
function readsByPlace(index: FlowIndex): ReadonlyMap<Condition | NodeModel, readonly VariableRead[]> {
  const { variables, vertexById, reachable, isWritten, interruption } = index;
  const called = new Set(areCalled(index) ? interruption?.edges : nothing);
  const reads = variables.reads.filter(
    ({ unsetIsFine, moment, node, edge, path }) =>
      !unsetIsFine &&
      moment !== 'outside' &&
      node !== null &&
      (reachable[vertexById.get(node.id)!] === 1 || (edge !== null && called.has(edge))) &&
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

/**
 * @returns the vertex that awaits the answer. A question that may be skipped has two ways from its
 * vertex.
 */
function visitNode(draft: Draft, arrived: number): number {
  const node = draft.index.nodes[arrived]!;
  let vertex = arrived;
  if (node.skips) {
    vertex = draft.events.push(null) - 1;
    draft.arcs.add(arrived, vertex, -1);
  }
  addReads(draft, vertex, node, 'arriving');
  if (isWait(node)) {
    addEvent(draft, vertex, { kind: 'wait' });
    addReads(draft, vertex, node, 'asking_again');
  }
  return vertex;
}

/**
 * Adds the results of an answer, or of a visit without one. A command is called before it: another
 * way out of a question.
 */
function takeAnswer(draft: Draft, arrived: number, asked: number, commands: number | null): number {
  const node = draft.index.nodes[arrived]!;
  let vertex = asked;
  if (commands !== null && isInterruptible(node)) {
    vertex = draft.events.push(null) - 1;
    draft.arcs.add(asked, vertex, -1);
    draft.arcs.add(asked, commands, -1);
  }
  if (!canGiveUp(node)) {
    const kind = node.type === 'tool' ? 'promised' : 'set';
    for (const unit of unitsSetBy(draft, arrived)) addEvent(draft, vertex, { kind, unit });
  }
  if (node.skips) vertex = joinSkipped(draft, arrived, vertex);
  addReads(draft, vertex, node, 'leaving');
  for (const { variable, op } of listAssignments(node)) {
    const read = op === 'remove' ? null : draft.index.readPath(variable);
    const unit = read === null ? undefined : draft.unitOf.get(read.root);
    if (unit === undefined) continue;
    // An object remains when one of its members was removed.
    if (op !== 'clear') addEvent(draft, vertex, { kind: 'set', unit });
    else if (read!.path === read!.root) addEvent(draft, vertex, { kind: 'cleared', unit });
  }
  return vertex;
}

/** Adds the way past a question, on which its variable is set, and the way through it. */
function joinSkipped(draft: Draft, arrived: number, answered: number): number {
  const { index, unitOf } = draft;
  const root = index.readPath(index.nodes[arrived]!.raw.variable!)?.root ?? '';
  const unit = unitOf.get(root);
  const skipped = draft.events.push(unit === undefined ? null : [{ kind: 'set', unit }]) - 1;
  const joined = draft.events.push(null) - 1;
  draft.arcs.add(arrived, skipped, -1);
  draft.arcs.add(skipped, joined, -1);
  draft.arcs.add(answered, joined, -1);
  return joined;
}

function unitsSetBy({ index, unitOf }: Draft, vertex: number): readonly number[] {
  const written = index.writesOf.get(index.nodes[vertex]!) ?? nothing;
  return written.flatMap(({ root, by }) => (by === 'set' || by === 'also' ? [] : (unitOf.get(root) ?? [])));
}

function leaveNode(draft: Draft, vertex: number, from: number): void {
  const node = draft.index.nodes[vertex]!;
  const telling = canGiveUp(node)
    ? { node, left: new Set(leavingStatuses(node)), answered: unitsSetBy(draft, vertex) }
    : null;
  const edges = draft.index.edgesOf[vertex]!;
  const last = leaveBy(draft, from, edges, telling);
  // A turn without an edge to take ends here, and the next one visits the node again, after its
  // `clear` on leaving.
  const mayStay = !draft.index.routing[vertex]!.exhaustive && !edges.some(({ kind }) => kind === 'default');
  if (mayStay && draft.events[from]?.some(({ kind }) => kind === 'cleared') === true)
    draft.arcs.add(last, vertex, -1);
}

/** A node that may be left without setting its variable, and what edges on its status may prove. */
interface StatusProof {
  readonly node: NodeModel;
  /** Statuses that no edge has matched. */
  readonly left: ReadonlySet<string>;
  readonly answered: readonly number[];
}

/**
 * Adds edges in the order in which the walk tries them, with their comparisons; returns the vertex
 * at which no condition held.
 */
function leaveBy(
  draft: Draft,
  from: number,
  edges: readonly EdgeModel[],
  telling: StatusProof | null,
): number {
  const answered = telling?.answered ?? nothing;
  let left = telling?.left ?? null;
  let cursor = from;
  const passing = (from: number, units: readonly number[]): number => {
    if (units.length === 0) return from;
    const passed = draft.events.push(units.map((unit) => ({ kind: 'set', unit }) as const)) - 1;
    draft.arcs.add(from, passed, -1);
    return passed;
  };
  for (const edge of edges) {
    if (edge.kind !== 'deterministic') continue;
    const target = draft.index.vertexById.get(edge.target)!;
    const any = edge.group?.joint === 'any';
    const compared = listComparisons(edge);
    /**
     * The state of a walk that fails the edge before its last comparison, which only `all` allows.
     */
    const passedEarly: number[] = [];
    let at = cursor;
    let statuses = left;
    compared.forEach((condition, place) => {
      const isLast = place === compared.length - 1;
      addReads(draft, at, condition, 'leaving');
      const told =
        telling === null || statuses === null
          ? noTelling
          : analyseStatus(condition, edge.caseSensitive, telling.node, statuses);
      const [taken, passed] = [listProvedWhenTaken(draft, condition), listProvedWhenPassed(draft, condition)];
      const held = passing(at, told.taken ? [...taken, ...answered] : taken);
      const failed = passing(at, told.passed ? [...passed, ...answered] : passed);
      if (any || isLast) draft.arcs.add(held, target, edge.index);
      if (!any && !isLast) passedEarly.push(failed);
      at = any || isLast ? failed : held;
      statuses = any || isLast ? told.failed : told.held;
    });
    if (any || compared.length === 1) left = statuses;
    cursor = passedEarly.length === 0 ? at : draft.events.push(null) - 1;
    for (const early of passedEarly.length === 0 ? [] : [...passedEarly, at])
      draft.arcs.add(early, cursor, -1);
  }
  for (const edge of edges)
    if (edge.kind !== 'deterministic')
      draft.arcs.add(cursor, draft.index.vertexById.get(edge.target)!, edge.index);
  return cursor;
}

/**
 * Adds the way back from commands. Variables that were set at the interruption stay set, except
 * those cleared on the way. So one vertex at which everything else is set leads to the questions.
 */
function goBack({ index, arcs, events, unitOf }: Draft, root: number, commands: number): void {
  const ends = [...index.nodes.keys()].filter(
    (vertex) => index.reachable[vertex] === 1 && isResuming(index.nodes[vertex]!),
  );
  const happens = events.map((event) => event ?? nothing);
  const cleared = findClearedBefore(makeGraph(events.length, arcs), happens, ends, commands);
  if (cleared.size === 0) return;
  const back = [...unitOf.values()].map((unit) => ({
    kind: cleared.has(unit) ? ('cleared' as const) : ('set' as const),
    unit,
  }));
  const vertex = events.push(back) - 1;
  arcs.add(root, vertex, -1);
  for (const question of index.interruption!.questions)
    if (index.reachable[question] === 1) arcs.add(vertex, question, -1);
}

/** Operators that fail on a missing variable prove it present when they hold … */
function listProvedWhenTaken(draft: Draft, { variable, op }: Condition): readonly number[] {
  const unit = comparedUnit(draft, variable);
  return unit === null || op === null || operators[op].trueOnMissing ? nothing : [unit];
}

/** … and operators that hold on a missing variable prove it present when they fail. */
function listProvedWhenPassed(draft: Draft, { variable, op }: Condition): readonly number[] {
  const unit = comparedUnit(draft, variable);
  return unit === null || op === null || !operators[op].trueOnMissing ? nothing : [unit];
}

function comparedUnit({ unitOf, index }: Draft, variable: string | null | undefined): number | null {
  const read = variable == null ? null : index.readPath(variable);
  return read === null ? null : (unitOf.get(read.root) ?? null);
}
