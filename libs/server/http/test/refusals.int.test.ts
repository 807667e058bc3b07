// Every refusal of the platform's wire conventions, in the three dialects, over real HTTP.
import { describe, expect, jest, test } from '@jest/globals';
import supertest from 'supertest';
import {
  codes,
  flowBuilderDialect,
  notificationsDialect,
  voiceApiDialect,
  type Code,
  type Dialect,
} from '@parley/envelopes';
import { BODY_BYTES_MAX } from '../src/index.ts';
import { capturedLog, eventually } from '@parley/testing';
import { wireTo } from './raw-http.ts';
import { INTERNAL, tinyApi } from './tiny-api.ts';

const dialects: { name: string; dialect: Dialect; read: (body: never) => { code: string; text: string } }[] =
  [
    {
      name: 'flow-builder',
      dialect: flowBuilderDialect,
      read: (body: { code: string; errors: { path: string }[] }) => ({
        code: body.code,
        text: pathsOf(body.errors),
      }),
    },
    {
      name: 'voice-api',
      dialect: voiceApiDialect,
      read: ({ error }: { error: { code: string; details: { fields?: { path: string }[] } } }) => ({
        code: error.code,
        text: pathsOf(error.details.fields ?? []),
      }),
    },
    {
      name: 'notifications',
      dialect: notificationsDialect,
      read: (body: { error: string }) => ({ code: '', text: body.error }),
    },
  ];
const pathsOf = (fields: { path: string }[]) => fields.map(({ path }) => `${path}:`).join(' ');
const ALL = 'Bearer acme:read,write,delete';

