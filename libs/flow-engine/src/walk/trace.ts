// The trace of a turn: which edges each visit tried, on which values, who decided, and why. Built
// on request only, by trying the edges once more: nothing has changed since the walk did.
import type { CompiledComparison, CompiledNode, ConditionalExit, Exit, Routes } from '../compile/compiled.ts';
import { toText } from '@parley/answers/readings';
import { limits } from '../define/limits.ts';
import type { Scope } from '../read/paths.ts';
import { tryWithinBudget } from '../read/turn-budget.ts';
import type { Departure } from './route.ts';
import type { TraceComparison, TraceEdge, TraceStep } from './trace-step.ts';
import type { TurnStatus } from './turn.ts';
import type { Walk } from './walk-state.ts';

/** Adds the step of a node that was left, or that had no edge to take. */
export function traceDeparture(walk: Walk, node: CompiledNode, departure: Departure): void {
  const { exit, decidedBy } = departure;
  const source = exit === null ? node.id : walk.flow.model.edges[exit.edgeIndex]?.source;
  addStep(walk, node, {
    ...explainedEdges(walk, node, departure),
    decidedBy,
    edgeIndex: exit?.edgeIndex ?? null,
    target: exit?.target.id ?? null,
    ...(source === undefined || source === node.id ? {} : { command: source }),
    why: whyDeparted(walk, departure),
  });
}

function explainedEdges(
  walk: Walk,
  node: CompiledNode,
  departure: Departure,
): Pick<TraceStep, 'classifier' | 'edges' | 'edgesOmitted'> {
  const listed = Math.max(0, limits.traceEdgesMax - edgesListed(walk));
  const { count, first } = collectTriedEdges(node.routes, walk, departure, listed);
  const edges = explainWithinBudget(
    first.map((explain) => () => {
      const edge = explain();
      toTraceScope(walk, walk).budget.json(edge);
      return edge;
    }),
  );
  return { classifier: departure.classifier, edges, edgesOmitted: count - edges.length };
}

type Ending = Exclude<TurnStatus, 'no_route'> | 'resumed';

const endings: Record<Ending, string> = {
  waiting: 'waits for an answer',
  waiting_for_tool: 'waits for the result of the tool',
  completed: 'the flow is completed',
  handed_off: 'the conversation is handed off',
  resumed: 'goes back to the question that was interrupted',
};

/**
 * Adds the step of a node that no edge was taken from.
 * @param tried the conditions of commands that did not hold, if there are commands.
 */
export function traceEnding(
  walk: Walk,
  node: CompiledNode,
  ending: Ending,
  tried: Departure | null = null,
): void {
  const nothing = { classifier: null, edges: [], edgesOmitted: 0 };
  addStep(walk, node, {
    ...(tried === null ? nothing : explainedEdges(walk, node, tried)),
    decidedBy: null,
    edgeIndex: null,
    target: null,
    why: endings[ending],
  });
}

function addStep(
  walk: Walk,
  node: CompiledNode,
  step: Omit<TraceStep, 'nodeId' | 'type' | 'input' | 'extraction' | 'agent' | 'result' | 'missing' | 'sets'>,
): void {
  const happened = walk.traced ?? { input: null, extraction: null };
  walk.trace?.push({ nodeId: node.id, type: node.type, ...happened, ...step });
  walk.traced = null;
}

function edgesListed(walk: Walk): number {
  return (walk.trace ?? []).reduce((sum, step) => sum + step.edges.length, 0);
}

/** Explains as many as the budget of the trace allows. */
function explainWithinBudget<T>(explanations: readonly (() => T)[]): T[] {
  const done: T[] = [];
  return tryWithinBudget(
    () => {
      for (const explain of explanations) done.push(explain());
      return done;
    },
    () => done,
  );
}

/** A scope for explaining, which never costs the turn itself. */
function toTraceScope(walk: Walk, scope: Scope): Scope {
  return { ...scope, budget: walk.traceBudget ?? walk.budget };
}

/**
 * The number of edges tried, up to the one taken, and the first of them as functions that explain
 * them.
 */
