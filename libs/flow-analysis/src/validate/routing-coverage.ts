// Finds edges of a node that can never be taken, and whether one always is. Evaluates the
// comparisons with compare.ts itself, over one value of every cell of value-cells.ts, in routing
// order. Undecided comparisons count as open either way, so it claims nothing that the walk would
// not do.
import { compileComparison } from '@parley/flow-engine/read/compare';
import { toJson } from '@parley/answers/readings';
import { CachingBudget } from '@parley/flow-engine/read/turn-budget';
import type { EdgeModel, NodeModel } from '@parley/flow-engine/define/model';
import { operators, type Operator } from '@parley/flow-engine/define/operators';
import { clausesByVariable, deadClausesNeeded, isOrdinary, type Clause, type Comparison } from './clauses.ts';
import { cutCells, type Cells, type Domain } from './value-cells.ts';
import type { Known } from './known-values.ts';
import { findDomain, type PassingStatuses } from './value-domains.ts';
import type { PathReader } from './variable-paths.ts';

/**
 * Why an edge is never taken: these edges before it always win; none = its condition never holds.
 */
export interface DeadEdge {
  readonly shadowedBy: readonly number[];
}

export interface NodeRouting {
  /** By position in `definition.edges`. */
  readonly dead: ReadonlyMap<number, DeadEdge>;
  /** One of the deterministic edges is taken for any values of the variables. */
  readonly exhaustive: boolean;
}

/** What is known of a flow where the walk passes one of its nodes. */
interface RoutingFacts {
  /** The possible status variables. */
  readonly statuses: PassingStatuses;
  readonly readPath: PathReader;
  readonly flowSteps: CoverageSteps;
  /** The values that nodes before and this one have set. */
  readonly known: Known;
}

/**
 * Analyses the outgoing edges of a node, given in declared order.
 */
export function analyseRouting(
  node: NodeModel,
  edges: readonly EdgeModel[],
  { statuses, readPath, flowSteps, known }: RoutingFacts,
): NodeRouting {
  if (!edges.some(({ kind }) => kind === 'deterministic')) return nothingToCompare;
  const dead = new Map<number, DeadEdge>();
  let closing: Closing | null = null;
  const deadClauses = new Map<EdgeModel, DeadEdge[]>();
  for (const [variable, clauses] of clausesByVariable(edges, readPath)) {
    const domain = findDomain(variable, node, statuses, readPath, known);
    if (domain.kind === 'any' && domain.missing && clauses.length === 1 && isOrdinary(clauses[0]!)) continue;
    const coverage = coverCells(clauses, domain, flowSteps);
    for (const [clause, reason] of coverage.dead) {
      const reasons = [...(deadClauses.get(clause.edge) ?? []), reason];
      deadClauses.set(clause.edge, reasons);
      if (reasons.length < deadClausesNeeded(clause.edge)) continue;
      dead.set(clause.edge.index, chooseReason(clause.edge, reasons));
    }
    const { closedBy } = coverage;
    if (closedBy !== null && (closing === null || closedBy.edge.index < closing.edge.index))
      closing = closedBy;
  }
  if (closing === null) return { dead, exhaustive: false };
  for (const edge of edges)
    if (comesAfter(edge, closing.edge) && !dead.has(edge.index))
      dead.set(edge.index, { shadowedBy: closing.by });
  return { dead, exhaustive: true };
}

/** An unsatisfiable condition is reported rather than a shadowed one. */
function chooseReason({ group }: EdgeModel, reasons: readonly DeadEdge[]): DeadEdge {
  const never = reasons.find(({ shadowedBy }) => shadowedBy.length === 0);
  if (never !== undefined && group?.joint !== 'any') return never;
  return { shadowedBy: few(reasons.flatMap(({ shadowedBy }) => shadowedBy)) };
}

const nothingToCompare: NodeRouting = { dead: new Map(), exhaustive: false };

/** In routing order. */
function comesAfter(edge: EdgeModel, deterministic: EdgeModel): boolean {
  return edge.kind !== 'deterministic' || edge.index > deterministic.index;
}

interface Closing {
  /** The edge after which no value remains for later ones. */
  readonly edge: EdgeModel;
  readonly by: readonly number[];
}

interface Coverage {
  readonly dead: ReadonlyMap<Clause, DeadEdge>;
  readonly closedBy: Closing | null;
}

/**
 * Cells examined for one variable of a node, per edge and per constant: enough for dozens of
 * thresholds, and linear in the flow.
 */
const stepsPerEdgeMax = 200;

/**
 * Cells examined for a whole flow: a second of work. Beyond it, nothing is claimed about the
 * remaining edges.
 */
const stepsPerFlowMax = 1_000_000;

/** The rest of stepsPerFlowMax. */
export interface CoverageSteps {
  left: number;
}
export const coverageSteps = (): CoverageSteps => ({ left: stepsPerFlowMax });

/** Every constant in the comparisons of a variable, in order. */
export function constantsIn(comparisons: readonly Comparison[]): readonly unknown[] {
  return comparisons.flatMap((comparison) => comparison.constants ?? []);
}

/** The cells that the comparisons of one variable need; null when one of them has no value. */
export function cellsFor(comparisons: readonly Comparison[], domain: Domain): Cells | null {
  const constants = constantsIn(comparisons);
  return cutCells({
    domain,
    constants,
    minding: comparisons.some(({ edge }) => edge.caseSensitive),
    ordering: comparisons.some(({ op }) => operators[op].takes === 'ordered' || op === 'between'),
    truths:
      comparisons.some(({ op }) => op === 'is_true' || op === 'is_false') ||
      constants.some((constant) => typeof constant === 'boolean'),
  });
}

