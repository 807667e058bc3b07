// Which edges of a node can never be taken, and whether one of them always is. The comparisons of a node are run, by compare.ts
// itself, over one value of every cell of value-cells.ts in the order of routing; what they cannot decide there counts as open
// either way, so that nothing is claimed that the walk would not do.
import { compileComparison } from '../read/compare.ts';
import { compileValue } from '../compile/interpolate.ts';
import { listElements, toJson } from '../read/readings.ts';
import { Remembering } from '../read/turn-budget.ts';
import type { EdgeModel, NodeModel } from '../define/model.ts';
import { operators, type Operator } from '../define/operators.ts';
import { groupBy } from './group-by.ts';
import { cutCells, type Cells, type Domain } from './value-cells.ts';
import { domainOf } from './value-domains.ts';
import type { PathReader } from './variable-uses.ts';
import { valueProblem } from './value-shapes.ts';

/** Why an edge is never taken: these edges before it always win; none of them = its condition never holds. */
export interface DeadEdge {
  readonly shadowedBy: readonly number[];
}

export interface NodeRouting {
  /** By position in `definition.edges`. */
  readonly dead: ReadonlyMap<number, DeadEdge>;
  /** Whatever the variables hold, one of the deterministic edges is taken. */
  readonly exhaustive: boolean;
}

/**
 * Analyses the edges out of a node, given in declared order.
 * @param statuses what `_input_status` may be when the walk comes here; null at a collect node, which sets it.
 */
