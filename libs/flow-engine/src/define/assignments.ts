// `set` of a node: the variables that it writes when the walk leaves it
// (docs/flow-language.md#set). An entry with a fault has no effect and validation reports it; a
// stored flow always parses.
import type { AuthoredNode } from './definition.ts';
import { limits } from './limits.ts';

/** The operations of an entry: exactly one of them beside its `variable`. */
export const assignmentOps = {
  to: 'The value; a text that is one placeholder keeps the type of what it reads.',
  add: 'Adds a number, or takes it away; what is missing counts as 0.',
  append: 'Adds an element at the end of a list; what is missing counts as an empty one.',
  remove: 'Takes the elements equal to the value out of a list.',
  clear: 'With `true`: takes the variable out of the bag.',
} as const satisfies Record<string, string>;

export type AssignmentOp = keyof typeof assignmentOps;

export interface Assignment {
  /** Position in the authored list. */
  readonly index: number;
  readonly variable: string;
  readonly op: AssignmentOp;
  /** As authored; texts may hold placeholders. */
  readonly operand: unknown;
}

export interface AssignmentProblem {
  /** Null = a problem of the list itself. */
  readonly index: number | null;
  readonly message: string;
}

const ops = Object.keys(assignmentOps) as AssignmentOp[];

export function readAssignments({ set }: AuthoredNode): {
  readonly assignments: readonly Assignment[];
  readonly problems: readonly AssignmentProblem[];
} {
  if (set === undefined || set === null) return nothing;
  if (!Array.isArray(set)) return wrong('`set` must be a list of objects with `variable`');
  if (set.length > limits.assignmentsMax)
    return wrong(`At most ${limits.assignmentsMax} entries of \`set\`, not ${set.length}`);
  const assignments: Assignment[] = [];
  const problems: AssignmentProblem[] = [];
  set.forEach((entry: unknown, index) => {
    const read = readAssignment(entry, index);
    if (typeof read === 'string') problems.push({ index, message: read });
    else assignments.push(read);
  });
  return { assignments, problems };
}

const nothing = { assignments: [], problems: [] };
const wrong = (message: string) => ({ assignments: [], problems: [{ index: null, message }] });

function readAssignment(entry: unknown, index: number): Assignment | string {
  if (typeof entry !== 'object' || entry === null || Array.isArray(entry))
    return 'An entry must be an object';
  const members = entry as Readonly<Record<string, unknown>>;
  const { variable } = members;
  if (typeof variable !== 'string' || variable.trim() === '') return 'An entry must name a `variable`';
  const [op, ...others] = ops.filter((name) => members[name] !== undefined);
  if (op === undefined || others.length > 0) return `An entry must have one of ${ops.join(', ')}`;
  const operand = members[op];
  if (op === 'clear' && operand !== true) return '`clear` must be true';
  const isNumber = typeof operand === 'number' && Number.isFinite(operand);
  if (op === 'add' && !isNumber && !(typeof operand === 'string' && operand.includes('{{')))
    return '`add` must be a number, or a placeholder';
  return { index, variable, op, operand };
}
