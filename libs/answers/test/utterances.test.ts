// Utterances of callers, with their right values (test/utterances/*.jsonl). No value is wrong, few
// are refused.
import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import { judge, parseUtterances, readUtterance } from '../src/utterances.ts';

const folder = new URL('utterances/', import.meta.url);
const files = readdirSync(folder).filter((name) => name.endsWith('.jsonl'));
const read = (name: string) => parseUtterances(readFileSync(new URL(name, folder), 'utf8'));

describe.each(files)('%s', (name) => {
  const rows = read(name);
  const judged = rows.map((row) => ({ row, value: readUtterance(row) }));

  test('has forty utterances and more', () => expect(rows.length).toBeGreaterThanOrEqual(40));

  test('no value is wrong', () => {
    expect(judged.filter(({ row, value }) => judge(row, value) === 'wrong')).toEqual([]);
  });

  test('19 of 20 are right', () => {
    const right = judged.filter(({ row, value }) => judge(row, value) === 'right').length;
    expect(right / rows.length).toBeGreaterThanOrEqual(0.95);
  });
});

test('there are six hundred, and two hundred of them are no answer', () => {
  const rows = files.flatMap(read);
  expect(rows.length).toBeGreaterThanOrEqual(600);
  expect(rows.filter(({ expect: [value] }) => value === null).length).toBeGreaterThanOrEqual(200);
});
