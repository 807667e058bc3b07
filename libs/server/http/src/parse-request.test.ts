import { describe, expect, test } from '@jest/globals';
import { z } from 'zod';
import { AppError, freeForm, type FieldProblem } from '@parley/envelopes';
import { parseRequest, type Parts, type Values } from './parse-request.ts';

const schemas = {
  params: z.strictObject({ id: z.string().max(4) }),
  query: z.strictObject({ limit: z.coerce.number().int().max(100).optional() }),
  body: z.strictObject({
    name: z.string(),
    tags: z.array(z.string()),
    deep: z.strictObject({ n: z.int() }).optional(),
  }),
};
const good = { params: { id: 'x' }, query: {}, body: { name: 'a', tags: [] } };

function problemsOf(parts: Parts, values: Values): readonly FieldProblem[] {
  try {
    parseRequest(parts, values);
  } catch (error) {
    expect(error).toBeInstanceOf(AppError);
    return (error as AppError).fields;
  }
  return [];
}

test('returns the values that the schemas produce; omits a part without a schema', () => {
  expect(parseRequest(schemas, { ...good, query: { limit: '7' } })).toEqual({ ...good, query: { limit: 7 } });
  expect(parseRequest({}, good)).toEqual({ params: undefined, query: undefined, body: undefined });
});

describe('every offending member of every part is named', () => {
  test('in one answer', () => {
    const body = { name: 1, tags: ['x', 2, null], deep: { n: 1.5, unknown: 1 }, 'odd/name': 1 };
    expect(
      problemsOf(schemas, { params: { id: 'too long' }, query: { limit: 'x', limt: '1' }, body }),
    ).toEqual([
      expect.objectContaining({ path: '/path/id', in: 'path' }),
      expect.objectContaining({ path: '/query/limit', in: 'query' }),
      { path: '/query/limt', in: 'query', message: 'is not a known parameter', code: 'unknown_member' },
      expect.objectContaining({ path: '/name' }),
      expect.objectContaining({ path: '/tags/1' }),
      expect.objectContaining({ path: '/tags/2' }),
      expect.objectContaining({ path: '/deep/n' }),
      { path: '/deep/unknown', message: 'is not a known member', code: 'unknown_member' },
      { path: '/odd~1name', message: 'is not a known member', code: 'unknown_member' },
    ]);
  });

  test('of a body with more than 2,000 members, the first one alone', () => {
    const tags = Array.from({ length: 100_000 }, () => 0);
    expect(problemsOf(schemas, { ...good, body: { name: 1, tags } })).toHaveLength(1);
    const body = z.strictObject({ list: z.array(freeForm()) });
    expect(problemsOf({ body }, { ...good, body: { list: tags } })).toHaveLength(1);
  });

  test.each([[[]], ['text'], [null], [1]])('a body that is %j as a whole has the empty path', (body) => {
    expect(problemsOf(schemas, { ...good, body })).toEqual([expect.objectContaining({ path: '' })]);
  });

  test('parameters that cannot be stored, including repeated ones and names', () => {
    const query = { a: ['x', 'y\0'], 'b\0': 'x', c: '\ud800' };
    expect(problemsOf({ query: z.looseObject({}) }, { ...good, query, params: { id: '\0' } })).toEqual([
      expect.objectContaining({ path: '/path/id', in: 'path', code: 'invalid_text' }),
      expect.objectContaining({ path: '/query/a' }),
      expect.objectContaining({ path: '/query/b\0' }),
      expect.objectContaining({ path: '/query/c' }),
    ]);
  });

  test('a parameter is not confused with a member of the body with the same pointer', () => {
    const both = {
      query: z.strictObject({ limit: z.coerce.number() }),
      body: z.strictObject({ query: z.strictObject({ limit: z.number() }) }),
    };
    const given = { params: {}, query: { limit: 'x' }, body: { query: { limit: 'x' } } };
    expect(problemsOf(both, given).map(({ path, in: place }) => [path, place])).toEqual([
      ['/query/limit', 'query'],
      ['/query/limit', undefined],
    ]);
  });

  test('a hundred at most', () => {
    const tags = Array.from({ length: 1_000 }, () => 1);
    expect(problemsOf(schemas, { ...good, body: { name: 'a', tags } })).toHaveLength(100);
  });
});

test('a problem of a value that has one of several forms is at its place', () => {
  const item = z.strictObject({ name: z.string() });
  const wanted = z.strictObject({ input: z.union([z.string().max(3), z.array(item), z.literal(0)]) });
  const refused = (input: unknown) => {
    try {
      parseRequest({ body: wanted }, { params: {}, query: {}, body: { input } });
      return [];
    } catch (error) {
      return (error as AppError).fields;
    }
  };
  expect(refused([{ name: 'a' }])).toEqual([]);
  expect(refused([{ name: 'a' }, { name: 1, more: 2 }])).toMatchObject([
    { path: '/input/1/name', code: 'invalid_type' },
    { path: '/input/1/more', code: 'unknown_member' },
  ]);
  expect(refused('long')).toMatchObject([{ path: '/input', code: 'too_big' }]);
  expect(refused(1)).toMatchObject([{ path: '/input', code: 'invalid_union' }]);
});

test('a too long list is refused unread, and the first of many unknown members are named', () => {
  const wanted = z.strictObject({
    scopes: z.array(z.enum(['read', 'write'])).max(2),
    turns: z
      .array(z.strictObject({ says: z.array(z.string()).max(1) }))
      .max(5)
      .optional(),
    events: z.union([z.tuple([z.literal('*')]), z.array(z.enum(['a', 'b'])).max(2)]).optional(),
  });
  const many = Array.from({ length: 200_000 }, () => 'x');
  const refused = (body: unknown) => {
    const before = process.cpuUsage();
    try {
      parseRequest({ body: wanted }, { params: {}, query: {}, body });
      return [];
    } catch (error) {
      expect(process.cpuUsage(before).user).toBeLessThan(1_000_000); // µs
      return (error as AppError).fields;
    }
  };
  expect(refused({ scopes: many })).toMatchObject([{ path: '/scopes', code: 'too_big' }]);
  const deep = { scopes: [], turns: [{ says: [] }, { says: many }] };
  expect(refused(deep)).toMatchObject([{ path: '/turns/1/says', code: 'too_big' }]);
  expect(refused({ scopes: [], events: many })).toMatchObject([{ path: '/events' }]);
  expect(refused({ scopes: [], events: ['*'] })).toEqual([]);
  const unknown = Object.fromEntries(many.slice(0, 5_000).map((text, place) => [`${text}${place}`, 1]));
  expect(refused({ scopes: ['read'], ...unknown })).toHaveLength(100);
});
