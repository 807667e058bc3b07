// Starts a small API for tests, in any dialect, with every kind of endpoint.
import { afterAll } from '@jest/globals';
import { z } from 'zod';
import { AppError, type Dialect } from '@parley/envelopes';
import {
  createHttpApp,
  creates,
  createsAlone,
  del,
  get,
  listen,
  post,
  put,
  Reply,
  type Authenticator,
  type Endpoint,
  type EndpointTransaction,
  type HttpAppOptions,
  type Listening,
  type Scope,
} from '../src/index.ts';
import { createMetrics, type Metrics } from '@parley/metrics';
import { createPool, sqlOf, type Sql } from '@parley/server/postgres';
import {
  createLog,
  createSealer,
  createSecrets,
  Secret,
  type Log,
  type Sealer,
} from '@parley/server/runtime';
import type { DestinationStream } from 'pino';

/** Part of an error, a request and a stack: the log may hold it, an answer never. */
export const INTERNAL = 'internal-detail-5e1f';

/**
 * `Bearer <organisation>:<scope>,<scope>`, `@<sub>` for an end user, `+<bot>` for a bound key:
 * replaces libs/auth.
 */
const authenticate: Authenticator['authenticate'] = async (request) => {
  const [, organizationId, scopes, endUser, botId] =
    /^Bearer (\w+):([\w,]*)(?:@(\w+))?(?:\+(\w+))?$/.exec(request.headers.authorization ?? '') ?? [];
  if (!organizationId) {
    throw new AppError('unauthorized', 'a valid credential is needed', {
      headers: { 'www-authenticate': 'Bearer' },
    });
  }
  return {
    organizationId,
    ...(endUser === undefined
      ? { kind: 'api_key', principal: 'key_1' }
      : { kind: 'identity', principal: endUser, subject: endUser, endUser }),
    ...(botId === undefined ? {} : { botIds: [botId] }),
    scopes: new Set(scopes!.split(',') as Scope[]),
  };
};

const note = z.strictObject({ id: z.string(), text: z.string() });
const noteParams = z.strictObject({ note_id: z.string().max(64) });
const refusal = { operationId: 'never', summary: 'x', scope: 'read' as const, replies: { 200: z.unknown() } };

/** The effect of a creating POST: see idempotency.int.test.ts. */
export type Create = (text: string, within: EndpointTransaction) => Promise<void>;
/** Prepared before the transaction of a note. */
export type Prepare = (text: string) => Promise<string>;

