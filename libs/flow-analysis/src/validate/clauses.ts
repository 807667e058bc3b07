// Groups the conditions of a node's deterministic edges by variable, as routing-coverage.ts
// evaluates them. An edge that joins comparisons of several variables occurs under each, with the
// part about that one.
import { compileValue } from '@parley/flow-engine/compile/interpolate';
import { listComparisons } from '@parley/flow-engine/define/conditions';
import type { Condition, EdgeModel } from '@parley/flow-engine/define/model';
import { operators, type Operator } from '@parley/flow-engine/define/operators';
import { listElements } from '@parley/answers/readings';
import { groupBy } from './group-by.ts';
import { findValueProblem } from './value-shapes.ts';
import type { PathReader } from './variable-paths.ts';

/** Comparisons of one variable that must hold together for an edge to be taken. */
export interface Clause {
  readonly edge: EdgeModel;
  readonly variable: string;
  readonly comparisons: readonly Comparison[];
  /** The edge is taken if they hold: it has no other condition. */
  readonly suffices: boolean;
}

export interface Comparison {
  readonly edge: EdgeModel;
  /** Its path, in canonical form. */
  readonly variable: string;
  readonly op: Operator;
  readonly value: unknown;
  /** The operator without its negation. */
  readonly positive: Operator;
  readonly negated: boolean;
  /**
   * The compared values, one by one; null when one is known only in a turn, or is a list or an
   * object.
   */
  readonly constants: readonly unknown[] | null;
}

/**
 * Clauses by variable, in declared order. Omits comparisons with an error: they are already
 * reported, and nothing is known of them.
 */
export function clausesByVariable(
  edges: readonly EdgeModel[],
  readPath: PathReader,
): ReadonlyMap<string, readonly Clause[]> {
  return groupBy(
    edges.flatMap((edge) => toClauses(edge, readPath)),
    ({ variable }) => variable,
  );
}

/** Every comparison in the clauses, by variable. */
export function comparisonsByVariable(
  edges: readonly EdgeModel[],
  readPath: PathReader,
): ReadonlyMap<string, readonly Comparison[]> {
  const clauses = [...clausesByVariable(edges, readPath).values()].flat();
  return groupBy(
    clauses.flatMap(({ comparisons }) => comparisons),
    ({ variable }) => variable,
  );
}

function toClauses(edge: EdgeModel, readPath: PathReader): Clause[] {
  if (edge.kind !== 'deterministic') return [];
  const conditions = listComparisons(edge);
  const read = conditions.map((condition) => readComparison(edge, condition, readPath));
  const known = read.filter((comparison) => comparison !== null);
  const clause = (comparisons: readonly Comparison[], suffices: boolean): Clause => ({
    edge,
    variable: comparisons[0]!.variable,
    comparisons,
    suffices,
  });
  if (edge.group?.joint === 'any') return known.map((comparison) => clause([comparison], true));
  const together = groupBy(known, ({ variable }) => variable);
  return [...together.values()].map((own) => clause(own, own.length === conditions.length));
}

/** How many of its clauses must be dead for the edge to be dead. */
export const deadClausesNeeded = (edge: EdgeModel): number =>
  edge.group?.joint === 'any' ? edge.group.members.length : 1;

function readComparison(edge: EdgeModel, condition: Condition, readPath: PathReader): Comparison | null {
  if (findValueProblem(condition) !== null) return null;
  const { op, value } = condition;
  const variable = readPath(condition.variable ?? '')?.path;
  if (op === null || variable === undefined) return null;
  const positive = toPositive(op);
  return {
    edge,
    variable,
    op,
    value,
    positive,
    negated: positive !== op,
    constants: readConstants(op, value),
  };
}

function toPositive(op: Operator): Operator {
  const spec = operators[op];
  return 'complementOf' in spec ? spec.complementOf : op;
}

function readConstants(op: Operator, value: unknown): readonly unknown[] | null {
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

/**
 * A single condition of the usual kind neither always fails nor always holds, and needs no cells.
 */
export function isOrdinary({ comparisons: [only, ...others] }: Clause): boolean {
  if (only === undefined || others.length > 0) return false;
  const { op, constants } = only;
  return (
    constants === null ||
    (op !== 'between' &&
      (constants.length === 0) === (operators[op].takes === 'none') &&
      !constants.includes(null))
  );
}
