// Requests to an operation as fast-check arbitraries: valid ones, and mutations of them. A request
// is plain data, so that it can be printed and repeated.
import fc from 'fast-check';
import type { Operation, Parameter } from './operations.ts';
import { toArbitrary } from './schema-arbitrary.ts';

export const CREDENTIALS = [
  'admin',
  'read',
  'write',
  'delete',
  'identity',
  'other_organization',
  'other_product',
  'garbage',
  'none',
] as const;
export type Credential = (typeof CREDENTIALS)[number];

export interface FuzzRequest {
  readonly operation: Operation;
  readonly credential: Credential;
  /** A number selects one of the known ids when the request is sent; or a literal text. */
  readonly path: Readonly<Record<string, number | string>>;
  readonly query: readonly (readonly [string, string])[];
  readonly headers: Readonly<Record<string, string>>;
  /** The body's text; undefined for no body. */
  readonly body: string | undefined;
}

/** Values that have broken other programs. */
const HOSTILE: readonly unknown[] = [
  null,
  '',
  ' ',
  '\u0000',
  '\ud800',
  '__proto__',
  'constructor',
  "'; DROP TABLE flows; --",
  '../../etc/passwd',
  '%00',
  '{{ __proto__ }}',
  '\u202e\u0007',
  '𝒳'.repeat(300),
  'x'.repeat(70_000),
  -1,
  0,
  2 ** 31,
  2 ** 53,
  1e308,
  -0,
  0.1,
  true,
  [],
  {},
  [[[[[[]]]]]],
  { __proto__: { admin: true }, constructor: 1 },
  '(a+)+$',
  '9999-12-31T23:59:59.999Z',
  '-000001-01-01T00:00:00Z',
  'NaN',
  'Infinity',
];
const hostile = fc.constantFrom(...HOSTILE);
/**
 * Values for URLs: an empty part names another path, and Node refuses more than 16 KiB
 * (docs/platform.md#limits).
 */
const hostileInUrl = hostile.map(toText).filter((text) => text !== '' && text.length < 2_000);

/** Bodies that are invalid JSON. */
const BROKEN_BODIES = [
  '{',
  '[1,]',
  '{"a":1}{"b":2}',
  'null',
  '"text"',
  '[]',
  '12',
  '\ufeff{}',
  '{"a":"\\ud800"}',
  `${'['.repeat(80)}${']'.repeat(80)}`,
];

export function createRequests(operation: Operation): fc.Arbitrary<FuzzRequest> {
  const valid = fc.record({
    operation: fc.constant(operation),
    credential: createCredentials(operation),
    path: createPaths(operation),
    query: createQueries(operation),
    headers: createHeaders(operation),
    body: createBodies(operation),
  });
  return fc.oneof(
    { weight: 3, arbitrary: valid },
    {
      weight: 4,
      arbitrary: fc.tuple(valid, createMutations(operation)).map(([request, mutate]) => mutate(request)),
    },
  );
}

function createCredentials(operation: Operation): fc.Arbitrary<Credential> {
  if (!operation.bearer) return fc.constantFrom('none', 'admin');
  return fc.oneof(
    { weight: 8, arbitrary: fc.constant<Credential>('admin') },
    { weight: 4, arbitrary: fc.constantFrom(...CREDENTIALS) },
  );
}

function createPaths({ parameters, components }: Operation): fc.Arbitrary<Record<string, number | string>> {
  const members = parameters
    .filter((parameter) => parameter.in === 'path')
    .map(({ name, schema }) => [
      name,
      fc.oneof(
        { weight: 5, arbitrary: fc.nat({ max: 1_000 }) },
        { weight: 1, arbitrary: toArbitrary(schema, components).map((value) => pathText(String(value))) },
      ),
    ]);
  return fc.record(Object.fromEntries(members) as Record<string, fc.Arbitrary<number | string>>);
}

function createQueries({ parameters, components }: Operation): fc.Arbitrary<[string, string][]> {
  const given = parameters
    .filter((parameter) => parameter.in === 'query')
    .map((parameter) => optional(parameter, toArbitrary(parameter.schema, components)));
  return fc.tuple(...given).map((pairs) => pairs.filter((pair) => pair !== null));
}

