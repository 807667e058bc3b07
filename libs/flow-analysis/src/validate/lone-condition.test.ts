import { expect, test } from '@jest/globals';
import { TurnBudget } from '@parley/flow-engine/read/turn-budget';
import { compileLoneCondition } from './lone-condition.ts';

const met = (condition: object, over: Record<string, unknown>) => {
  const compiled = compileLoneCondition(condition as Record<string, unknown>);
  return compiled.ok ? compiled.test(over, new TurnBudget()) : compiled.problem;
};

test.each([
  [{ variable: 'end_reason', op: 'eq', value: 'Silence' }, { end_reason: 'silence' }, true],
  [{ variable: 'end_reason', value: 'Silence', case_sensitive: true }, { end_reason: 'silence' }, false],
  [{ variable: 'metadata.plan', op: 'in', value: ['gold', 'silver'] }, { metadata: { plan: 'gold' } }, true],
  [{ variable: 'duration_seconds', op: 'gt', value: 60 }, { duration_seconds: 61 }, true],
  [{ variable: 'error' }, { error: { code: 'x' } }, true],
  [{ variable: 'error' }, {}, false],
])('%j over %j: %j', (condition, over, expected) => expect(met(condition, over)).toBe(expected));

test.each([
  [{}],
  [{ nl: 'is angry' }],
  [{ variable: 'a', op: 'resembles', value: 'b' }],
  [{ variable: 'a', op: 'matches', value: '(' }],
  [{ variable: 7 }],
])('%j is no condition', (condition) => expect(met(condition, {})).toEqual(expect.any(String)));

test('is undecided when the budget does not suffice', () => {
  const compiled = compileLoneCondition({ variable: 'text', op: 'contains', value: 'x' });
  const budget = new TurnBudget();
  const text = 'y'.repeat(1_000_000);
  let last: boolean | null = false;
  for (let asked = 0; asked < 1_000 && last === false; asked += 1)
    if (compiled.ok) last = compiled.test({ text }, budget);
  expect(last).toBeNull();
});