describe.each(dialects)('$name', ({ dialect, read }) => {
  const captured = capturedLog();
  const api = tinyApi(dialect, captured);
  const client = async () => supertest((await api).url);

  /** The error in the dialect's spelling, with the place of every problem. */
  function expectRefusal(response: supertest.Response, code: Code, ...paths: string[]): void {
    expect(response.status).toBe(codes[code].status);
    expect(response.headers['content-type']).toBe(dialect.errorContentType);
    expect(dialect.errorSchema.safeParse(response.body).error).toBeUndefined();
    const shown = read(response.body as never);
    if (dialect === flowBuilderDialect) expect(shown.code).toBe(code);
    if (dialect === voiceApiDialect) expect(shown.code).toBe(codes[code].voice);
    for (const path of paths) expect(shown.text).toContain(`${path}:`);
  }
  const post = async (body: string, type = 'application/json') =>
    (await client()).post('/v1/notes').set('authorization', ALL).set('content-type', type).send(body);
  const postJson = (body: unknown) => post(JSON.stringify(body));
  const getPath = async (path: string) => (await client()).get(path).set('authorization', ALL);

  test('success in its envelope', async () => {
    const response = await postJson({ text: 'hello' });
    expect(response.status).toBe(201);
    expect(response.headers).toMatchObject({
      'content-type': 'application/json; charset=utf-8',
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      location: '/v1/notes/note_1',
    });
    const data = { id: 'note_1', text: 'hello' };
    const requestId = response.headers['x-request-id'];
    expect(response.body).toEqual(
      dialect === voiceApiDialect
        ? {
            success: true,
            data,
            meta: { request_id: requestId, timestamp: expect.stringMatching(/^\d{4}-.*Z$/) },
          }
        : data,
    );
  });

  test.each([
    ['{"text":', 'line 1, column 9'],
    ['{\n  "text": x}', 'line 2, column 11'],
    ['{"text":"a",}', 'column 13'],
  ])('400 malformed JSON, with the place: %j', async (body, place) => {
    const response = await post(body);
    expectRefusal(response, 'invalid_request');
    expect(response.text).toContain(place);
  });

  test('400 not UTF-8', async () => {
    const response = await fetch(`${(await api).url}/v1/notes`, {
      method: 'POST',
      headers: { authorization: ALL, 'content-type': 'application/json' },
      body: Buffer.from('{"text":"\xff"}', 'latin1'),
    });
    expect([response.status, await response.text()]).toEqual([400, expect.stringContaining('is not UTF-8')]);
  });

  test('400 unknown members and wrong types, all of them together', async () => {
    const labels = [
      { name: 'x', weight: 'heavy' },
      { name: 1, weight: 1, colour: 'red' },
    ];
    const response = await postJson({ text: '', labels, txet: 'x' });
    expectRefusal(
      response,
      'invalid_request',
      '/text',
      '/labels/0/weight',
      '/labels/1/name',
      '/labels/1/colour',
      '/txet',
    );
  });

  test('400 unknown and unaccepted query parameters', async () => {
    expectRefusal(
      await getPath('/v1/notes?limit=0&limitt=5&tag=a&tag=b'),
      'invalid_request',
      '/query/limit',
      '/query/limitt',
      '/query/tag',
    );
    expectRefusal(await getPath('/v1/notes/x?any=1'), 'invalid_request', '/query/any');
  });

  test('400 nesting, NUL and half a character', async () => {
    const meta: unknown = JSON.parse(
      `{"deep":${'['.repeat(70)}${']'.repeat(70)},"n\\u0000":"x","v":"\\u0000","h":"\\ud800"}`,
    );
    const response = await postJson({ text: 'x', meta });
    expectRefusal(response, 'invalid_request', '/meta/v', '/meta/h');
    expect(response.text).toContain('nested deeper than 64 levels');
    expect(response.text).toContain('in its name');
    expectRefusal(await getPath('/v1/notes/%00'), 'invalid_request', '/path/note_id');
    expectRefusal(await getPath('/v1/notes?tag=a%00'), 'invalid_request', '/query/tag');
    expectRefusal(await getPath('/v1/notes/%E0%A4%A'), 'invalid_request');
  });

  test('401 without a credential, before anything else is checked', async () => {
    for (const path of ['/v1/notes', '/product/v1/notes']) {
      const response = await (await client()).post(path).set('content-type', 'text/plain').send('{');
      expectRefusal(response, 'unauthorized');
      expect(response.headers['www-authenticate']).toBe('Bearer');
    }
  });

  test('403 without the scope, before the body is read', async () => {
    const response = await (
      await client()
    )
      .post('/v1/notes')
      .set('authorization', 'Bearer acme:read')
      .send('{');
    expectRefusal(response, 'insufficient_scope');
    expect((await (await client()).get('/v1/notes').set('authorization', 'Bearer acme:admin')).status).toBe(
      200,
    );
  });

  test('403 for an end user, whatever its scopes, unless the row allows it', async () => {
    const endUser = async (path: string) =>
      (await client())
        .post(path)
        .set('authorization', 'Bearer acme:read,write,delete@alice')
        .send({ text: 'x' });
    expectRefusal(await endUser('/v1/notes'), 'not_for_end_users');
    expect((await endUser('/v1/own-notes')).status).not.toBe(403);
  });

  test('403 for a key that is bound to bots, whatever its scopes, unless the row allows it', async () => {
    const bound = async (path: string) =>
      (await client()).post(path).set('authorization', 'Bearer acme:admin+bot_1').send({ text: 'x' });
    expectRefusal(await bound('/v1/notes'), 'not_for_bound_keys');
    expect((await bound('/v1/own-notes')).status).not.toBe(403);
  });

  test('403 another organisation in the body or in the query; the own one is no unknown member', async () => {
    expectRefusal(await postJson({ text: 'x', organization_id: 'other' }), 'organization_mismatch');
    expectRefusal(await getPath('/v1/notes?organization_id=other'), 'organization_mismatch');
    expect((await postJson({ text: 'x', organization_id: 'acme' })).status).toBe(201);
    expect((await getPath('/v1/notes?organization_id=acme')).status).toBe(200);
    expectRefusal(await postJson({ text: 'x', organization_id: 1 }), 'invalid_request', '/organization_id');
    expectRefusal(
      await getPath('/v1/notes?organization_id=acme&organization_id=acme'),
      'invalid_request',
      '/query/organization_id',
    );
  });

  test('404 for a resource and for a path', async () => {
    expectRefusal(await getPath('/v1/notes/missing'), 'not_found');
    for (const path of ['/v1/nothing', '/V1/notes', '/v1/Notes', '/', '/v2/notes']) {
      expectRefusal(await getPath(path), 'not_found');
    }
  });

  test('405 with the allowed methods', async () => {
    const request = await client();
    const response = await request.patch('/v1/notes/x').set('authorization', ALL);
    expectRefusal(response, 'method_not_allowed');
    expect(response.headers['allow']).toBe('GET, HEAD, DELETE');
    expect((await request.options('/v1/echo')).headers['allow']).toBe('PUT');
    const operations = await request.post('/health');
    expectRefusal(operations, 'method_not_allowed');
    expect(operations.headers['allow']).toBe('GET, HEAD');
  });

  test('413', async () => {
    const large = JSON.stringify({ text: 'x'.repeat(BODY_BYTES_MAX) });
    expectRefusal(await post(large), 'payload_too_large');
  });

  test.each([
    ['text/plain', undefined],
    ['application/json; charset=iso-8859-1', undefined],
    ['application/jsonp', undefined],
    ['application/json', 'gzip'],
  ])('415 %s %s', async (type, encoding) => {
    const request = (await client()).post('/v1/notes').set('authorization', ALL).set('content-type', type);
    if (encoding) void request.set('content-encoding', encoding);
    expectRefusal(await request.send('{"text":"x"}'), 'unsupported_media_type');
  });

  test('500 shows only the request id; the log has everything', async () => {
    for (const [method, path] of [
      ['post', '/v1/bug'],
      ['get', '/v1/mistyped'],
      ['get', '/v1/undeclared'],
      ['get', '/v1/unsaid'],
      ['get', '/v1/unheard'],
    ] as const) {
      const response = await (await client())[method](path).set('authorization', ALL);
      expectRefusal(response, 'internal');
      const id = response.headers['x-request-id'] as string;
      expect(response.text).not.toContain(INTERNAL);
      expect(response.text).not.toMatch(/undefined|zod|\.ts|invalid_type/i);
      expect(response.text).toContain(id);
      const [line] = captured.with('request.failed').filter((one) => one['request_id'] === id);
      expect(line).toMatchObject({
        level: 'error',
        route: path,
        organization_id: 'acme',
        err: { stack: expect.stringContaining('.ts') },
      });
    }
    expect(captured.with('request.failed')[0]).toMatchObject({
      err: { message: expect.stringContaining(INTERNAL) },
    });
  });

  test('503 with Retry-After while Postgres is away, without its address', async () => {
    const response = await getPath('/v1/away');
    expectRefusal(response, 'unavailable');
    expect(response.headers['retry-after']).toBe('2');
    expect(response.text).not.toMatch(/127\.0\.0\.1|ECONNREFUSED/);
    expect(captured.with('request.refused').at(-1)).toMatchObject({
      level: 'warn',
      err: { code: 'ECONNREFUSED' },
    });
    expect(captured.text()).not.toContain(`:${INTERNAL}@`);
  });
});

