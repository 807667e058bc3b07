// The trace of a turn: for each node visited, which edges were tried on what, who decided, and why. Built only when asked for, by
// trying the edges of the node once more: nothing has changed since the walk did.
import type { CompiledNode, ConditionalExit, Exit, Routes } from '../compile/compiled.ts';
import { toText } from '../read/readings.ts';
import { limits } from '../define/limits.ts';
import type { Scope } from '../read/paths.ts';
import type { Departure } from './route.ts';
import type { TraceEdge, TraceStep, TurnStatus } from './turn.ts';
import type { Walk } from './walk-state.ts';

/** Adds the step of a node that was left, or that had no way out. */
export function traceDeparture(walk: Walk, node: CompiledNode, departure: Departure): void {
  const tried = triedEdges(node.routes, walk, departure);
  const listed = Math.max(0, limits.traceEdgesMax - edgesListed(walk));
  addStep(walk, node, {
    classifier: departure.classifier,
    edges: tried.slice(0, listed).map((explain) => explain()),
    edgesOmitted: Math.max(0, tried.length - listed),
    decidedBy: departure.decidedBy,
    edgeIndex: departure.exit?.edgeIndex ?? null,
    target: departure.exit?.target.id ?? null,
    why: whyDeparted(walk, departure),
  });
}

const endings: Record<Exclude<TurnStatus, 'no_route'>, string> = {
  waiting: 'waits for an answer',
  completed: 'the flow is completed',
  handed_off: 'the conversation is handed off',
};

/** Adds the step of a node at which the turn ended without trying an edge. */
export function traceEnding(walk: Walk, node: CompiledNode, status: Exclude<TurnStatus, 'no_route'>): void {
  const nothing = {
    classifier: null,
    edges: [],
    edgesOmitted: 0,
    decidedBy: null,
    edgeIndex: null,
    target: null,
  };
  addStep(walk, node, { ...nothing, why: endings[status] });
}

function addStep(
  walk: Walk,
  node: CompiledNode,
  step: Omit<TraceStep, 'nodeId' | 'type' | 'input' | 'extraction'>,
): void {
  const { input, extraction } = walk.traced ?? { input: null, extraction: null };
  walk.trace?.push({ nodeId: node.id, type: node.type, input, extraction, ...step });
  walk.traced = null;
}

function edgesListed(walk: Walk): number {
  return (walk.trace ?? []).reduce((sum, step) => sum + step.edges.length, 0);
}

/** Every edge up to the one taken, each ready to be explained: most of a large node's edges never are. */
function triedEdges(
  routes: Routes,
  scope: Scope,
  { exit, decidedBy, classifier }: Departure,
): (() => TraceEdge)[] {
  const { deterministic, choices, fallback } = routes;
  const conditions = decidedBy === 'deterministic' ? upTo(deterministic, exit) : deterministic;
  const tried = conditions.map((condition) => () => explainCondition(condition, scope));
  if (classifier !== null)
    for (const choice of choices)
      tried.push(() => ({ ...edge(choice, 'nl'), result: choice === exit, nl: cutText(choice.nl) }));
  if (decidedBy === 'default' && fallback !== null)
    tried.push(() => ({ ...edge(fallback, 'default'), result: true }));
  return tried;
}

function upTo<T>(exits: readonly T[], last: unknown): readonly T[] {
  return exits.slice(0, exits.findIndex((exit) => exit === last) + 1);
}

function edge<K extends TraceEdge['kind']>({ edgeIndex, target }: Exit, kind: K) {
  return { edgeIndex, kind, target: target.id };
}

function explainCondition(condition: ConditionalExit, scope: Scope): TraceEdge {
  const { matched, note } = condition.test(scope);
  return {
    ...edge(condition, 'deterministic'),
    result: matched,
    variable: condition.variable,
    op: condition.op,
    actual: shown(condition.actual(scope)),
    expected: shown(condition.expected(scope)),
    note,
  };
}

function whyDeparted(walk: Walk, { exit, decidedBy, classifier }: Departure): string {
  const unlucky = classifier === null ? 'no condition matched' : `classifier: ${classifier.outcome}`;
  if (decidedBy === 'default') return `${unlucky}; default edge`;
  if (decidedBy === null) return `${unlucky}; no default edge`;
  if (decidedBy === 'classifier') return `the classifier chose it (confidence ${classifier?.confidence})`;
  const { variable, op, expected } = exit as ConditionalExit;
  return `${variable} ${op} ${cutText(toText(shown(expected(walk))))}`.trim();
}

/** A value as a trace shows it: long texts cut, large or deep ones summed up. undefined (missing) is null. */
export function shown(value: unknown, depth = 0): unknown {
  if (typeof value === 'string') return cutText(value);
  if (typeof value !== 'object' || value === null) return value ?? null;
  const entries = Object.entries(value);
  if (depth > 0 || entries.length > limits.traceMembersMax)
    return Array.isArray(value) ? `[list of ${entries.length}]` : `{object of ${entries.length}}`;
  if (Array.isArray(value)) return value.map((element) => shown(element, depth + 1));
  return Object.fromEntries(entries.map(([name, member]) => [cutText(name), shown(member, depth + 1)]));
}

function cutText(text: string): string {
  return text.length <= limits.traceTextCharsMax ? text : `${text.slice(0, limits.traceTextCharsMax)}…`;
}
