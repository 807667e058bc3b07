// The generated tables of README.md match the code. `npm run docs` writes them.
import { expect, test } from '@jest/globals';
import {
  codeTable,
  endpointTable,
  environmentTable,
  findUndocumented,
  readDocument,
} from '@parley/testing-services';
import { generatedBlock } from '@parley/testing';
import { flowBuilderEndpoints } from '../src/app.ts';
import { config } from '../src/config.ts';
import { chatEndpoints } from '../src/chat/routes.ts';
import type { Deps } from '../src/deps.ts';

const readme = new URL('../README.md', import.meta.url);
const document = readDocument(new URL('../openapi.json', import.meta.url));

test.each([
  ['environment', environmentTable(config)],
  // The table needs no deps: only running a row does.
  ['endpoints', endpointTable('/v1', flowBuilderEndpoints({} as Deps))],
  ['endpoints of /openai/v1', endpointTable('/openai/v1', chatEndpoints({} as Deps))],
  ['codes', codeTable((code) => code, document)],
])('the table of %s is up to date', (name, table) => {
  const { actual, expected } = generatedBlock(readme, name, table);
  expect(actual).toBe(expected);
});

test('the README names every operation; `/product/v1` has those of `/v1`', () => {
  const undocumented = new Set(findUndocumented(readme, document));
  const isAtBoth = (operation: string) =>
    operation.includes(' /product/v1/') && !undocumented.has(operation.replace('/product/v1/', '/v1/'));
  expect([...undocumented].filter((operation) => !isAtBoth(operation))).toEqual([]);
});
