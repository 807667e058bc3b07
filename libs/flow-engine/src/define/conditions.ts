// The deterministic condition of an edge (docs/flow-language.md#edges): one comparison, or those of
// `all` or `any`. A list with a fault has no effect and validation reports it; a stored flow always
// parses.
import { textOrNull, type AuthoredEdge } from './definition.ts';
import { limits } from './limits.ts';
import type { Condition, ConditionGroup, EdgeModel } from './model.ts';
import { resolveOperator } from './operators.ts';

export interface ConditionProblem {
  /** Steps of a JSON pointer below the edge. */
  readonly at: readonly (string | number)[];
  readonly message: string;
}

/** Members of an entry of `all` or `any`; other members belong to the edge. */
export const comparedMembers: readonly string[] = ['variable', 'op', 'value'];

type Members = Readonly<Record<string, unknown>>;

const toText = (value: unknown): string | null => (typeof value === 'string' ? textOrNull(value) : null);

/** The comparison of an edge or of an entry of a list; null = none. */
export function readComparison(raw: Members, at: Condition['at']): Condition | null {
  const variable = toText(raw['variable']);
  const authoredOp = toText(raw['op']);
  const value = raw['value'];
  const hasValue = value !== undefined;
  // Editors write unused members as null: `value: null` alone is no condition.
  if (variable === null && authoredOp === null && value == null) return null;
  const op = authoredOp === null ? (hasValue ? 'eq' : 'exists') : resolveOperator(authoredOp);
  return { at, variable, op, authoredOp, value, hasValue };
}

/** The list of an edge. A single comparison wins over it, as before lists existed. */
export function readGroup(raw: AuthoredEdge): ConditionGroup | null {
  const joint = (['all', 'any'] as const).find((name) => Array.isArray(raw[name]));
  if (joint === undefined || readComparison(raw, []) !== null) return null;
  const entries = (raw[joint] as unknown[]).slice(0, limits.conditionsMax);
  const members = entries.map((entry, place) => readEntry(entry, [joint, place]));
  return { joint, members };
}

/** An entry that compares nothing never matches. */
function readEntry(entry: unknown, at: Condition['at']): Condition {
  const nothing = { at, variable: null, op: null, authoredOp: null, value: undefined, hasValue: false };
  return isMembers(entry) ? (readComparison(entry, at) ?? nothing) : nothing;
}

export const isMembers = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Every comparison of an edge, in the order in which the walk tries them. */
export const listComparisons = ({ condition, group }: Pick<EdgeModel, 'condition' | 'group'>) =>
  condition === null ? (group?.members ?? []) : [condition];

export function conditionProblems(raw: AuthoredEdge): ConditionProblem[] {
  const lists = (['all', 'any'] as const).filter((name) => raw[name] != null);
  const [joint, other] = lists;
  if (joint === undefined) return [];
  if (other !== undefined) return [{ at: [other], message: 'An edge has `all` or `any`, not both' }];
  if (readComparison(raw, []) !== null)
    return [{ at: [joint], message: `\`${joint}\` stands in place of the comparison that the edge has` }];
  const list = raw[joint];
  const size = Array.isArray(list) ? list.length : 0;
  if (size < 1 || size > limits.conditionsMax)
    return [
      { at: [joint], message: `\`${joint}\` takes a list of 1 to ${limits.conditionsMax} comparisons` },
    ];
  return (list as unknown[]).flatMap((entry, place) => entryProblems(entry, [joint, place]));
}

function entryProblems(entry: unknown, at: Condition['at']): ConditionProblem[] {
  if (!isMembers(entry)) return [{ at, message: 'An entry must be an object that compares a variable' }];
  const wrong = ['variable', 'op'].filter((name) => entry[name] != null && typeof entry[name] !== 'string');
  if (wrong.length > 0)
    return wrong.map((name) => ({ at: [...at, name], message: `\`${name}\` must be a text` }));
  const misplaced = ownOfEdges.filter((name) => entry[name] != null);
  if (misplaced.length > 0)
    return misplaced.map((name) => ({
      at: [...at, name],
      message: `\`${name}\` has no meaning in an entry`,
    }));
  return readComparison(entry, at) === null ? [{ at, message: 'The entry compares nothing' }] : [];
}

/** Members that authors may expect in an entry but that hold for a whole edge or not at all. */
const ownOfEdges = ['all', 'any', 'nl', 'condition', 'default', 'case_sensitive'];
