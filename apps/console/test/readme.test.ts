// The generated table of README.md matches the code. `npm run docs` regenerates it.
import { expect, test } from '@jest/globals';
import { environmentTable } from '@parley/testing-services';
import { generatedBlock } from '@parley/testing';
import { config } from '../src/config.ts';

test('the table of the environment is up to date', () => {
  const file = new URL('../README.md', import.meta.url);
  const { actual, expected } = generatedBlock(file, 'environment', environmentTable(config));
  expect(actual).toBe(expected);
});
