import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, afterEach, expect, test } from '@jest/globals';
import { generatedBlock } from './generated-block.ts';

const folder = mkdtempSync(join(tmpdir(), 'parley-block-'));
const file = pathToFileURL(join(folder, 'README.md'));
const updating = process.env['UPDATE_DOCS'];
afterEach(() => {
  if (updating === undefined) delete process.env['UPDATE_DOCS'];
  else process.env['UPDATE_DOCS'] = updating;
});
afterAll(() => rmSync(folder, { recursive: true }));

const between = (content: string) =>
  `before\n<!-- generated: a -->\n${content}<!-- end -->\nkept\n<!-- generated: b -->\nB\n<!-- end -->\n`;

test.each([
  ['old\n', 'a block'],
  ['', 'a block that is new and empty'],
])('%j: %s is filled, and nothing else changes', (content) => {
  writeFileSync(file, between(content));
  delete process.env['UPDATE_DOCS'];
  expect(generatedBlock(file, 'a', 'new')).toEqual({ actual: content.trimEnd(), expected: 'new' });
  process.env['UPDATE_DOCS'] = 'true';
  generatedBlock(file, 'a', 'new');
  expect(readFileSync(file, 'utf8')).toBe(between('new\n'));
});

test('an absent block is an error', () => {
  writeFileSync(file, 'nothing');
  expect(() => generatedBlock(file, 'a', 'new')).toThrow('has no block <!-- generated: a -->');
});
