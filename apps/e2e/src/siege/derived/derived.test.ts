// Every endpoint with a request body is attacked, or listed with a reason.
import { describe, expect, test } from '@jest/globals';
import { SERVICES } from '@parley/dev/stack';
import type { Components, Schema } from '../../fuzz/schema-arbitrary.ts';
import { bodyOperations, derivedAttacks, describeBody, hostileBodies, NOT_ATTACKED } from './derived.ts';
import { listHostileValues } from './hostile.ts';
import { buildMinimalBody, listPlaces } from './places.ts';

/** Whether the schema allows only known names and booleans. */
function isOfChoices(schema: Schema, components: Components): boolean {
  const { $ref, enum: choices, type, const: constant, properties } = schema;
  if ($ref !== undefined) return isOfChoices(components[$ref.split('/').at(-1)!]!, components);
  const either = schema.anyOf ?? schema.oneOf;
  if (either) return either.every((one) => isOfChoices(one, components));
  if (choices !== undefined || constant !== undefined) return true;
  if ([type].flat().every((one) => one === 'boolean' || one === 'null')) return true;
  return properties !== undefined && Object.values(properties).every((one) => isOfChoices(one, components));
}

const all = SERVICES.flatMap((service) => bodyOperations(service));

test('every endpoint with a body is attacked or listed with a reason, and nothing else is listed', () => {
  const attacked = SERVICES.flatMap((service) => derivedAttacks(service).map(({ name }) => name));
  const names = new Set(all.map(({ id }) => id));
  for (const { id } of all)
    expect([id, attacked.includes(`every member of ${id}`)]).toEqual([id, NOT_ATTACKED[id] === undefined]);
  expect(Object.keys(NOT_ATTACKED).filter((id) => !names.has(id))).toEqual([]);
});

test.each(all.filter(({ id }) => NOT_ATTACKED[id] === undefined))(
  '$service: $id has attacks for each of its members',
  (operation) => {
    const { properties = {} } = operation.body!.$ref
      ? (operation.components[operation.body!.$ref.split('/').at(-1)!] ?? {})
      : operation.body!;
    const places = listPlaces(describeBody(operation));
    const components = operation.components;
    for (const [name, schema] of Object.entries(properties))
      if (!isOfChoices(schema, components))
        expect([name, places.some(({ path }) => path.startsWith(`/${name}`))]).toEqual([name, true]);
    const bodies = [...hostileBodies(operation)];
    if (places.length > 0) expect(bodies.length).toBeGreaterThan(0);
    for (const { body } of bodies) expect(JSON.stringify(body).length).toBeLessThan(2 * 1024 * 1024);
  },
);

describe('the hostile bodies of a place', () => {
  const body = {
    type: 'object',
    required: ['a'],
    properties: {
      a: { type: 'string', maxLength: 100 },
      pattern: { type: 'string' },
      list: {
        type: 'array',
        maxItems: 5_000,
        items: { type: 'object', properties: { n: { type: 'integer' } } },
      },
      free: {},
    },
    additionalProperties: false,
  } as const;
  const places = listPlaces({ body, components: {} });
  const at = (path: string) => places.find((place) => place.path === path)!;

  test('cover every member, also inside lists, and the rest of the body is valid', () => {
    expect(places.map(({ kind, path }) => `${kind} ${path}`)).toEqual([
      'text /a',
      'text /pattern',
      'array /list',
      'json /list/-',
      'number /list/-/n',
      'json /free',
    ]);
    expect(buildMinimalBody({ body, components: {} })).toEqual({ a: 'siege' });
    expect(at('/list/-/n').body(7)).toEqual({ a: 'siege', list: [{ n: 7 }] });
  });

  test('are as long as allowed and longer, deep, and costly for a pattern', () => {
    const lengths = listHostileValues(at('/a')).map(({ value }) => (value as string).length);
    expect(lengths).toContain(100);
    expect(Math.max(...lengths)).toBeGreaterThan(200_000);
    expect(listHostileValues(at('/pattern')).map(({ value }) => value)).toContain('(?:a?){999}');
    expect(listHostileValues(at('/list')).map(({ value }) => (value as unknown[]).length)).toContain(5_000);
    expect(listHostileValues(at('/free')).map(({ how }) => how)).toEqual(['size', 'depth', 'cost']);
  });
});
