// Reads the conditions of Retell's edges.
import { toEdgeCondition, type Comparison } from '../conditions.ts';
import type { EdgeCondition } from '../draft.ts';
import { getMember, toMembersList, toText } from '../source.ts';
import { toTemplate, toVariableName } from '../words.ts';

const operators = new Map(
  Object.entries({
    '==': 'eq',
    '!=': 'neq',
    '>': 'gt',
    '>=': 'gte',
    '<': 'lt',
    '<=': 'lte',
    contains: 'contains',
    not_contains: 'not_contains',
    exists: 'exists',
    not_exist: 'not_exists',
    not_exists: 'not_exists',
  }),
);

export function parseCondition(when: unknown): EdgeCondition | null {
  if (getMember(when, 'type') !== 'equation') {
    const nl = toText(getMember(when, 'prompt'));
    return nl === '' ? null : { nl };
  }
  const comparisons = toMembersList(getMember(when, 'equations')).flatMap(
    ({ left, operator, right }): Comparison[] => {
      const variable = toVariableName(toText(left).replace(/^\{\{|\}\}$/gu, ''));
      const op = operators.get(toText(operator));
      if (variable === null || op === undefined) return [];
      return [op.endsWith('exists') ? { variable, op } : { variable, op, value: toTemplate(toText(right)) }];
    },
  );
  const join = getMember(when, 'operator') === '||' ? 'any' : 'all';
  // An unreadable part would change the meaning of the rest.
  return comparisons.length === toMembersList(getMember(when, 'equations')).length
    ? toEdgeCondition({ join, comparisons })
    : null;
}
