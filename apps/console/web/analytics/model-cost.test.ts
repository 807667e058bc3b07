// The cost of model calls as text.
import { expect, test } from '@jest/globals';
import { formatCost, formatModelCost } from './model-cost.ts';

test.each([
  [0, '0.00'],
  [0.000_312_4, '0.00031'],
  [0.01, '0.01'],
  [1234.5, '1,234.50'],
])('%d as %s', (cost, text) => expect(formatCost(cost)).toBe(text));

test.each([
  [0, '1.50'],
  [1, '≥ 1.50'],
  [4, '–'],
])('of 4 calls, %d without a price: %s', (unpriced, text) =>
  expect(formatModelCost({ model_calls: 4, model_cost: 1.5, unpriced_model_calls: unpriced })).toBe(text),
);
