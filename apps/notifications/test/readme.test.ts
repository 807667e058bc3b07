// The generated table of README.md is that of the code. `npm run docs` writes it anew.
import { expect, test } from '@jest/globals';
import { environmentTable } from '@parley/app-testkit';
import { generatedBlock } from '@parley/testkit';
import { config } from '../src/config.ts';

test('the environment table is up to date', () => {
  const table = environmentTable(config);
  const { actual, expected } = generatedBlock(new URL('../README.md', import.meta.url), 'environment', table);
  expect(actual).toBe(expected);
});