/** Evaluates the clauses of one variable over its cells, in declared order. */
function coverCells(clauses: readonly Clause[], domain: Domain, flowSteps: CoverageSteps): Coverage {
  const dead = new Map<Clause, DeadEdge>();
  const comparisons = clauses.flatMap((clause) => clause.comparisons);
  const constants = constantsIn(comparisons);
  const cells = cellsFor(comparisons, domain);
  if (cells === null) return { dead, closedBy: null };

  const closers = new Int32Array(cells.all.length).fill(-1);
  const twins = new Map<string, number>();
  const readings = new CachingBudget();
  let open = cells.all.length;
  let steps = stepsPerEdgeMax * (comparisons.length + constants.length);
  for (const clause of clauses) {
    const { edge, suffices } = clause;
    const [only, ...others] = clause.comparisons;
    let needed = 0;
    for (const comparison of clause.comparisons)
      needed += isNarrow(comparison) ? comparison.constants.length : cells.all.length;
    steps -= needed;
    flowSteps.left -= needed;
    if (steps < 0 || flowSteps.left < 0) break;
    const { sure, possible } = intersect(clause.comparisons.map((one) => decide(one, cells, readings)));
    const twin = clause.comparisons
      .map((one) => twins.get(computeSignature(one, one.negated)))
      .find((edgeIndex) => edgeIndex !== undefined);
    if (possible.length === 0) dead.set(clause, { shadowedBy: [] });
    else if (twin !== undefined) dead.set(clause, { shadowedBy: [twin] });
    else if (possible.every((place) => closers[place] !== -1))
      dead.set(clause, { shadowedBy: few(possible.map((place) => closers[place]!)) });
    if (!suffices) continue;

    const complementsWereTried = clause.comparisons.every((one) =>
      twins.has(computeSignature(one, !one.negated)),
    );
    for (const place of complementsWereTried ? closers.keys() : sure) {
      if (closers[place] !== -1) continue;
      closers[place] = edge.index;
      open -= 1;
    }
    if (open === 0) return { dead, closedBy: { edge, by: few(closers) } };
    if (twin === undefined && others.length === 0)
      twins.set(computeSignature(only!, only!.negated), edge.index);
  }
  return { dead, closedBy: null };
}

/** Where all of them hold. */
function intersect([first, ...others]: readonly Decision[]): Decision {
  let { sure, possible } = first!;
  for (const other of others) {
    const [alsoSure, alsoPossible] = [new Set(other.sure), new Set(other.possible)];
    sure = sure.filter((place) => alsoSure.has(place));
    possible = possible.filter((place) => alsoPossible.has(place));
  }
  return { sure, possible };
}

/** An equality can hold in a few cells only. */
function isNarrow(comparison: Comparison): comparison is Comparison & { constants: readonly unknown[] } {
  const { positive, negated, constants } = comparison;
  return constants !== null && !negated && (positive === 'eq' || positive === 'in');
}

/** Edges named as the winners. */
const winnersMax = 3;

function few(edgeIndexes: Iterable<number>): number[] {
  return [...new Set(edgeIndexes)].sort((a, b) => a - b).slice(0, winnersMax);
}

/** Comparisons of one variable with the same signature always have the same result. */
function computeSignature({ edge, op, value, positive }: Comparison, negated: boolean): string {
  const operand = operators[op].takes === 'none' ? 'none' : toJson(value);
  // A value that JSON cannot express equals nothing else.
  return `${positive} ${negated} ${edge.caseSensitive} ${operand === '' ? edge.index : operand}`;
}

/**
 * Places of the cells in which a comparison holds for every value, and of those in which it may
 * hold for some.
 */
interface Decision {
  readonly sure: readonly number[];
  readonly possible: readonly number[];
}

function decide(comparison: Comparison, cells: Cells, readings: CachingBudget): Decision {
  const { op, value, edge, positive, negated, constants } = comparison;
  const { caseSensitive } = edge;
  if (constants !== null && (positive === 'eq' || positive === 'in')) {
    const equal = placesEqualTo(constants, cells, caseSensitive, readings);
    const holds = negated ? [...cells.all.keys()].filter((place) => !equal.has(place)) : [...equal];
    return { sure: holds, possible: holds };
  }
  const compare = compileComparison(op, value, { caseSensitive, patterns: noPattern });
  const byText = textOperators.has(positive);
  const sure: number[] = [];
  const possible: number[] = [];
  cells.all.forEach((cell, place) => {
    const decided =
      cell.value === undefined ||
      (constants !== null && positive !== 'matches' && (!byText || (cell.exact && !caseSensitive)));
    const holds = decided && compare(cell.value, readings).matched;
    if (holds) sure.push(place);
    if (holds || !decided) possible.push(place);
  });
  return { sure, possible };
}

/** Patterns are never run here, so none is compiled. */
const noPattern = () => ({ ok: false, message: '' }) as const;

/** Operators that look inside a text: their result depends on more than the cell. */
const textOperators: ReadonlySet<Operator> = new Set(['contains', 'starts_with', 'ends_with']);

/** `in` is `eq` with one of several; examines only cells that an element can equal. */
function placesEqualTo(
  constants: readonly unknown[],
  cells: Cells,
  caseSensitive: boolean,
  readings: CachingBudget,
): Set<number> {
  const equal = new Set<number>();
  for (const constant of constants) {
    const compare = compileComparison('eq', constant, { caseSensitive });
    for (const place of cells.touchedBy(constant))
      if (compare(cells.all[place]!.value, readings).matched) equal.add(place);
  }
  return equal;
}
