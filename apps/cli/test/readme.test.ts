// Compares the generated table of README.md with the code. `npm run docs` writes the table.
import { expect, test } from '@jest/globals';
import { environmentTable } from '@parley/testing-services';
import { generatedBlock } from '@parley/testing';
import { dashboardConfig } from '../src/dashboard/run-dashboard.ts';

test('by default the dashboard listens on the loopback address only', () => {
  const given = { OPERATOR_PASSWORD: 'env://P', QUEUE_URL: 'redis://127.0.0.1' };
  expect(dashboardConfig.parse(given).HOST).toBe('127.0.0.1');
});

test('the table of the environment of the dashboard is up to date', () => {
  const table = environmentTable(dashboardConfig);
  const { actual, expected } = generatedBlock(new URL('../README.md', import.meta.url), 'environment', table);
  expect(actual).toBe(expected);
});
