// Runs the `set` of a node when the walk leaves it (docs/flow-language.md#set), before its edges
// are tried.
import { compileValue, jsonCounter, renderValue } from '../compile/interpolate.ts';
import { readAssignments, type Assignment } from '../define/assignments.ts';
import type { AuthoredNode } from '../define/definition.ts';
import { limits } from '../define/limits.ts';
import { compileComparison } from '../read/compare.ts';
import { compileEraser, compileLookup, compileWriter, type Lookup, type Writer } from '../read/paths.ts';
import { isCarriable, readDecimal } from '@parley/answers/readings';
import { toShown } from './trace.ts';
import type { TraceSet } from './trace-step.ts';
import type { Walk } from './walk-state.ts';

/** Writes the variables of a node, in order. */
export type Assign = (walk: Walk) => void;

/** Null when it writes nothing. */
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

/** A variable with its operand. */
interface Place {
  readonly read: Lookup;
  readonly write: Writer;
  /** Counts the operand against the bytes of the result. */
  readonly count: ReturnType<typeof jsonCounter>;
}

/**
 * Changes the variable, or returns why it does not. Counts what it adds to the result of the turn.
 */
type Change = (walk: Walk, operand: unknown) => TraceSet['note'];

function compileStep({ variable, op, operand }: Assignment, write: Writer): Assign {
  const read = compileLookup(variable);
  const template = compileValue(operand, null);
  const change = changes[op]({ read, write, count: jsonCounter(template) });
  return (walk) => {
    const rendered = renderValue(template, walk);
    const note = change(walk, rendered);
    if (walk.trace === null) return;
    const before = walk.traced ?? { input: null, extraction: null };
    const set = { variable, op, operand: toShown(rendered), value: toShown(read(walk)), note };
    walk.traced = { ...before, sets: [...(before.sets ?? []), set] };
  };
}

const changes: Readonly<Record<Assignment['op'], (place: Place) => Change>> = {
  to:
    ({ write, count }) =>
    (walk, value) => {
      count(value, walk.budget);
      write(walk.variables, value);
      return null;
    },
  add:
    ({ read, write }) =>
    (walk, operand) => {
      const sum = add(read(walk), operand);
      if (typeof sum === 'string') return sum;
      walk.budget.json(sum);
      write(walk.variables, sum);
      return null;
    },
  append:
    ({ read, write, count }) =>
    (walk, element) => {
      const list = readList(read(walk));
      if (list === null) return 'not_a_list';
      if (list.length >= limits.listElementsMax) return 'list_is_full';
      walk.budget.text(list.length);
      count(element, walk.budget);
      write(walk.variables, [...list, element]);
      return null;
    },
  remove:
    ({ read, write }) =>
    (walk, element) => {
      const { budget } = walk;
      const list = readList(read(walk));
      if (list === null) return 'not_a_list';
      const isEqual = compileComparison('eq', element, { caseSensitive: true, budget });
      write(
        walk.variables,
        list.filter((other) => !isEqual(other, budget).matched),
      );
      return null;
    },
  clear:
    ({ write }) =>
    ({ variables }) => {
      write(variables, undefined);
      return null;
    },
};

/** The sum, or why there is none. */
export function add(before: unknown, operand: unknown): number | 'not_a_number' | 'out_of_range' {
  const from = before === undefined || before === null ? 0 : readDecimal(before);
  const more = readDecimal(operand);
  if (from === null || more === null) return 'not_a_number';
  return isCarriable(from + more) ? from + more : 'out_of_range';
}

function readList(value: unknown): readonly unknown[] | null {
  if (value === undefined || value === null) return [];
  return Array.isArray(value) ? value : null;
}