function optional(
  { name, required }: Parameter,
  value: fc.Arbitrary<unknown>,
): fc.Arbitrary<[string, string] | null> {
  const pair = value.map((given): [string, string] => [name, String(given)]);
  return required
    ? pair
    : fc.oneof({ weight: 2, arbitrary: fc.constant(null) }, { weight: 1, arbitrary: pair });
}

/** Escapes a text so that it stays one part of the path: URLs drop empty parts and resolve dots. */
function pathText(text: string): string {
  return /^\.{0,2}$/.test(text) ? 'dots' : text;
}

function createHeaders({ method, body }: Operation): fc.Arbitrary<Record<string, string>> {
  const type: Record<string, string> = body ? { 'content-type': 'application/json' } : {};
  if (method !== 'POST') return fc.constant(type);
  const keys = fc.constantFrom<Record<string, string>>(
    {},
    {},
    { 'idempotency-key': 'k1' },
    { 'idempotency-key': 'k2' },
  );
  return keys.map((key) => ({ ...type, ...key }));
}

function createBodies({ body, components }: Operation): fc.Arbitrary<string | undefined> {
  if (body === null) return fc.constant(undefined);
  return toArbitrary(body, components).map((value) => JSON.stringify(value));
}

type Mutation = (request: FuzzRequest) => FuzzRequest;

function createMutations({ body }: Operation): fc.Arbitrary<Mutation> {
  const queries = fc
    .tuple(fc.constantFrom('limit', 'cursor', 'q', 'user_id', 'organization_id', 'from', 'x'), hostileInUrl)
    .map(([name, value]): Mutation => (request) => ({
      ...request,
      query: [...request.query, [name, value]],
    }));
  const paths = hostileInUrl.map((value): Mutation => (request) => ({
    ...request,
    path: Object.fromEntries(Object.keys(request.path).map((name) => [name, value])),
  }));
  const headers = fc
    .constantFrom<Record<string, string>>(
      { 'content-type': 'text/plain' },
      { 'content-encoding': 'gzip' },
      { 'idempotency-key': 'x'.repeat(300) },
      { 'if-match': '"1"' },
      { 'if-match': 'nonsense' },
      { accept: 'text/vtt' },
      { 'x-request-id': '../..' },
      { 'last-event-id': 'x' },
      { traceparent: '00-zz' },
    )
    .map((more): Mutation => (request) => ({ ...request, headers: { ...request.headers, ...more } }));
  if (body === null) return fc.oneof(queries, paths, headers);
  const broken = fc
    .constantFrom(...BROKEN_BODIES)
    .map((text): Mutation => (request) => ({ ...request, body: text }));
  const places = fc
    .tuple(fc.nat({ max: 40 }), hostile, fc.constantFrom('replace', 'remove', 'add'))
    .map(([place, value, how]): Mutation => (request) => ({
      ...request,
      body: changeBody(request.body, place, value, how),
    }));
  return fc.oneof(
    { weight: 1, arbitrary: queries },
    { weight: 1, arbitrary: paths },
    { weight: 1, arbitrary: headers },
    { weight: 1, arbitrary: broken },
    { weight: 6, arbitrary: places },
  );
}

function toText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** Replaces, removes or adds one place of the body; places are counted through the whole value. */
function changeBody(
  body: string | undefined,
  place: number,
  value: unknown,
  how: string,
): string | undefined {
  if (body === undefined) return body;
  const whole = { root: JSON.parse(body) as unknown };
  const places: { holder: Record<string, unknown>; name: string }[] = [];
  const visit = (holder: Record<string, unknown>): void => {
    for (const name of Object.keys(holder)) {
      places.push({ holder, name });
      const inner = holder[name];
      if (typeof inner === 'object' && inner !== null) visit(inner as Record<string, unknown>);
    }
  };
  visit(whole);
  const { holder, name } = places[place % places.length]!;
  if (how === 'replace') holder[name] = value;
  else if (how === 'remove') delete holder[name];
  else holder[`${name}_more`] = value;
  return JSON.stringify(whole.root);
}