export function analyseRouting(
  node: NodeModel,
  edges: readonly EdgeModel[],
  statuses: ReadonlySet<string> | null,
  readPath: PathReader,
  flowSteps: CoverageSteps,
): NodeRouting {
  if (!edges.some(({ kind }) => kind === 'deterministic')) return nothingToCompare;
  const dead = new Map<number, DeadEdge>();
  let closing: Closing | null = null;
  for (const [variable, comparisons] of comparisonsByVariable(edges, readPath)) {
    const domain = domainOf(variable, node, statuses, readPath);
    if (domain.kind === 'any' && domain.missing && comparisons.length === 1 && isOrdinary(comparisons[0]!))
      continue;
    const coverage = coverCells(comparisons, domain, flowSteps);
    for (const [edgeIndex, reason] of coverage.dead) dead.set(edgeIndex, reason);
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

const nothingToCompare: NodeRouting = { dead: new Map(), exhaustive: false };

/** In the order of routing. */
function comesAfter(edge: EdgeModel, deterministic: EdgeModel): boolean {
  return edge.kind !== 'deterministic' || edge.index > deterministic.index;
}

export interface Comparison {
  readonly edge: EdgeModel;
  /** Its path, in one spelling. */
  readonly variable: string;
  readonly op: Operator;
  readonly value: unknown;
  /** The operator without its negation. */
  readonly positive: Operator;
  readonly negated: boolean;
  /** The values compared with, one by one; null when one is known only in a turn, or is a list or an object. */
  readonly constants: readonly unknown[] | null;
}

/** Deterministic edges by the variable they compare. Conditions with an error are left out: they are reported already. */
export function comparisonsByVariable(
  edges: readonly EdgeModel[],
  readPath: PathReader,
): ReadonlyMap<string, readonly Comparison[]> {
  const comparisons = edges.map((edge) => readComparison(edge, readPath)).filter((read) => read !== null);
  return groupBy(comparisons, ({ variable }) => variable);
}

function readComparison(edge: EdgeModel, readPath: PathReader): Comparison | null {
  const { condition, kind } = edge;
  if (kind !== 'deterministic' || condition === null || valueProblem(condition) !== null) return null;
  const { op, value } = condition;
  const variable = readPath(condition.variable ?? '')?.path;
  if (op === null || variable === undefined) return null;
  const positive = positiveOf(op);
  return {
    edge,
    variable,
    op,
    value,
    positive,
    negated: positive !== op,
    constants: constantsOf(op, value),
  };
}

function positiveOf(op: Operator): Operator {
  const spec = operators[op];
  return 'complementOf' in spec ? spec.complementOf : op;
}

function constantsOf(op: Operator, value: unknown): readonly unknown[] | null {
  if (operators[op].takes === 'none') return [];
  if (!compileValue(value, null).constant) return null;
  const list = operators[op].takes === 'list';
  const constants: readonly unknown[] = list
    ? listElements(value)
    : op === 'between'
      ? (value as unknown[])
      : [value];
  return constants.some((constant) => typeof constant === 'object' && constant !== null) ? null : constants;
}

/** A single condition of the everyday kind neither always fails nor always holds: no cells have to be cut for it. */
function isOrdinary({ op, constants }: Comparison): boolean {
  return (
    constants === null ||
    (op !== 'between' &&
      (constants.length === 0) === (operators[op].takes === 'none') &&
      !constants.includes(null))
  );
}

interface Closing {
  /** The edge after which no value is left for later ones. */
  readonly edge: EdgeModel;
  readonly by: readonly number[];
}

interface Coverage {
  readonly dead: ReadonlyMap<number, DeadEdge>;
  readonly closedBy: Closing | null;
}

/** Cells looked at for one variable of a node, per edge and per constant: enough for dozens of thresholds, and linear in the flow. */
const stepsPerEdgeMax = 200;

/** Cells looked at for a whole flow: a second of work. Beyond it nothing is claimed of the edges that are left. */
const stepsPerFlowMax = 1_000_000;

/** What is left of stepsPerFlowMax. */
export interface CoverageSteps {
  left: number;
}
export const coverageSteps = (): CoverageSteps => ({ left: stepsPerFlowMax });

/** Everything that comparisons of a variable name, in their order. */
export function constantsIn(comparisons: readonly Comparison[]): readonly unknown[] {
  return comparisons.flatMap((comparison) => comparison.constants ?? []);
}

/** The cells that comparisons of one variable cut; null when one of them finds no value. */
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

/** Runs the comparisons of one variable over its cells, in declared order. */
function coverCells(comparisons: readonly Comparison[], domain: Domain, flowSteps: CoverageSteps): Coverage {
  const dead = new Map<number, DeadEdge>();
  const constants = constantsIn(comparisons);
  const cells = cellsFor(comparisons, domain);
  if (cells === null) return { dead, closedBy: null };

  const closers = new Int32Array(cells.all.length).fill(-1);
  const twins = new Map<string, number>();
  const readings = new Remembering();
  let open = cells.all.length;
  let steps = stepsPerEdgeMax * (comparisons.length + constants.length);
  for (const comparison of comparisons) {
    const { index } = comparison.edge;
    const needed = isNarrow(comparison) ? comparison.constants.length : cells.all.length;
    steps -= needed;
    flowSteps.left -= needed;
    if (steps < 0 || flowSteps.left < 0) break;
    const { sure, possible } = decide(comparison, cells, readings);
    const twin = twins.get(signature(comparison, comparison.negated));
    if (possible.length === 0) dead.set(index, { shadowedBy: [] });
    else if (twin !== undefined) dead.set(index, { shadowedBy: [twin] });
    else if (possible.every((place) => closers[place] !== -1))
      dead.set(index, { shadowedBy: few(possible.map((place) => closers[place]!)) });

    const complementWasTried = twins.has(signature(comparison, !comparison.negated));
    for (const place of complementWasTried ? closers.keys() : sure) {
      if (closers[place] !== -1) continue;
      closers[place] = index;
      open -= 1;
    }
    if (open === 0) return { dead, closedBy: { edge: comparison.edge, by: few(closers) } };
    if (twin === undefined) twins.set(signature(comparison, comparison.negated), index);
  }
  return { dead, closedBy: null };
}

/** An equality is looked for only in the few cells that it can hold in. */
function isNarrow(comparison: Comparison): comparison is Comparison & { constants: readonly unknown[] } {
  const { positive, negated, constants } = comparison;
  return constants !== null && !negated && (positive === 'eq' || positive === 'in');
}

/** Edges named as the ones that win. */
const winnersMax = 3;

function few(edgeIndexes: Iterable<number>): number[] {
  return [...new Set(edgeIndexes)].sort((a, b) => a - b).slice(0, winnersMax);
}

/** Comparisons of one variable with the same signature have the same answer, whatever it is. */
function signature({ edge, op, value, positive }: Comparison, negated: boolean): string {
  const operand = operators[op].takes === 'none' ? 'none' : toJson(value);
  // What cannot be written down is like nothing else.
  return `${positive} ${negated} ${edge.caseSensitive} ${operand === '' ? edge.index : operand}`;
}

/** Places of the cells in which a comparison holds for every value, and of those in which it may hold for some. */
interface Decision {
  readonly sure: readonly number[];
  readonly possible: readonly number[];
}

function decide(comparison: Comparison, cells: Cells, readings: Remembering): Decision {
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

/** Operators that look inside a text: which one they find depends on more than the cell. */
const textOperators: ReadonlySet<Operator> = new Set(['contains', 'starts_with', 'ends_with']);

/** `in` is `eq` with one of several; only cells that an element can be equal to are looked at. */
function placesEqualTo(
  constants: readonly unknown[],
  cells: Cells,
  caseSensitive: boolean,
  readings: Remembering,
): Set<number> {
  const equal = new Set<number>();
  for (const constant of constants) {
    const compare = compileComparison('eq', constant, { caseSensitive });
    for (const place of cells.touchedBy(constant))
      if (compare(cells.all[place]!.value, readings).matched) equal.add(place);
  }
  return equal;
}
