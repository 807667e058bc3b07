// The endpoints of key management end to end: HTTP, authentication and a real database.
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type pg from 'pg';
import supertest from 'supertest';
import { issueApiKey, keyEndpoints, revokeApiKey } from '../src/index.ts';
import { flowBuilderDialect, notificationsDialect, voiceApiDialect, type Dialect } from '@parley/envelopes';
import { createHttpApp, listen, type Listening } from '@parley/server/http';
import { createMetrics } from '@parley/metrics';
import { createPool, inTransaction, sqlOf, type Sql } from '@parley/server/postgres';
import { createIds, createLog, createSealer, createSecrets, Secret } from '@parley/server/runtime';
import { capturedLog, createTestDatabase, eventually } from '@parley/testing';
import { replica, type Replica } from './replica.ts';

const captured = capturedLog();
const log = createLog({ service: 'test', level: 'info', destination: captured });
let database: Awaited<ReturnType<typeof createTestDatabase>>;
let pool: pg.Pool;
let sql: Sql;
let offsetMs = 0;
const clock = () => Date.now() + offsetMs;
const ids = createIds(clock);
const replicas: Replica[] = [];
const servers: Listening[] = [];
/** Every secret that an answer has shown: neither the database nor the log may hold one. */
const shown: string[] = [];

/** The limits of a plan are tested in the services. */
const refuseTooMany = async () => undefined;

beforeAll(async () => {
  database = await createTestDatabase('flow-builder');
  pool = createPool({ url: new Secret(database.url), applicationName: 'app', connectionsMax: 10, log });
  sql = sqlOf(pool);
});
afterAll(async () => {
  await Promise.all(servers.map((server) => server.close()));
  await Promise.all(replicas.map((one) => one.close()));
  await pool.end();
  await database.drop();
});

/** Listens with the endpoints in this dialect; returns the address. */
async function addressOf(dialect: Dialect) {
  const keys = { KEYS: `k1:${Buffer.alloc(32, 7).toString('base64')}` };
  const one = replica({ url: database.url, pool, captured }, { clock });
  replicas.push(one);
  const app = createHttpApp({
    info: { title: 'Keys', version: '1.0.0', description: 'x' },
    dialect,
    faces: [
      {
        face: 'v1',
        base: '/v1',
        endpoints: keyEndpoints({
          product: 'fb',
          environment: 'live',
          dialect,
          sql,
          transact: (work) => inTransaction(pool, work),
          clock,
          ids,
          refuseTooMany,
        }),
      },
    ],
    clock,
    log,
    metrics: createMetrics('test'),
    authenticator: one.authenticator,
    transact: (work) => inTransaction(pool, work),
    sealer: await createSealer(createSecrets({ env: keys, clock }), 'env://KEYS'),
    checkReplies: true,
    corsOrigins: [],
    trustProxy: 0,
    health: async () => ({}),
    ready: async () => true,
  });
  const server = await listen(app, { host: '127.0.0.1', port: 0 });
  servers.push(server);
  return server.url;
}

const address = (() => {
  let made: ReturnType<typeof addressOf> | undefined;
  return () => (made ??= addressOf(flowBuilderDialect));
})();

/** An organisation with its first key, as the CLI creates it. */
async function organization(
  name: string,
  scopes: ('read' | 'write' | 'delete' | 'admin')[] = ['admin'],
  botIds: string[] = [],
) {
  const { key, record } = await issueApiKey(sql, {
    product: 'fb',
    environment: 'live',
    organizationId: name,
    name: 'first',
    scopes,
    botIds,
    createdBy: 'cli',
    nowMs: clock(),
    id: ids('key'),
  });
  shown.push(key);
  return { name, key, id: record.id };
}

type Body = Record<string, unknown> & { key: string; id: string; items: Body[]; next_cursor: string | null };
type Answer = { status: number; body: Body; headers: Record<string, string>; text: string };

async function call(
  method: 'get' | 'post' | 'put' | 'delete',
  path: string,
  key: string,
  body?: object,
  headers: object = {},
) {
  const request = supertest(await address())
    [method](`/v1/api-keys${path}`)
    .set({ authorization: `Bearer ${key}`, ...headers });
  const answer = (await (body ? request.send(body) : request)) as unknown as Answer;
  if (typeof answer.body?.key === 'string') shown.push(answer.body.key);
  return answer;
}
const seconds = () => clock() / 1_000;

