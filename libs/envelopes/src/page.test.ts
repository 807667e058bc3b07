import { describe, expect, test } from '@jest/globals';
import { AppError } from './app-error.ts';
import { decodeCursor, toPage } from './page.ts';

const rows = [
  { id: 'ä', at: 3 },
  { id: 'b', at: 2 },
  { id: 'c', at: 1 },
];
const page = (limit: number) =>
  toPage(
    rows,
    limit,
    (row) => [row.id, row.at],
    (row) => row.id,
  );

describe('toPage', () => {
  test('the extra row is not shown; the cursor is that of the last shown row', () => {
    const { items, next_cursor } = page(2);
    expect(items).toEqual(['ä', 'b']);
    expect(decodeCursor(next_cursor!, 'text', 'integer')).toEqual(['b', 2]);
  });

  test('the last page has no cursor', () => {
    expect(page(3)).toEqual({ items: ['ä', 'b', 'c'], next_cursor: null });
  });

  test('an empty list has no cursor', () => {
    expect(
      toPage(
        [],
        5,
        () => [],
        (row) => row,
      ),
    ).toEqual({ items: [], next_cursor: null });
  });
});

describe('decodeCursor', () => {
  test('survives any text in the key', () => {
    const cursor = toPage(
      rows,
      1,
      (row) => [row.id, row.at],
      (row) => row.id,
    ).next_cursor!;
    expect(cursor).toMatch(/^[A-Za-z0-9_-]+$/);
    expect(decodeCursor(cursor, 'text', 'integer')).toEqual(['ä', 3]);
  });

  test.each([
    '',
    '!!',
    'bm90IGpzb24',
    btoa('[1,2]'),
    btoa('{"a":1}'),
    btoa('\xff\xfe'),
    btoa('["\\u0000",1]'),
    btoa('["a",1e300]'),
    btoa('["a",2147483648]'), // beyond a Postgres integer
    btoa('["a",-1]'),
    btoa('["a",1.5]'),
    btoa('["a",1,2]'),
  ])('refuses %j', (cursor) => {
    expect(() => decodeCursor(cursor, 'text', 'integer')).toThrow(AppError);
  });
});
