import { describe, expect, test } from '@jest/globals';
import { isStorable, parseJson, storableText } from './outside-json.ts';
import { argumentsProblem } from './tool-arguments.ts';

const parameters = {
  type: 'object',
  properties: {
    city: { type: 'string' },
    nights: { type: 'integer' },
    room: { enum: ['single', 'double'] },
    floor: { type: ['integer', 'null'] },
    extras: { type: 'array' },
  },
  required: ['city'],
};

describe('argumentsProblem', () => {
  test.each<[unknown, unknown]>([
    [{ city: 'Rome' }, parameters],
    [{ city: 'Rome', nights: 2, room: 'double', floor: null, extras: [], unknown: 1 }, parameters],
    [{ anything: true }, null],
    [{}, { required: 'city', properties: 5 }],
    [{ city: 1 }, { properties: { city: true } }],
  ])('%j is fine', (args, schema) => expect(argumentsProblem(args, schema)).toBeNull());

  test.each<[unknown, string]>([
    [undefined, 'The arguments must be a JSON object.'],
    [['Rome'], 'The arguments must be a JSON object.'],
    ['Rome', 'The arguments must be a JSON object.'],
    [null, 'The arguments must be a JSON object.'],
    [{}, 'Required arguments are missing: city.'],
    [{ city: 5 }, 'The argument "city" must be of type string.'],
    [{ city: 'Rome', nights: 1.5 }, 'The argument "nights" must be of type integer.'],
    [{ city: 'Rome', room: 'suite' }, 'The argument "room" must be one of ["single","double"].'],
    [{ city: 'Rome', floor: '1' }, 'The argument "floor" must be of type integer or null.'],
    [{ city: 'Rome', extras: {} }, 'The argument "extras" must be of type array.'],
  ])('%j is not', (args, problem) => expect(argumentsProblem(args, parameters)).toBe(problem));
});

describe('values that variables can hold', () => {
  test.each([null, 1, 'text', '👋', [], { a: [{ b: 'c' }] }])('%j', (value) =>
    expect(isStorable(value)).toBe(true),
  );

  test.each<[string, unknown]>([
    ['a NUL', { a: 'x\0' }],
    ['half a surrogate pair', ['\ud800']],
    ['either in a name', { 'x\0': 1 }],
    ['a number beyond 2^53', [2 ** 53]],
    ['33 levels', parseJson('['.repeat(33) + ']'.repeat(33))],
    ['a thousand levels', parseJson('['.repeat(1_000) + ']'.repeat(1_000))],
  ])('not: %s', (_what, value) => expect(isStorable(value)).toBe(false));

  test('storableText removes characters that cannot be stored', () => {
    expect(storableText('a\0b\ud800c👋')).toBe('ab\ufffdc👋');
  });
});