describe('in any dialect', () => {
  const captured = capturedLog();
  const api = tinyApi(notificationsDialect, captured);
  const client = async () => supertest((await api).url);
  const echo = async (body: string, type = 'application/json') =>
    (await client()).put('/v1/echo').set('authorization', ALL).set('content-type', type).send(body);

  test('members of any name are kept in a free-form object, at any depth, and are unknown ones elsewhere', async () => {
    const text =
      '{"a":[{"__proto__":{"x":1},"b":{"constructor":{"prototype":1}}}],"c":{"__proto__":2},"prototype":1}';
    expect((await echo(text)).text).toBe(text);
    const note = (await client()).post('/v1/notes').set('authorization', ALL);
    const refused = await note
      .set('content-type', 'application/json')
      .send('{"text":"x","__proto__":{"text":1}}');
    expect([refused.status, refused.text]).toEqual([400, expect.stringContaining('/__proto__')]);
  });

  test.each([
    ['{"a":[{"b":9007199254740993}]}', '/a/0/b'],
    ['{"a":1e400}', '/a'],
    ['{"a":{"b":1,"c":2,"b":3}}', '/a/b'],
  ])('%s would lose something: 400 with the place', async (text, path) => {
    const response = await echo(text);
    expect([response.status, response.text]).toEqual([400, expect.stringContaining(`${path}: `)]);
  });

  test('an absent body is {}, with or without a content type, in chunks or not', async () => {
    for (const headers of [{}, { 'content-type': 'text/plain' }, { 'transfer-encoding': 'chunked' }]) {
      const response = await (await client()).put('/v1/echo').set({ authorization: ALL, ...headers });
      expect([response.status, response.body]).toEqual([200, {}]);
    }
    expect((await echo('  \n')).body).toEqual({});
    const required = await (await client()).post('/v1/notes').set('authorization', ALL);
    expect(required.body).toEqual({ error: expect.stringContaining('/text: ') });
  });

  test.each([
    'application/json; charset=utf-8',
    'application/json;charset="UTF-8"',
    'Application/JSON; charset=utf8',
    'application/merge-patch+json',
  ])('JSON sent as %s is accepted', async (type) =>
    expect((await echo('{"text":"é"}', type)).body).toEqual({ text: 'é' }),
  );

  test('204 has neither body nor content type', async () => {
    const response = await (await client()).delete('/v1/notes/x').set('authorization', ALL);
    expect([response.status, response.text]).toEqual([204, '']);
    expect(response.headers).not.toHaveProperty('content-type');
    expect(response.headers).not.toHaveProperty('content-length');
  });

  test('a document is sent unchanged, under its own type; an undeclared type is a bug', async () => {
    const document = async (query: string) =>
      (await client()).get(`/v1/document${query}`).set('authorization', ALL);
    const declared = await document('');
    expect([declared.status, declared.text]).toEqual([200, 'a,"b"\n']);
    expect(declared.headers['content-type']).toBe('text/csv; charset=utf-8');
    expect((await document('?as=text/html')).status).toBe(500);
  });

  test('HEAD is GET without the body', async () => {
    const [head, get] = [
      await (await client()).head('/v1/notes?limit=5').set('authorization', ALL),
      await (await client()).get('/v1/notes?limit=5').set('authorization', ALL),
    ];
    expect([head.status, head.text ?? '']).toEqual([200, '']);
    expect(head.headers['content-length']).toBe(get.headers['content-length']);
    expect((await (await client()).head('/v1/notes')).status).toBe(401);
  });

  test('request id and trace are accepted or generated, and always answered and logged', async () => {
    const traceparent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';
    const given = await (
      await client()
    )
      .get('/v1/notes')
      .set({ authorization: ALL, 'x-request-id': 'my-id.1', traceparent });
    expect(given.headers).toMatchObject({ 'x-request-id': 'my-id.1', traceparent });
    expect(captured.with('request.served').at(-1)).toMatchObject({
      request_id: 'my-id.1',
      trace: traceparent,
    });
    for (const path of ['/v1/notes', '/nowhere', '/v1/notes/%E0%A4%A', '/health']) {
      const made = await (await client()).get(path).set('x-request-id', 'not acceptable');
      expect(made.headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/);
      expect(made.headers['traceparent']).toMatch(/^00-[0-9a-f]{32}-[0-9a-f]{16}-01$/);
    }
  });

  test('one canonical line and one observation for each request, by route and never by path', async () => {
    const before = captured.with('request.served').length;
    await (await client()).get('/v1/notes/missing').set('authorization', ALL);
    await (await client()).get('/v1/some/invented/path');
    expect(captured.with('request.served').slice(before)).toEqual([
      expect.objectContaining({
        level: 'info',
        method: 'GET',
        route: '/v1/notes/{note_id}',
        status: 404,
        code: 'not_found',
        organization_id: 'acme',
        principal: 'key_1',
        ms: expect.any(Number),
      }),
      expect.objectContaining({ route: '(none)', status: 404 }),
    ]);
    const text = await (await api).metrics.text();
    expect(text).toContain('route="/v1/notes/{note_id}",status="404"');
    expect(text).not.toContain('invented');
  });

  test('a client that leaves in the middle of its body is a log line, not a failure', async () => {
    const wire = await wireTo((await api).server.port);
    await wire.write(
      `PUT /v1/echo HTTP/1.1\r\nhost: x\r\nauthorization: ${ALL}\r\nx-request-id: gone\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n{"te`,
    );
    wire.socket.destroy();
    await eventually(() => captured.with('request.served').some((line) => line['request_id'] === 'gone'));
    expect(captured.with('request.served').find((line) => line['request_id'] === 'gone')).toMatchObject({
      status: 400,
    });
    expect(captured.with('request.failed').filter((line) => line['request_id'] === 'gone')).toEqual([]);
  });
});