export function tinyEndpoints(create: Create, prepare: Prepare, log: Log): Endpoint[] {
  const away = createPool({
    url: new Secret(`postgresql://postgres:${INTERNAL}@127.0.0.1:1/x`),
    applicationName: 'away',
    connectionsMax: 1,
    log,
  });
  return [
    get(
      '/notes',
      {
        operationId: 'listNotes',
        summary: 'List notes',
        scope: 'read',
        query: z.strictObject({
          limit: z.coerce.number().int().min(1).max(100).default(20),
          tag: z.string().optional(),
        }),
        replies: { 200: z.strictObject({ limit: z.number(), tag: z.string().nullable() }) },
      },
      ({ query }) => ({ limit: query.limit, tag: query.tag ?? null }),
    ),
    creates(
      '/notes',
      {
        operationId: 'createNote',
        summary: 'Create a note',
        scope: 'write',
        body: z.strictObject({
          text: z.string().min(1),
          labels: z
            .array(z.strictObject({ name: z.string(), weight: z.int() }))
            .max(100)
            .default([]),
          meta: z.record(z.string(), z.unknown()).default({}),
        }),
        sends: ['Location'],
        replies: { 201: note },
        refusals: ['conflict'],
      },
      async ({ body, transaction }) => {
        await create(body.text, transaction);
        return new Reply({ id: 'note_1', text: body.text }, { headers: { location: '/v1/notes/note_1' } });
      },
    ),
    creates(
      '/prepared-notes',
      {
        operationId: 'createPreparedNote',
        summary: 'Create a note of a text that is worked out before the transaction',
        scope: 'write',
        body: z.strictObject({ text: z.string() }),
        replies: { 201: note },
        refusals: ['conflict'],
        prepare: ({ body }) => prepare(body.text),
      },
      async ({ prepared, transaction }) => {
        await create(prepared, transaction);
        return { id: 'note_1', text: prepared };
      },
    ),
    createsAlone(
      '/lone-notes',
      {
        operationId: 'createLoneNote',
        summary: 'Create a note with one statement',
        scope: 'write',
        body: z.strictObject({ text: z.string() }),
        replies: { 201: z.strictObject({ in_transaction: z.boolean() }) },
      },
      async ({ body, transaction, charge }) => {
        await charge(body.text.length);
        return { in_transaction: transaction !== undefined };
      },
    ),
    creates(
      '/own-notes',
      {
        operationId: 'createOwnNote',
        summary: 'Create a note of a person’s own, whose text is a secret for as long as it is kept',
        scope: 'write',
        endUsers: true,
        boundKeys: true,
        body: z.strictObject({ text: z.string() }),
        replies: { 201: z.strictObject({ text: z.string(), owner: z.string() }) },
        secretInForce: async (sql, _caller, shown: { text: string }) =>
          (await sql('SELECT 1 FROM notes WHERE text = $1', [shown.text])).length > 0,
      },
      async ({ body, caller, transaction }) => {
        await create(body.text, transaction);
        return { text: body.text, owner: caller.principal };
      },
    ),
    get(
      '/notes/{note_id}',
      {
        operationId: 'getNote',
        summary: 'One note',
        scope: 'read',
        params: noteParams,
        replies: { 200: note },
      },
      ({ params }) => {
        if (params.note_id === 'missing') throw new AppError('not_found', 'there is no note "missing"');
        return { id: params.note_id, text: 'x' };
      },
    ),
    del(
      '/notes/{note_id}',
      {
        operationId: 'deleteNote',
        summary: 'Delete',
        scope: 'delete',
        params: noteParams,
        replies: { 204: null },
      },
      () => undefined,
    ),
    put(
      '/echo',
      {
        operationId: 'echo',
        summary: 'Answers what it got: a free-form object',
        scope: 'write',
        body: z.looseObject({ text: z.string().optional() }),
        replies: { 200: z.unknown() },
      },
      ({ body }) => body,
    ),
    get(
      '/document',
      {
        operationId: 'document',
        summary: 'A text that is not JSON',
        scope: 'read',
        query: z.strictObject({ as: z.string().default('text/csv; charset=utf-8') }),
        replies: { 200: z.string() },
        produces: ['text/csv'],
      },
      ({ query }) => new Reply('a,"b"\n', { headers: { 'content-type': query.as } }),
    ),
    post('/bug', { ...refusal, operationId: 'bug' }, () => {
      throw new Error(`${INTERNAL} is undefined`);
    }),
    get('/undeclared', { ...refusal, operationId: 'undeclared' }, () => new Reply({}, { status: 202 })),
    get('/unsaid', { ...refusal, operationId: 'unsaid' }, () => new Reply({}, { headers: { etag: '"1"' } })),
    get('/unheard', { ...refusal, operationId: 'unheard' }, ({ header }) => ({ tag: header('if-match') })),
    get('/mistyped', { ...refusal, operationId: 'mistyped', replies: { 200: note } }, () => ({
      id: INTERNAL,
      text: 42,
    })),
    get('/away', { ...refusal, operationId: 'away' }, () => sqlOf(away)('SELECT 1')),
  ];
}

export interface TinyApi {
  readonly app: ReturnType<typeof createHttpApp>;
  readonly server: Listening;
  readonly url: string;
  readonly metrics: Metrics;
  readonly endpoints: Endpoint[];
}

const servers: Listening[] = [];
afterAll(() => Promise.all(servers.map((server) => server.close())));

export async function tinyApi(
  dialect: Dialect,
  destination: DestinationStream,
  options: { create?: Create; prepare?: Prepare; sealer?: Sealer } & Partial<HttpAppOptions> = {},
): Promise<TinyApi> {
  const { create = async () => undefined, prepare = async (text) => text, ...overrides } = options;
  const metrics = createMetrics('tiny');
  const log = createLog({ service: 'tiny', level: 'info', destination });
  const endpoints = tinyEndpoints(create, prepare, log);
  const app = createHttpApp({
    info: { title: 'Tiny', version: '1.0.0', description: 'x' },
    dialect,
    faces: [
      { face: 'v1', base: '/v1', endpoints },
      { face: 'product', base: '/product/v1', endpoints },
    ],
    clock: Date.now,
    log,
    metrics,
    authenticator: { peek: () => undefined, authenticate },
    transact: (work) => work(noSql),
    sealer: await testSealer(),
    checkReplies: true,
    corsOrigins: [],
    trustProxy: 0,
    health: async () => ({ status: 'ok', store: { ready: true } }),
    ready: async () => true,
    ...overrides,
  });
  const server = await listen(app, { host: '127.0.0.1', port: 0 });
  servers.push(server);
  return { app, server, url: server.url, metrics, endpoints };
}

/** For tests without a database. */
const noSql: Sql = () => Promise.reject(new Error('this test has no database'));

export function testSealer(): Promise<Sealer> {
  const env = { KEYS: `k1:${Buffer.alloc(32, 7).toString('base64')}` };
  return createSealer(createSecrets({ env, clock: Date.now }), 'env://KEYS');
}
