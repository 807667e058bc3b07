// The generated table of README.md is that of the code. `npm run docs` writes it anew.
import { expect, test } from '@jest/globals';
import { environmentTable } from '@parley/app-testkit';
import { generatedBlock } from '@parley/testkit';
import { dashboardConfig } from '../src/dashboard/run-dashboard.ts';

test('an operator who starts the dashboard by hand opens it to this machine only', () => {
  const given = { OPERATOR_PASSWORD: 'env://P', QUEUE_URL: 'redis://127.0.0.1' };
  expect(dashboardConfig.parse(given).HOST).toBe('127.0.0.1');
});

test('the table of the environment of the dashboard is up to date', () => {
  const table = environmentTable(dashboardConfig);
  const { actual, expected } = generatedBlock(new URL('../README.md', import.meta.url), 'environment', table);
  expect(actual).toBe(expected);
});
