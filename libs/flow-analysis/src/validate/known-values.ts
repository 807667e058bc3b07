// Follows the known values of variables within one turn: constants that a node sets, or increments
// of one, and which edges they decide. The caller may bring anything, so nothing is known at the
// start of a turn.
import { compileValue } from '@parley/flow-engine/compile/interpolate';
import type { EdgeModel, NodeModel } from '@parley/flow-engine/define/model';
import { operators } from '@parley/flow-engine/define/operators';
import { compileComparison } from '@parley/flow-engine/read/compare';
import { scalarText } from '@parley/answers/readings';
import { uncounted } from '@parley/flow-engine/read/turn-budget';
import { add } from '@parley/flow-engine/walk/assign';
import { findValueProblem } from './value-shapes.ts';
import { listAssignments, isEngineName, type VariableWrite } from './variable-uses.ts';
import type { PathReader } from './variable-paths.ts';

/** By path; undefined = missing. Other paths may hold anything. */
export type Known = ReadonlyMap<string, unknown>;

export const nothingKnown: Known = new Map();

/** Setting one path may change the value of another. */
const overlap = (a: string, b: string): boolean => a === b || a.startsWith(`${b}.`) || b.startsWith(`${a}.`);

/** A constant without placeholders. */
export const isScalarConstant = (operand: unknown): boolean =>
  (operand === null || (scalarText(operand) !== null && operand !== Infinity && operand !== -Infinity)) &&
  compileValue(operand, null).constant;

/**
 * Paths whose value can be followed: not into lists, whose elements move, nor deeper than paths are
 * distinguished, nor engine variables.
 */
export const canBeFollowed = (path: string): boolean =>
  !isEngineName(path) && path.split('.').length < followedStepsMax && !/\.\d+(\.|$)/.test(path);
const followedStepsMax = 16;

/** The known values of the tracked paths after a node, when its edges are tried. */
export function knownAfter(
  node: NodeModel,
  writes: readonly VariableWrite[],
  tracked: ReadonlySet<string>,
  readPath: PathReader,
): (before: Known) => Known {
  const results = writes.filter(({ by }) => by !== 'set').map(({ path }) => path);
  const steps = listAssignments(node).flatMap(({ variable, op, operand }) => {
    const path = readPath(variable)?.path;
    return path === undefined || isEngineName(path) ? [] : [{ path, op, operand }];
  });
  const touched = [...results, ...steps.map(({ path }) => path)];
  if (![...tracked].some((path) => touched.some((other) => overlap(path, other)))) return (before) => before;
  return (before) => {
    const known = new Map(before);
    const forget = (written: string) => {
      for (const path of tracked) if (overlap(path, written)) known.delete(path);
    };
    results.forEach(forget);
    for (const { path, op, operand } of steps) {
      const was = known.get(path);
      const isKnown = known.has(path);
      forget(path);
      if (!tracked.has(path)) continue;
      if (op === 'clear') known.set(path, undefined);
      else if (op === 'to' && isScalarConstant(operand)) known.set(path, operand);
      else if (op === 'add' && isKnown && typeof operand === 'number') {
        const sum = add(was, operand);
        known.set(path, typeof sum === 'number' ? sum : was);
      }
    }
    return known;
  };
}

/** Whether the condition of an edge holds; null = undecided. */
export type Decide = (known: Known) => boolean | null;

const undecided: Decide = () => null;

export function compileDecision(
  { condition, caseSensitive }: EdgeModel,
  tracked: ReadonlySet<string>,
  readPath: PathReader,
): Decide {
  const path = readPath(condition?.variable ?? '')?.path;
  if (condition === null || path === undefined || !tracked.has(path) || condition.op === null)
    return undecided;
  const { op, value } = condition;
  const { takes } = operators[op];
  if (takes === 'pattern' || findValueProblem(condition) !== null || !compileValue(value, null).constant)
    return undecided;
  const compare = compileComparison(op, value, { caseSensitive });
  return (known) => (known.has(path) ? compare(known.get(path), uncounted).matched : null);
}