describe('POST /v1/api-keys', () => {
  test('issues a key that works immediately, shown only this once', async () => {
    const acme = await organization('acme');
    const issued = await call('post', '', acme.key, { name: '  ci ', scopes: ['write', 'read', 'read'] });
    expect(issued.status).toBe(201);
    expect(issued.body).toEqual({
      id: expect.stringMatching(/^key_[0-9a-z]{26}$/),
      external_id: null,
      name: 'ci',
      key: expect.stringMatching(/^fb_live_[0-9A-Za-z]{38}$/),
      display: `${issued.body.key.slice(0, 12)}…`,
      scopes: ['read', 'write'],
      allowed_ips: [],
      created_at: expect.closeTo(seconds(), -1),
      created_by: acme.id,
      expires_at: null,
      last_used_at: null,
      rotated_to: null,
    });
    // it authenticates; it is not admin
    expect((await call('get', '', issued.body.key)).status).toBe(403);
    const listed = await call('get', '', acme.key);
    expect(listed.text).not.toContain(issued.body.key);
    expect(listed.body.items[0]).toMatchObject({ id: issued.body.id, display: issued.body['display'] });
    expect(listed.body.items[0]).not.toHaveProperty('key');
  });

  test('with an end: refused from then on', async () => {
    const acme = await organization('ends');
    const expiresAt = Math.floor(seconds()) + 3_600;
    const issued = await call('post', '', acme.key, { name: 'x', scopes: ['admin'], expires_at: expiresAt });
    expect(issued.body['expires_at']).toBe(expiresAt);
    expect((await call('get', '/me', issued.body.key)).status).toBe(200);
    offsetMs = 3_600_000;
    expect((await call('get', '/me', issued.body.key)).status).toBe(401);
    offsetMs = 0;
  });

  test('with addresses: refused from everywhere else, and so is its successor', async () => {
    const acme = await organization('addressed');
    const scopes = ['admin'];
    const allowed_ips = ['203.0.113.0/24'];
    const elsewhere = await call('post', '', acme.key, { name: 'x', scopes, allowed_ips });
    expect(elsewhere.body['allowed_ips']).toEqual(allowed_ips);
    expect((await call('get', '/me', elsewhere.body.key)).status).toBe(401);
    const here = await call('post', '', acme.key, { name: 'x', scopes, allowed_ips: ['127.0.0.1', '::1'] });
    expect((await call('get', '/me', here.body.key)).body['allowed_ips']).toEqual(['127.0.0.1', '::1']);
    const next = await call('post', `/${elsewhere.body.id}/rotate`, acme.key, {});
    expect(next.body['allowed_ips']).toEqual(allowed_ips);
    expect((await call('get', '/me', next.body.key)).status).toBe(401);
  });

  test('a key bound to bots can call nothing in a service without bots', async () => {
    const bound = await organization('bound', ['admin'], ['bot_1']);
    for (const path of ['', '/me']) {
      const refused = await call('get', path, bound.key);
      expect([refused.status, refused.body['code']]).toEqual([403, 'not_for_bound_keys']);
    }
  });

  test.each<[string, object, string[]]>([
    ['nothing', {}, ['/name', '/scopes']],
    ['a blank name, no scope', { name: ' ', scopes: [] }, ['/name', '/scopes']],
    ['an unknown scope', { name: 'x', scopes: ['read', 'root'] }, ['/scopes/1']],
    ['an end in the past', { name: 'x', scopes: ['read'], expires_at: 1 }, ['/expires_at']],
    ['an unknown member', { name: 'x', scopes: ['read'], key: 'mine' }, ['/key']],
    [
      'a place that is none',
      { name: 'x', scopes: ['read'], allowed_ips: ['::1', '10/8'] },
      ['/allowed_ips/1'],
    ],
    ['bots, in a service that has none', { name: 'x', scopes: ['read'], bot_ids: ['b'] }, ['/bot_ids']],
    ['a name that is too long', { name: 'x'.repeat(256), scopes: ['read'] }, ['/name']],
  ])('400: %s', async (_what, body, paths) => {
    const acme = await organization('invalid');
    const refused = await call('post', '', acme.key, body);
    expect(refused.status).toBe(400);
    expect((refused.body['errors'] as { path: string }[]).map(({ path }) => path)).toEqual(paths);
  });

  test('with an Idempotency-Key: one key, and the same answer again', async () => {
    const acme = await organization('idempotent');
    const send = () =>
      call('post', '', acme.key, { name: 'x', scopes: ['read'] }, { 'idempotency-key': 'once' });
    const [first, again] = [await send(), await send()];
    expect(again.headers['idempotent-replayed']).toBe('true');
    expect(again.body).toEqual(first.body);
    expect((await call('get', '', acme.key)).body.items).toHaveLength(2);
  });
});

