// The generated tables of README.md match the code. `npm run docs` writes them.
import { expect, test } from '@jest/globals';
import { codeTable, endpointTable, environmentTable } from '@parley/testing-services';
import { generatedBlock } from '@parley/testing';
import { flowBuilderEndpoints } from '../src/app.ts';
import { config } from '../src/config.ts';
import { chatEndpoints } from '../src/chat/routes.ts';
import type { Deps } from '../src/deps.ts';

test.each([
  ['environment', environmentTable(config)],
  // The table needs no deps: only running a row does.
  ['endpoints', endpointTable('/v1', flowBuilderEndpoints({} as Deps))],
  ['endpoints of /openai/v1', endpointTable('/openai/v1', chatEndpoints({} as Deps))],
  ['codes', codeTable((code) => code)],
])('the table of %s is up to date', (name, table) => {
  const { actual, expected } = generatedBlock(new URL('../README.md', import.meta.url), name, table);
  expect(actual).toBe(expected);
});
