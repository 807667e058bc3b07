import { expect, test } from '@jest/globals';
import { z } from 'zod';
import { members } from './members.ts';

const headers = members(2, z.string().max(5), z.string());

test('a valid object is returned unchanged', () => {
  expect(headers.parse({ a: '1', b: '2' })).toEqual({ a: '1', b: '2' });
  expect(z.strictObject({ headers: headers.optional() }).parse({})).toEqual({});
});

test.each([
  ['one too many: no member is looked at', { a: 1, b: 2, c: 3 }, ['too_big']],
  ['wrong members, each', { a: 1, b: 2 }, ['invalid_type', 'invalid_type']],
  ['no object', 'text', ['invalid_type']],
  ['nothing', undefined, ['invalid_type']],
])('%s', (_what, given, issues) => {
  expect(headers.safeParse(given).error!.issues.map(({ code }) => code)).toEqual(issues);
});

test('is required where it is required', () => {
  expect(z.strictObject({ headers }).safeParse({}).success).toBe(false);
});