describe('the same Idempotency-Key after the key that it showed', () => {
  const replayed = async (name: string, end: (made: Body, admin: string) => Promise<unknown>) => {
    const acme = await organization(name);
    const send = () =>
      call('post', '', acme.key, { name: 'x', scopes: ['read'] }, { 'idempotency-key': 'shown' });
    const made = (await send()).body;
    await end(made, acme.key);
    const again = await send();
    expect([again.status, again.body['code']]).toEqual([409, 'idempotency_secret_gone']);
    expect(again.text).not.toContain(made.key);
  };

  test('was revoked', () => replayed('shown-revoked', ({ id }, admin) => call('delete', `/${id}`, admin)));

  test('was rotated, its grace not over', () =>
    replayed('shown-rotated', ({ id }, admin) =>
      call('post', `/${id}/rotate`, admin, { grace_seconds: 600 }),
    ));
});

describe('the last admin key', () => {
  const lastRefused = async (answer: Promise<Answer>) => {
    const { status, body } = await answer;
    expect([status, body['code']]).toEqual([409, 'last_admin_key']);
  };

  test('stays, whoever asks; others can be revoked, and it can once there is another one', async () => {
    const acme = await organization('last');
    const reader = (await call('post', '', acme.key, { name: 'r', scopes: ['read'] })).body;
    const expires_at = Math.floor(seconds()) + 60;
    await call('post', '', acme.key, { name: 'ends', scopes: ['admin'], expires_at });
    offsetMs = 61_000; // the other admin key has expired
    await lastRefused(call('delete', `/${acme.id}`, acme.key));
    expect((await call('delete', `/${reader.id}`, acme.key)).status).toBe(200);
    offsetMs = 0;
    const other = (await call('post', '', acme.key, { name: 'a', scopes: ['admin'] })).body;
    expect((await call('delete', `/${acme.id}`, acme.key)).status).toBe(200);
    const ending = (await call('get', '', other.key)).body.items.find(({ id }) => id !== other.id)!;
    expect((await call('delete', `/${ending.id}`, other.key)).status).toBe(200);
    await lastRefused(call('delete', `/${other.id}`, other.key));
  });

  test('survives a rotation, and its successor stays too', async () => {
    const acme = await organization('last-rotated');
    const rotated = (await call('post', `/${acme.id}/rotate`, acme.key, { grace_seconds: 600 })).body;
    await lastRefused(call('delete', `/${rotated.id}`, acme.key));
    expect((await call('delete', `/${acme.id}`, rotated.key)).status).toBe(200);
  });

  test('is one of two keys that revoke each other at the same time', async () => {
    for (let round = 0; round < 10; round += 1) {
      const acme = await organization(`last-race-${round}`);
      const keys = [{ id: acme.id, key: acme.key }];
      for (const name of ['b', 'c', 'd'])
        keys.push((await call('post', '', acme.key, { name, scopes: ['admin'] })).body);
      const revoking = keys.map(({ id }) =>
        revokeApiKey(sql, acme.name, id, clock(), 'organization').then(
          () => 'revoked',
          (error: { code: string }) => error.code,
        ),
      );
      expect((await Promise.all(revoking)).sort()).toEqual([
        'last_admin_key',
        'revoked',
        'revoked',
        'revoked',
      ]);
    }
  });
});

