// Typed extraction: the question, and which values may be merged.
import { describe, expect, test } from '@jest/globals';
import { compileExtraction, fitsSchema, mergeExtracted } from './extraction.ts';

const merge = (extraction: Record<string, unknown>, values: unknown, bag: Record<string, unknown> = {}) => {
  const compiled = compileExtraction(extraction);
  if (compiled === null) throw new Error('nothing to extract');
  return { ...mergeExtracted(compiled, values, bag), bag };
};

describe('compileExtraction', () => {
  test('listed variables become a JSON Schema', () => {
    const variables = [
      { name: 'city', type: 'string', prompt: 'Where to', required: true },
      { name: 'size', type: 'enum', choices: ['S', 'M'] },
      { name: 'untyped' },
      { name: 'odd', type: 'colour' },
      { name: '__proto__', type: 'string' },
      { type: 'string' },
      null,
    ];
    expect(compileExtraction({ variables })?.schema).toEqual({
      type: 'object',
      properties: {
        city: { type: 'string', description: 'Where to' },
        size: { type: 'string', enum: ['S', 'M'] },
        untyped: { type: 'string' },
      },
      required: ['city'],
      additionalProperties: false,
    });
  });

  test('passes a JSON Schema unchanged', () => {
    const schema = { properties: { n: { type: 'integer' } }, description: 'x' };
    expect(compileExtraction(schema)?.schema).toEqual({ type: 'object', ...schema });
  });

  test.each([null, undefined, {}, { variables: [] }, { properties: {} }, { properties: 5 }])(
    '%j asks for nothing',
    (extraction) => expect(compileExtraction(extraction as never)).toBeNull(),
  );
});

describe('mergeExtracted', () => {
  const variables = [
    { name: 's', type: 'string' },
    { name: 'n', type: 'number' },
    { name: 'i', type: 'integer' },
    { name: 'b', type: 'boolean' },
    { name: 'e', type: 'enum', choices: ['x', 'y'] },
    { name: 'never', type: 'enum' },
  ];

  test('values of the right type are merged', () => {
    const values = { s: 'a', n: 1.5, i: 2, b: false, e: 'y' };
    expect(merge({ variables }, values, { kept: 1 })).toEqual({
      merged: ['s', 'n', 'i', 'b', 'e'],
      rejected: [],
      bag: { kept: 1, ...values },
    });
  });

  test('values of another type are not', () => {
    const values = { s: 1, n: '1.5', i: 2.5, b: 'false', e: 'z', never: 'x', unasked: 1 };
    expect(merge({ variables }, values, { s: 'old' })).toEqual({
      merged: [],
      rejected: ['s', 'n', 'i', 'b', 'e', 'never'],
      bag: { s: 'old' },
    });
  });

  test('null means absent, and keeps the current value', () => {
    expect(merge({ variables }, { s: null, n: undefined }, { s: 'old' }).bag).toEqual({ s: 'old' });
  });

  test.each([null, undefined, 5, 'x', [1]])('%j merges nothing', (values) =>
    expect(merge({ variables }, values).bag).toEqual({}),
  );

  test('cannot write the bookkeeping of the engine or reserved names', () => {
    const properties: unknown = JSON.parse('{"_flow": {}, "__proto__": {}, "constructor": {}, "fine": {}}');
    const values: unknown = JSON.parse(
      '{"_flow": 1, "__proto__": {"admin": true}, "constructor": 1, "fine": 1}',
    );
    const { bag } = merge({ properties }, values);
    expect(Object.keys(bag)).toEqual(['fine']);
    expect((bag as { admin?: unknown }).admin).toBeUndefined();
  });
});

describe('fitsSchema', () => {
  const person = {
    type: 'object',
    properties: { name: { type: 'string' }, tags: { type: 'array', items: { type: 'string' } } },
    required: ['name'],
  };

  test.each<[unknown, unknown, boolean]>([
    [{ name: 'Ada', tags: ['x'], more: 1 }, person, true],
    [{ tags: [] }, person, false],
    [{ name: 'Ada', tags: [1] }, person, false],
    [[{ name: 'Ada' }], person, false],
    [null, { type: ['string', 'null'] }, true],
    [1, { type: ['string', 'null'] }, false],
    ['b', { const: 'a' }, false],
    ['a', { const: 'a' }, true],
    ['a', { type: 'unheard-of' }, false],
    ['a', {}, true],
    ['a', true, true],
    ['a', false, false],
    [Infinity, { type: 'number' }, false],
    // The engine does not run a pattern of the author here.
    [`${'a'.repeat(50)}!`, { type: 'string', pattern: '^(a+)+$' }, true],
  ])('%j as %j: %s', (value, schema, fits) => expect(fitsSchema(value, schema)).toBe(fits));

  test('stops at a schema that contains itself', () => {
    const schema: Record<string, unknown> = { type: 'array' };
    schema['items'] = schema;
    const value: unknown[] = [];
    value.push(value);
    expect(fitsSchema(value, schema)).toBe(false);
  });
});
