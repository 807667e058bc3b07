// Which edges of a node can never be taken, and whether one of them always is. The comparisons of a node are run, by compare.ts
// itself, over one value of every cell of value-cells.ts in the order of routing; what they cannot decide there counts as open either
// way, so that nothing is claimed that the walk would not do. Called by flow-index.ts, once per node.
import { compileComparison } from '../compare.ts';
import { compileValue } from '../interpolate.ts';
import type { Condition, EdgeModel, NodeModel } from '../model.ts';
import { operators, type Operator } from '../operators.ts';
import { listElements } from '../compare.ts';
import { parsePath } from '../paths.ts';
import { attemptsMax } from './flow-index.ts';
import { valueProblem } from './value-shapes.ts';
import { cutCells, type Cells, type Domain } from './value-cells.ts';

/** Why an edge is never taken: its condition never holds (empty), or these edges before it always win. */
export interface DeadEdge {
  readonly shadowedBy: readonly number[];
}

export interface NodeRouting {
  /** By position in `definition.edges`. */
  readonly dead: ReadonlyMap<number, DeadEdge>;
  /** Whatever the variables hold, one of the deterministic edges is taken. */
  readonly exhaustive: boolean;
}

/** What edges out of a collect node know of `_input_status`; elsewhere the caller says what it may be. */
const answered: ReadonlySet<string> = new Set(['captured']);
const anyStatus: ReadonlySet<string> = new Set(['captured', 'no_match', 'no_input']);

/**
 * Analyses the edges out of a node, given in declared order.
 * @param statusesBefore what `_input_status` may be when the walk comes here; null at a collect node, which sets it.
 */
export function analyseRouting(
  node: NodeModel,
  edges: readonly EdgeModel[],
  statusesBefore: ReadonlySet<string> | null,
): NodeRouting {
  const dead = new Map<number, DeadEdge>();
  const groups = groupByVariable(edges);
  let budget = stepsPerEdgeMax * edges.length;
  /** The edge that leaves nothing open for those after it. */
  let last: { readonly edge: EdgeModel; readonly by: readonly number[] } | null = null;
  for (const [variable, comparisons] of groups) {
    const domain = domainOf(variable, node, statusesBefore);
    if (domain.kind === 'any' && comparisons.length === 1 && isOrdinary(comparisons[0]!)) continue;
    const coverage = coverCells(comparisons, domain, budget);
    budget -= coverage.steps;
    for (const [edge, reason] of coverage.dead) dead.set(edge, reason);
    if (coverage.closedBy !== null && (last === null || coverage.closedBy.edge.index < last.edge.index))
      last = coverage.closedBy;
  }
  if (last !== null)
    for (const edge of edges)
      if (isAfter(edge, last.edge) && !dead.has(edge.index)) dead.set(edge.index, { shadowedBy: last.by });
  return { dead, exhaustive: last !== null };
}

/** Cells looked at per edge of a node: enough for a dozen thresholds, and linear in the size of the flow. */
const stepsPerEdgeMax = 400;

function isAfter(edge: EdgeModel, other: EdgeModel): boolean {
  return edge.kind !== 'deterministic' || edge.index > other.index;
}

interface Comparison {
  readonly edge: EdgeModel;
  readonly op: Operator;
  readonly value: unknown;
  /** The operator without its negation, and whether it was negated. */
  readonly positive: Operator;
  readonly negated: boolean;
  /** Its value holds no placeholder and nothing that is compared member by member. */
  readonly constant: boolean;
}

/** Deterministic edges by the variable they compare. Conditions with an error are left out: they are reported already. */
function groupByVariable(edges: readonly EdgeModel[]): Map<string, Comparison[]> {
  const groups = new Map<string, Comparison[]>();
  for (const edge of edges) {
    if (edge.kind !== 'deterministic' || edge.condition === null) continue;
    const comparison = readComparison(edge, edge.condition);
    const path = edge.condition.variable === null ? null : parsePath(edge.condition.variable);
    if (comparison === null || path === null) continue;
    const variable = path.join('.');
    const group = groups.get(variable);
    if (group === undefined) groups.set(variable, [comparison]);
    else group.push(comparison);
  }
  return groups;
}