describe('who may', () => {
  test('nobody without `admin`', async () => {
    const { key, id } = await organization('scopes', ['read', 'write', 'delete']);
    const refusals = [
      await call('post', '', key, { name: 'x', scopes: ['read'] }),
      await call('get', '', key),
      await call('get', '/me', key),
      await call('delete', `/${id}`, key),
      await call('post', `/${id}/rotate`, key),
    ];
    // each may ask which key it is
    expect(refusals.map(({ status }) => status)).toEqual([403, 403, 200, 403, 403]);
    expect((await supertest(await address()).get('/v1/api-keys')).status).toBe(401);
  });

  test('nobody in another organisation: its keys are invisible', async () => {
    const [mine, theirs] = [await organization('mine'), await organization('theirs')];
    expect((await call('delete', `/${theirs.id}`, mine.key)).status).toBe(404);
    expect((await call('post', `/${theirs.id}/rotate`, mine.key)).status).toBe(404);
    const listed = (await call('get', '', mine.key)).body.items.map(({ id }) => id);
    expect(listed).toEqual([mine.id]);
    expect((await call('get', '/me', theirs.key)).status).toBe(200); // unchanged
  });
});

describe('GET /v1/api-keys', () => {
  test('pages through all keys, newest first, stable while keys are added', async () => {
    const acme = await organization('paging');
    const made = [acme.id];
    for (let count = 0; count < 6; count += 1) {
      made.push((await call('post', '', acme.key, { name: `${count}`, scopes: ['read'] })).body.id);
    }
    const seen: string[] = [];
    let cursor: string | null = null;
    do {
      const page: Answer = await call(
        'get',
        `?limit=3${cursor === null ? '' : `&cursor=${cursor}`}`,
        acme.key,
      );
      seen.push(...page.body.items.map(({ id }) => id));
      expect(page.body.items.length).toBeLessThanOrEqual(3);
      cursor = page.body.next_cursor;
      if (seen.length === 3) await call('post', '', acme.key, { name: 'meanwhile', scopes: ['read'] });
    } while (cursor !== null);
    expect(seen).toEqual(made.reverse());
  });

  test.each(['?limit=0', '?limit=101', '?cursor=nonsense', '?offset=3'])('400: %s', async (query) => {
    const acme = await organization('bad-page');
    expect((await call('get', query, acme.key)).status).toBe(400);
  });
});

test('GET /v1/api-keys/me returns the key of the request, with its last use once that is written', async () => {
  const acme = await organization('me');
  expect((await call('get', '/me', acme.key)).body).toMatchObject({
    id: acme.id,
    name: 'first',
    last_used_at: null,
  });
  for (const one of replicas) await one.flush();
  expect((await call('get', '/me', acme.key)).body).toMatchObject({
    last_used_at: expect.closeTo(seconds(), -1),
  });
});

test('DELETE /v1/api-keys/{id} revokes within a second, takes the key off the list, and is 404 the second time', async () => {
  const acme = await organization('revoking');
  const other = (await call('post', '', acme.key, { name: 'x', scopes: ['admin'] })).body;
  expect((await call('get', '/me', other.key)).status).toBe(200);
  const deleted = await call('delete', `/${other.id}`, acme.key);
  expect([deleted.status, deleted.body]).toEqual([200, { id: other.id, deleted: true }]);
  await eventually(async () => (await call('get', '/me', other.key)).status === 401, {
    timeoutMs: 1_000,
    intervalMs: 5,
  });
  expect((await call('get', '', acme.key)).body.items.map(({ id }) => id)).toEqual([acme.id]);
  expect((await call('delete', `/${other.id}`, acme.key)).status).toBe(404);
});

