// Conditions and lists in words, for messages and for the summary of a diff.
import type { Condition, EdgeModel } from '@parley/flow-engine/define/model';
import { operators } from '@parley/flow-engine/define/operators';
import { quoted, shown } from './finding.ts';

/** The condition of an edge as a person reads it: `age lt 18`, `"wants to cancel"`, `default`. */
export function describeCondition({ kind, condition, group, nl }: EdgeModel): string {
  if (group !== null)
    return group.members.map(describeComparison).join(group.joint === 'any' ? ' or ' : ' and ');
  if (condition === null) return kind === 'nl' && nl !== null ? quoted(nl) : 'default';
  return describeComparison(condition);
}

export function describeComparison({ variable, op, authoredOp, value, hasValue }: Condition): string {
  const operator = op ?? authoredOp ?? '?';
  const operand = op !== null && operators[op].takes === 'none' ? '' : hasValue ? ` ${shown(value)}` : '';
  return `${variable ?? '?'} ${operator}${operand}`;
}

/** `a`, `a and b`, `a, b and c`. */
export function listed(words: readonly string[]): string {
  return words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`;
}
