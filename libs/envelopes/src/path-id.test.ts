import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { isPathId, pathId } from './path-id.ts';

const ORIGIN = 'https://parley.example/v1/flows/';

/** What a server reads of an address that a client built with and without percent-encoding. */
function readBack(id: string, rest: string): string[] {
  return [id, encodeURIComponent(id)].map((part) => {
    const { pathname, search, hash } = new URL(`${ORIGIN}${part}${rest}`);
    expect(search + hash).toBe('');
    return decodeURIComponent(pathname.slice('/v1/flows/'.length, pathname.length - rest.length));
  });
}

test('a URL parser leaves every accepted id unchanged', () => {
  const unit = fc.oneof(
    fc.constantFrom(...'./\\?#% \t\n\r2eE;|:@&=+$<>^`{}"'),
    fc.string({ unit: 'binary', maxLength: 1 }),
  );
  const ids = fc.array(unit, { minLength: 1, maxLength: 8 }).map((units) => units.join(''));
  fc.assert(
    fc.property(ids, fc.constantFrom('', '/tests'), (id, rest) => {
      if (isPathId(id)) expect(readBack(id, rest)).toEqual([id, id]);
    }),
    { numRuns: 5_000 },
  );
});

test.each([
  '',
  '.',
  '..',
  '...',
  '%2e',
  '%2E%2e',
  'a/b',
  'a\\b',
  'a\tb',
  'a\nb',
  'a?b',
  'a#b',
  '100%',
  ' a',
  'a ',
  '\ud800',
  '\0',
])('refuses %j', (id) => {
  expect(isPathId(id)).toBe(false);
  expect(pathId().safeParse(id).success).toBe(false);
});

test.each([
  'a',
  'a..b',
  '.a',
  'auth0|5f7c',
  'ann@example.com',
  'a b',
  'täst',
  '💡',
  'wamid.HBg==',
  'a'.repeat(255),
])('accepts %j', (id) => {
  expect(isPathId(id)).toBe(true);
  expect(pathId().parse(id)).toBe(id);
});

test('counts characters', () => {
  expect(isPathId('💡'.repeat(5), 5)).toBe(true);
  expect(isPathId('a'.repeat(6), 5)).toBe(false);
});