describe('PUT /v1/api-keys/{id}', () => {
  const body = { name: 'ci', scopes: ['write', 'read'], allowed_ips: ['127.0.0.0/8'] };

  test('creates once, shows the key once, and changes it in place', async () => {
    const acme = await organization('declaring');
    const put = (given: object) => call('put', '/ci', acme.key, given);
    const answers = await Promise.all([put(body), put(body), put(body)]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 201]);
    const created = answers.find(({ status }) => status === 201)!.body;
    const { key, ...shown } = created;
    expect(shown).toMatchObject({ external_id: 'ci', scopes: ['read', 'write'] });
    for (const answer of [await put(body), await call('get', '/ci', acme.key)])
      expect([answer.status, { ...answer.body, last_used_at: null }]).toEqual([200, shown]);

    expect((await put({ ...body, scopes: ['read', 'admin'] })).body).toMatchObject({
      id: created.id,
      scopes: ['read', 'admin'],
    });
    await eventually(async () => (await call('get', '', key)).status === 200);
    expect((await put({ ...body, expires_at: seconds() - 1 })).status).toBe(400);
    expect((await call('get', '', acme.key)).body.items.map(({ id }) => id)).toEqual([created.id, acme.id]);
    const audited = await sql(
      'SELECT action FROM audit_log WHERE organization_id = $1 AND target = $2 ORDER BY id',
      ['declaring', created.id],
    );
    expect(audited).toEqual([{ action: 'api_key.issued' }, { action: 'api_key.changed' }]);
  });

  test('its successor takes the id over, and a new key after a revocation', async () => {
    const acme = await organization('succeeding');
    const first = (await call('put', '/ci', acme.key, body)).body;
    const second = (await call('post', '/ci/rotate', acme.key, { grace_seconds: 60 })).body;
    expect(second['external_id']).toBe('ci');
    expect((await call('put', '/ci', acme.key, body)).body.id).toBe(second.id);
    expect((await call('put', `/${first.id}`, acme.key, { ...body, name: 'x' })).status).toBe(409);
    expect((await call('delete', '/ci', acme.key)).body.id).toBe(second.id);
    expect((await call('get', '/ci', acme.key)).status).toBe(404);
    const third = await call('put', '/ci', acme.key, body);
    expect([third.status, third.body.id === second.id]).toEqual([201, false]);
  });

  test('refuses ids that are ours, and to take admin from the last key', async () => {
    const acme = await organization('refusing');
    expect((await call('put', '/key_none', acme.key, body)).status).toBe(404);
    expect((await call('put', '/me', acme.key, body)).status).toBe(405);
    expect((await call('put', '/a%2Fb', acme.key, body)).status).toBe(400);
    expect((await call('put', `/${acme.id}`, acme.key, { name: 'first', scopes: ['read'] })).status).toBe(
      409,
    );
    const other = await organization('refusing-other');
    expect((await call('put', `/${acme.id}`, other.key, body)).status).toBe(404);
    expect((await call('put', `/${acme.id}`, acme.key, { name: 'renamed', scopes: ['admin'] })).status).toBe(
      200,
    );
  });
});

describe('POST /v1/api-keys/{id}/rotate', () => {
  test('issues an equal successor; the old key works until its grace is over', async () => {
    const acme = await organization('rotating');
    const rotated = await call('post', `/${acme.id}/rotate`, acme.key, { grace_seconds: 600 });
    expect(rotated.status).toBe(201);
    expect(rotated.body).toMatchObject({
      name: 'first',
      scopes: ['admin'],
      expires_at: null,
      rotated_to: null,
    });
    const old = (await call('get', '/me', acme.key)).body;
    expect(old).toMatchObject({
      id: acme.id,
      rotated_to: rotated.body.id,
      expires_at: expect.closeTo(seconds() + 600, -1),
    });
    expect((await call('get', '/me', rotated.body.key)).body.id).toBe(rotated.body.id);
    offsetMs = 601_000;
    expect((await call('get', '/me', acme.key)).status).toBe(401);
    expect((await call('get', '/me', rotated.body.key)).status).toBe(200);
    offsetMs = 0;
  });

  test('without a grace the old key ends immediately', async () => {
    const acme = await organization('rotating-now');
    const rotated = await call('post', `/${acme.id}/rotate`, acme.key);
    expect(rotated.status).toBe(201);
    await eventually(async () => (await call('get', '/me', acme.key)).status === 401, {
      timeoutMs: 1_000,
      intervalMs: 5,
    });
    expect((await call('get', '/me', rotated.body.key)).status).toBe(200);
  });

  test("a grace never extends a key, and its successor keeps the key's end", async () => {
    const acme = await organization('rotating-short');
    const expiresAt = Math.floor(seconds()) + 60;
    const short = (
      await call('post', '', acme.key, { name: 'short', scopes: ['admin'], expires_at: expiresAt })
    ).body;
    const rotated = await call('post', `/${short.id}/rotate`, acme.key, { grace_seconds: 3_600 });
    expect(rotated.body['expires_at']).toBe(expiresAt);
    expect((await call('get', '/me', short.key)).body['expires_at']).toBe(expiresAt);
  });

  test('a key is rotated once, also by concurrent requests', async () => {
    const acme = await organization('rotating-twice');
    const rotate = () => call('post', `/${acme.id}/rotate`, acme.key, { grace_seconds: 600 });
    const statuses = (await Promise.all([rotate(), rotate()])).map(({ status }) => status);
    expect(statuses.sort()).toEqual([201, 409]);
    expect((await call('get', '', acme.key)).body.items).toHaveLength(2);
  });

  test('an expired key is not revived', async () => {
    const acme = await organization('rotating-expired');
    const expires_at = Math.floor(seconds()) + 60;
    const short = (await call('post', '', acme.key, { name: 'x', scopes: ['read'], expires_at })).body;
    offsetMs = 61_000;
    const refused = await call('post', `/${short.id}/rotate`, acme.key, { grace_seconds: 60 });
    expect([refused.status, refused.body['code']]).toEqual([409, 'conflict']);
    offsetMs = 0;
  });

  test.each([
    { grace_seconds: -1 },
    { grace_seconds: 30 * 86_400 + 1 },
    { grace_seconds: 1.5 },
    { grace: 1 },
  ])('400: %j', async (body) => {
    const acme = await organization('rotating-invalid');
    expect((await call('post', `/${acme.id}/rotate`, acme.key, body)).status).toBe(400);
  });

  test('404: no such key', async () => {
    const acme = await organization('rotating-nothing');
    expect((await call('post', '/key_nothing/rotate', acme.key)).status).toBe(404);
  });
});