function readComparison(edge: EdgeModel, condition: Condition): Comparison | null {
  const { op, value } = condition;
  if (op === null || valueProblem(condition) !== null) return null;
  const spec: { complementOf?: Operator } = operators[op];
  const takesNone = operators[op].takes === 'none';
  return {
    edge,
    op,
    value: takesNone ? undefined : value,
    positive: spec.complementOf ?? op,
    negated: spec.complementOf !== undefined,
    constant: takesNone || (compileValue(value, null).constant && scalars(op, value).every(isScalar)),
  };
}

/** What a comparison compares with, one by one. */
function scalars(op: Operator, value: unknown): readonly unknown[] {
  if (operators[op].takes === 'none') return [];
  if (operators[op].takes === 'list') return listElements(value);
  return op === 'between' && Array.isArray(value) ? value : [value];
}

const isScalar = (value: unknown): boolean => typeof value !== 'object' || value === null;

/** A single condition of the everyday kind neither fails always nor holds always: no cells have to be cut for it. */
function isOrdinary({ op, value, constant }: Comparison): boolean {
  return !constant || (op !== 'between' && operators[op].takes !== 'list' && value !== null);
}

function domainOf(variable: string, node: NodeModel, statusesBefore: ReadonlySet<string> | null): Domain {
  const missing = statusesBefore !== null;
  if (variable === 'user_input') return { kind: 'text', missing: true };
  if (variable === '_attempts') return { kind: 'count', missing };
  if (variable !== '_input_status') return { kind: 'any', missing: true };
  const own = attemptsMax(node) === null ? answered : anyStatus;
  return { kind: 'statuses', missing, statuses: statusesBefore ?? own };
}

interface Coverage {
  readonly dead: ReadonlyMap<number, DeadEdge>;
  /** The comparison after which no cell is open, and the edges that closed them. */
  readonly closedBy: { readonly edge: EdgeModel; readonly by: readonly number[] } | null;
  readonly steps: number;
}

/** Runs the comparisons of one variable over its cells, in declared order. */
function coverCells(comparisons: readonly Comparison[], domain: Domain, budget: number): Coverage {
  const dead = new Map<number, DeadEdge>();
  const nothing: Coverage = { dead, closedBy: null, steps: comparisons.length };
  const cells = cutCells({
    domain,
    constants: comparisons.filter(({ constant }) => constant).flatMap(({ op, value }) => scalars(op, value)),
    minding: comparisons.some(({ edge }) => edge.caseSensitive),
    ordering: comparisons.some(({ op }) => operators[op].takes === 'ordered' || op === 'between'),
    truths: comparisons.some(
      ({ op, value }) =>
        op === 'is_true' || op === 'is_false' || typeof value === 'boolean' || Array.isArray(value),
    ),
  });
  if (cells === null) return nothing;

  const closer = new Int32Array(cells.all.length).fill(-1);
  const seen = new Map<string, number>();
  let open = cells.all.length;
  let steps = cells.all.length;
  const close = (place: number, by: number) => {
    if (closer[place] !== -1) return;
    closer[place] = by;
    open -= 1;
  };
  for (const comparison of comparisons) {
    const { edge } = comparison;
    const { sure, possible, looked } = decide(comparison, cells);
    steps += looked;
    if (steps > budget) return { ...nothing, steps };
    const same = seen.get(signature(comparison, comparison.negated));
    const opposite = seen.get(signature(comparison, !comparison.negated));
    if (possible.length === 0) dead.set(edge.index, { shadowedBy: [] });
    else if (same !== undefined) dead.set(edge.index, { shadowedBy: [same] });
    else if (possible.every((place) => closer[place] !== -1))
      dead.set(edge.index, { shadowedBy: first(possible.map((place) => closer[place]!)) });
    for (const place of sure) close(place, edge.index);
    if (opposite !== undefined) closer.forEach((_, place) => close(place, edge.index));
    seen.set(signature(comparison, comparison.negated), edge.index);
    if (open === 0) return { dead, closedBy: { edge, by: first([...closer]) }, steps };
  }
  return { dead, closedBy: null, steps };
}
