import { describe, expect, test } from '@jest/globals';
import { z } from 'zod';
import { AppError, type FieldProblem } from '@parley/envelopes';
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

test('values come back as the schemas give them; a part without a schema is left out', () => {
  expect(parseRequest(schemas, { ...good, query: { limit: '7' } })).toEqual({ ...good, query: { limit: 7 } });
  expect(parseRequest({}, good)).toEqual({ params: undefined, query: undefined, body: undefined });
});

describe('every offending member of every part is named', () => {
  test('in one answer', () => {
    const body = { name: 1, tags: ['x', 2, null], deep: { n: 1.5, unknown: 1 }, 'odd/name': 1 };
    expect(
      problemsOf(schemas, { params: { id: 'too long' }, query: { limit: 'x', limt: '1' }, body }),
    ).toEqual([
      expect.objectContaining({ path: 'path.id' }),
      expect.objectContaining({ path: 'query.limit' }),
      { path: 'query.limt', message: 'is not a known parameter', code: 'unknown_member' },
      expect.objectContaining({ path: '/name' }),
      expect.objectContaining({ path: '/tags/1' }),
      expect.objectContaining({ path: '/tags/2' }),
      expect.objectContaining({ path: '/deep/n' }),
      { path: '/deep/unknown', message: 'is not a known member', code: 'unknown_member' },
      { path: '/odd~1name', message: 'is not a known member', code: 'unknown_member' },
    ]);
  });

  test.each([[[]], ['text'], [null], [1]])('a body that is %j as a whole has the empty path', (body) => {
    expect(problemsOf(schemas, { ...good, body })).toEqual([expect.objectContaining({ path: '' })]);
  });

  test('parameters that cannot be stored, repeated ones and names among them', () => {
    const query = { a: ['x', 'y\0'], 'b\0': 'x', c: '\ud800' };
    expect(problemsOf({ query: z.looseObject({}) }, { ...good, query, params: { id: '\0' } })).toEqual([
      expect.objectContaining({ path: 'path.id', code: 'invalid_text' }),
      expect.objectContaining({ path: 'query.a' }),
      expect.objectContaining({ path: 'query.b\0' }),
      expect.objectContaining({ path: 'query.c' }),
    ]);
  });

  test('a hundred at most', () => {
    const tags = Array.from({ length: 5_000 }, () => 1);
    expect(problemsOf(schemas, { ...good, body: { name: 'a', tags } })).toHaveLength(100);
  });
});