function collectTriedEdges(
  { deterministic, choices, fallback }: Routes,
  walk: Walk,
  { exit, decidedBy, classifier, tried, asked }: Departure,
  listed: number,
): { readonly count: number; readonly first: readonly (() => TraceEdge)[] } {
  const lists = tried ?? [{ exits: deterministic, scope: walk }];
  let count = 0;
  const first: (() => TraceEdge)[] = [];
  for (const { exits, scope } of lists) {
    const conditions = decidedBy === 'deterministic' ? takeUpTo(exits, exit) : exits;
    const reading = toTraceScope(walk, scope);
    const more = conditions.slice(0, listed - first.length);
    first.push(...more.map((condition) => () => explainCondition(condition, reading)));
    count += conditions.length;
  }
  const others: (() => TraceEdge)[] = [];
  if (classifier !== null)
    for (const choice of asked ?? choices)
      others.push(() => ({ ...edge(choice, 'nl'), result: choice === exit, nl: cutText(choice.nl) }));
  if (decidedBy === 'default' && fallback !== null)
    others.push(() => ({ ...edge(fallback, 'default'), result: true }));
  return {
    count: count + others.length,
    first: [...first, ...others.slice(0, listed - first.length)],
  };
}

/** All exits up to `last`, or all when it is not among them. */
function takeUpTo<T>(exits: readonly T[], last: unknown): readonly T[] {
  const place = exits.findIndex((exit) => exit === last);
  return place === -1 ? exits : exits.slice(0, place + 1);
}

function edge<K extends TraceEdge['kind']>({ edgeIndex, target }: Exit, kind: K) {
  return { edgeIndex, kind, target: target.id };
}

function explainCondition(condition: ConditionalExit, scope: Scope): TraceEdge {
  const told = condition.compared.map((one) => explainComparison(one, scope));
  const head = edge(condition, 'deterministic');
  const [only] = told;
  if (only === undefined) return { ...head, result: false };
  if (condition.joint === null) return { ...head, ...only };
  const holds = ({ result }: TraceComparison) => result;
  const result = condition.joint === 'any' ? told.some(holds) : told.every(holds);
  return { ...head, result, [condition.joint]: told };
}

function explainComparison(comparison: CompiledComparison, scope: Scope): TraceComparison {
  const { matched, note } = comparison.test(scope);
  const { variable, op, actual, expected } = comparison;
  return {
    result: matched,
    variable,
    op,
    actual: toShown(actual(scope)),
    expected: toShown(expected(scope)),
    note,
  };
}

function whyDeparted(walk: Walk, { exit, decidedBy, classifier }: Departure): string {
  const unlucky = classifier === null ? 'no condition matched' : `classifier: ${classifier.outcome}`;
  if (decidedBy === 'default') return `${unlucky}; default edge`;
  if (decidedBy === null) return `${unlucky}; no default edge`;
  if (decidedBy === 'classifier' && classifier?.by === 'example')
    return `the caller said one of its examples: ${cutText(classifier.nearest ?? '')}`;
  if (decidedBy === 'classifier' && classifier?.by === 'embedded')
    return `like one of its examples (confidence ${classifier.confidence}): ${cutText(classifier.nearest ?? '')}`;
  if (decidedBy === 'classifier') return `the classifier chose it (confidence ${classifier?.confidence})`;
  const { compared, joint } = exit as ConditionalExit;
  const scope = toTraceScope(walk, walk);
  const told = compared.map(({ variable, op, expected }) => {
    const [operand] = explainWithinBudget([() => toShown(expected(scope))]);
    return `${cutText(String(variable))} ${op} ${cutText(toText(operand))}`.trim();
  });
  return told.join(joint === 'any' ? ' or ' : ' and ');
}

/**
 * A value as a trace shows it: long texts truncated, large or deep values summarised. Undefined
 * (missing) becomes null.
 */
export function toShown(value: unknown, depth = 0): unknown {
  if (typeof value === 'string') return cutText(value);
  if (typeof value !== 'object' || value === null) return value ?? null;
  const entries = Object.entries(value);
  if (depth > 0 || entries.length > limits.traceMembersMax)
    return Array.isArray(value) ? `[list of ${entries.length}]` : `{object of ${entries.length}}`;
  if (Array.isArray(value)) return value.map((element) => toShown(element, depth + 1));
  return Object.fromEntries(entries.map(([name, member]) => [cutText(name), toShown(member, depth + 1)]));
}

function cutText(text: string): string {
  return text.length <= limits.traceTextCharsMax ? text : `${text.slice(0, limits.traceTextCharsMax)}…`;
}
