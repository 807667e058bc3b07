// The generated tables of README.md match the code. `npm run docs` updates them.
import { expect, test } from '@jest/globals';
import {
  codeTable,
  endpointTable,
  environmentTable,
  findUndocumented,
  readDocument,
} from '@parley/testing-services';
import { codes } from '@parley/envelopes';
import { generatedBlock } from '@parley/testing';
import { voiceEndpoints } from '../src/app.ts';
import { config } from '../src/config.ts';
import type { Deps } from '../src/deps.ts';

const readme = new URL('../README.md', import.meta.url);
const document = readDocument(new URL('../openapi.json', import.meta.url));

test.each([
  ['environment', environmentTable(config)],
  // The table needs no deps, since it calls no use case.
  ['endpoints', endpointTable('/v1', voiceEndpoints({} as Deps))],
  ['codes', codeTable((code) => codes[code].voice, document)],
])('the table of %s is up to date', (name, table) => {
  const { actual, expected } = generatedBlock(readme, name, table);
  expect(actual).toBe(expected);
});

test('the README names every operation', () => {
  expect(findUndocumented(readme, document)).toEqual([]);
});