const body = (response: supertest.Response) => response.body as Record<string, unknown>;
const voice = (response: supertest.Response) => body(response)['data'] as Record<string, unknown>;

test.each([
  ['voice-api', voiceApiDialect],
  ['notifications', notificationsDialect],
])('in the dialect of %s', async (name, dialect) => {
  const acme = await organization(`dialect-${name}`);
  const request = supertest(await addressOf(dialect));
  const issued = await request
    .post('/v1/api-keys')
    .set('authorization', `Bearer ${acme.key}`)
    .send({ name: 'x', scopes: ['read'], expires_at: dialect.time(new Date(clock() + 60_000)) });
  const listed = await request.get('/v1/api-keys?limit=1').set('authorization', `Bearer ${acme.key}`);
  if (dialect === voiceApiDialect) {
    const time = expect.stringMatching(/Z$/);
    expect(voice(issued)).toMatchObject({ created_at: time, expires_at: time });
    expect(voice(listed)).toMatchObject({
      has_more: true,
      next_cursor: expect.any(String),
      items: [expect.anything()],
    });
  } else {
    expect(body(issued)).toMatchObject({ created_at: expect.any(Number), expires_at: expect.any(Number) });
    expect(Object.keys(body(listed))).toEqual(['items', 'next_cursor']);
  }
  shown.push((dialect === voiceApiDialect ? voice(issued)['key'] : body(issued)['key']) as string);
});

test('no shown key is found in any table or in the log, sealed idempotent answers included', async () => {
  const tables = await sql<{ name: string }>(
    `SELECT format('%I.%I', schemaname, tablename) AS name FROM pg_tables WHERE schemaname = 'public'`,
  );
  const rows: string[] = [];
  for (const { name } of tables) {
    rows.push(
      ...(await sql<{ row: string }>(`SELECT t::text AS row FROM ${name} AS t`)).map(({ row }) => row),
    );
  }
  const everything = rows.join('\n');
  expect(rows.length).toBeGreaterThan(20);
  // the answer that showed a key is among the rows, sealed
  expect(everything).toContain('POST /v1/api-keys');
  expect(new Set(shown).size).toBeGreaterThan(20);
  for (const key of shown) {
    const random = key.split('_')[2]!;
    for (const form of [
      random,
      Buffer.from(key).toString('hex'),
      Buffer.from(key).toString('base64').slice(0, 40),
    ]) {
      expect(everything).not.toContain(form);
      expect(captured.text()).not.toContain(form);
    }
  }
});
