// Writes what a node sets when it is left (docs/flow-language.md#set), before its edges are tried.
import { compileValue, renderValue } from '../compile/interpolate.ts';
import { readAssignments, type Assignment } from '../define/assignments.ts';
import type { AuthoredNode } from '../define/definition.ts';
import { limits } from '../define/limits.ts';
import { compileComparison } from '../read/compare.ts';
import { compileEraser, compileLookup, compileWriter, type Writer } from '../read/paths.ts';
import { isCarriable, readDecimal } from '../read/readings.ts';
import type { TurnBudget } from '../read/turn-budget.ts';
import { shown } from './trace.ts';
import type { TraceSet } from './trace-step.ts';
import type { Walk } from './walk-state.ts';

/** What leaving a node writes, in order. */
export type Assign = (walk: Walk) => void;

/** null when it writes nothing. */
export function compileAssignments(raw: AuthoredNode): Assign | null {
  const steps = readAssignments(raw).assignments.flatMap((assignment) => {
    const { variable, op } = assignment;
    const write = op === 'clear' ? compileEraser(variable) : compileWriter(variable);
    return write === null ? [] : [compileStep(assignment, write)];
  });
  if (steps.length === 0) return null;
  return (walk) => {
    for (const step of steps) step(walk);
  };
}

/** What becomes of a variable, or why nothing does. Counts what it adds to the result of the turn. */
type Change = (
  before: unknown,
  operand: unknown,
  budget: TurnBudget,
) => { readonly value: unknown } | Exclude<TraceSet['note'], null>;

function compileStep({ variable, op, operand }: Assignment, write: Writer): Assign {
  const read = compileLookup(variable);
  const template = compileValue(operand, null);
  const change = changes[op];
  return (walk) => {
    const rendered = renderValue(template, walk);
    const changed = change(read(walk), rendered, walk.budget);
    const note = typeof changed === 'string' ? changed : null;
    if (typeof changed === 'object') write(walk.variables, changed.value);
    if (walk.trace === null) return;
    const before = walk.traced ?? { input: null, extraction: null };
    const set = { variable, op, operand: shown(rendered), value: shown(read(walk)), note };
    walk.traced = { ...before, sets: [...(before.sets ?? []), set] };
  };
}

const changes: Readonly<Record<Assignment['op'], Change>> = {
  to: (_before, value, budget) => {
    budget.json(value);
    return { value };
  },
  add: (before, operand, budget) => {
    const sum = added(before, operand);
    if (typeof sum === 'string') return sum;
    budget.json(sum);
    return { value: sum };
  },
  append: (before, element, budget) => {
    const list = listOf(before);
    if (list === null) return 'not_a_list';
    if (list.length >= limits.listElementsMax) return 'list_is_full';
    budget.text(list.length);
    budget.json(element);
    return { value: [...list, element] };
  },
  remove: (before, element, budget) => {
    const list = listOf(before);
    if (list === null) return 'not_a_list';
    const isEqual = compileComparison('eq', element, { caseSensitive: true, budget });
    return { value: list.filter((other) => !isEqual(other, budget).matched) };
  },
  clear: () => ({ value: undefined }),
};

/** What `add` makes of a value, or why it makes nothing. */
export function added(before: unknown, operand: unknown): number | 'not_a_number' | 'out_of_range' {
  const from = before === undefined || before === null ? 0 : readDecimal(before);
  const more = readDecimal(operand);
  if (from === null || more === null) return 'not_a_number';
  return isCarriable(from + more) ? from + more : 'out_of_range';
}

function listOf(value: unknown): readonly unknown[] | null {
  if (value === undefined || value === null) return [];
  return Array.isArray(value) ? value : null;
}