test('a failure after the answer is a log line: there is no second answer, and the service continues', async () => {
  const captured = capturedLog();
  const { url, metrics } = await tinyApi(notificationsDialect, captured);
  jest.spyOn(metrics, 'observeRequest').mockImplementationOnce(() => {
    throw new Error(INTERNAL);
  });
  const ask = () => fetch(`${url}/v1/notes`, { headers: { authorization: ALL } });
  await ask().catch(() => undefined); // whether it still arrives is not promised
  expect(captured.with('request.failed')).toMatchObject([{ err: { message: INTERNAL } }]);
  expect((await ask()).status).toBe(200);
});

describe('browsers', () => {
  const cors = (origins: string[]) => tinyApi(notificationsDialect, capturedLog(), { corsOrigins: origins });

  test('no origin may call by default', async () => {
    const { url } = await cors([]);
    const response = await supertest(url)
      .get('/v1/notes')
      .set({ authorization: ALL, origin: 'https://app.example' });
    expect(response.status).toBe(200);
    expect(Object.keys(response.headers).filter((name) => name.startsWith('access-control'))).toEqual([]);
    expect((await supertest(url).options('/v1/notes').set('origin', 'https://app.example')).status).toBe(405);
  });

  test("a configured origin may, with the API's headers, refusals included; another one may not", async () => {
    const { url } = await cors(['https://app.example', 'https://admin.example']);
    const asked = await supertest(url).options('/v1/notes').set({
      origin: 'https://app.example',
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'authorization,content-type,idempotency-key',
    });
    expect(asked.status).toBe(204);
    expect(asked.headers['access-control-allow-origin']).toBe('https://app.example');
    expect(asked.headers['access-control-allow-methods']).toBe('GET,POST,PUT,PATCH,DELETE');
    expect(asked.headers['access-control-allow-headers']).toContain('Idempotency-Key');

    const refused = await supertest(url).get('/v1/notes').set('origin', 'https://admin.example');
    expect(refused.status).toBe(401);
    expect(refused.headers['access-control-allow-origin']).toBe('https://admin.example');
    expect(refused.headers['access-control-expose-headers']).toContain('X-Request-Id');

    const other = await supertest(url)
      .get('/v1/notes')
      .set({ authorization: ALL, origin: 'https://evil.example' });
    expect(other.headers).not.toHaveProperty('access-control-allow-origin');
    expect(other.headers['vary']).toContain('Origin');
  });
});
