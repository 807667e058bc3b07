// Streamed answers, and credentials other than Bearer.
import { describe, expect, test } from '@jest/globals';
import { createHmac } from 'node:crypto';
import supertest from 'supertest';
import { z } from 'zod';
import { AppError, notificationsDialect } from '@parley/envelopes';
import { capturedLog, eventually } from '@parley/testing';
import { get, post, StreamReply, type OpenStream, type Scope } from '../src/index.ts';
import { wireTo } from './raw-http.ts';
import { tinyApi } from './tiny-api.ts';

async function start(onOpen: (stream: OpenStream) => void | Promise<void>) {
  const log = capturedLog();
  const ticks = get(
    '/ticks',
    {
      operationId: 'ticks',
      summary: 'x',
      scope: 'read',
      replies: { 200: z.string() },
      produces: ['text/event-stream'],
    },
    () => new StreamReply('text/event-stream; charset=utf-8', onOpen, { 'x-accel-buffering': 'no' }),
  );
  const api = await tinyApi(notificationsDialect, log, {
    faces: [{ face: 'v1', base: '/v1', endpoints: [ticks] }],
  });
  return { ...api, log };
}

const ask = (url: string) => fetch(`${url}/v1/ticks`, { headers: { authorization: 'Bearer acme:read' } });

describe('a streamed answer', () => {
  test('sends what is written immediately, and logs its line at the end', async () => {
    let stream: OpenStream | undefined;
    const { server, log } = await start((opened) => void (stream = opened));
    const response = await ask(server.url);
    expect(response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
    expect(response.headers.get('x-accel-buffering')).toBe('no');
    expect(response.headers.get('x-request-id')).toEqual(expect.any(String));
    const reader = response.body!.getReader();
    const next = async () => Buffer.from((await reader.read()).value ?? []).toString();
    stream!.write('data: 1\n\n');
    expect(await next()).toBe('data: 1\n\n');
    expect(log.with('request.served')).toHaveLength(0);
    stream!.write('data: 2\n\n');
    expect(await next()).toBe('data: 2\n\n');
    stream!.end();
    expect((await reader.read()).done).toBe(true);
    expect(stream!.write('too late')).toBe(false);
    expect(log.with('request.served')).toMatchObject([{ status: 200, streamed: true, route: '/v1/ticks' }]);
  });

  test('notices that the client has gone', async () => {
    let stream: OpenStream | undefined;
    const { server } = await start((opened) => void (stream = opened));
    const wire = await wireTo(server.port);
    await wire.write('GET /v1/ticks HTTP/1.1\r\nhost: x\r\nauthorization: Bearer acme:read\r\n\r\n');
    await eventually(() => stream !== undefined);
    expect(stream!.signal.aborted).toBe(false);
    wire.socket.destroy();
    await eventually(() => stream!.signal.aborted);
  });

  test('ends immediately when the service stops', async () => {
    const { server } = await start((stream) => void stream.write('data: hello\n\n'));
    const body = (await ask(server.url)).text();
    const startedAt = performance.now();
    await server.close();
    expect(await body).toBe('data: hello\n\n');
    // not the 20 s that an answer may take
    expect(performance.now() - startedAt).toBeLessThan(5_000);
  });

  test('a client that does not read is cut off, and holds at most a megabyte', async () => {
    let stream: OpenStream | undefined;
    const { server } = await start((opened) => void (stream = opened));
    const wire = await wireTo(server.port);
    wire.socket.pause();
    await wire.write('GET /v1/ticks HTTP/1.1\r\nhost: x\r\nauthorization: Bearer acme:read\r\n\r\n');
    await eventually(() => stream !== undefined);
    let written = 0;
    // Kernel buffers take a few megabytes first.
    await eventually(() => {
      written += 1;
      return !stream!.write('x'.repeat(256 * 1024));
    });
    expect(stream!.signal.aborted).toBe(true);
    expect(written).toBeLessThan(400);
    wire.socket.destroy();
  });

  test('HEAD has the headers and opens nothing; an error of the use case ends the stream', async () => {
    let opened = 0;
    const { url, log } = await start(() => {
      opened += 1;
      throw new Error('broken');
    });
    const authorization = 'Bearer acme:read';
    const head = await supertest(url).head('/v1/ticks').set({ authorization }).expect(200);
    expect(head.headers['content-type']).toContain('text/event-stream');
    expect(opened).toBe(0);
    await supertest(url).get('/v1/ticks').set({ authorization }).expect(200);
    expect(opened).toBe(1);
    expect(log.with('stream.failed')).toHaveLength(1);
    await supertest(url).get('/v1/ticks').expect(401);
  });
});

describe('a credential other than Bearer', () => {
  const sign = (body: string) => createHmac('sha256', 'shared').update(body).digest('hex');

  async function signedApi(orBearer: boolean) {
    const news = post(
      '/news/{organization}',
      {
        operationId: 'takeNews',
        summary: 'x',
        scope: 'write',
        params: z.strictObject({ organization: z.string() }),
        body: z.array(z.looseObject({ id: z.string() })),
        bodyBytesMax: 4_096,
        replies: { 200: z.unknown() },
        credential: {
          scheme: { name: 'newsSignature', in: 'header', parameter: 'x-signature', description: 'HMAC' },
          orBearer,
          verify: async ({ params, header, rawBody }) => {
            const given = header('x-signature');
            if (given === undefined) return null;
            if (given !== sign((await rawBody()).toString())) throw new AppError('unauthorized', 'no');
            return {
              organizationId: String(params['organization']),
              kind: 'signature',
              principal: 'news',
              scopes: new Set<Scope>(['write']),
            };
          },
        },
      },
      ({ caller, body }) => ({ organization: caller.organizationId, ids: body.map(({ id }) => id) }),
    );
    return tinyApi(notificationsDialect, capturedLog(), {
      faces: [{ face: 'v1', base: '/v1', endpoints: [news] }],
    });
  }

  const body = '[ {"id":"1"},\n {"id":"2"} ]'; // spaced: the bytes are verified, not their meaning

  test('is verified over the exact bytes, which are then parsed like any body', async () => {
    const { url } = await signedApi(false);
    const send = (text: string, signature: string) =>
      supertest(url)
        .post('/v1/news/acme')
        .set({ 'content-type': 'application/json', 'x-signature': signature })
        .send(text);
    expect((await send(body, sign(body)).expect(200)).body).toEqual({
      organization: 'acme',
      ids: ['1', '2'],
    });
    await send(body, sign(JSON.stringify(JSON.parse(body)))).expect(401);
    const problem = await send('[{}]', sign('[{}]')).expect(400);
    expect(problem.body).toEqual({ error: expect.stringContaining('/0/id') });
    await send('[', sign('[')).expect(400);
    const large = ' '.repeat(5_000);
    await send(large, sign(large)).expect(413);
    await supertest(url).post('/v1/news/acme').set('x-signature', sign(body)).send(body).expect(415);
  });

  test('without it a Bearer credential works if the row allows it, and nothing otherwise', async () => {
    for (const [orBearer, status] of [
      [true, 200],
      [false, 401],
    ] as const) {
      const { url } = await signedApi(orBearer);
      await supertest(url)
        .post('/v1/news/acme')
        .set({ authorization: 'Bearer acme:write', 'content-type': 'application/json' })
        .send(body)
        .expect(status);
    }
  });

  test('is in the reference', async () => {
    const { url } = await signedApi(true);
    const document = (await supertest(url).get('/openapi.json').expect(200)).body as unknown;
    const { paths, components } = document as {
      paths: Record<string, Record<string, { security: object[] }>>;
      components: { securitySchemes: object };
    };
    expect(components.securitySchemes).toMatchObject({
      newsSignature: { type: 'apiKey', in: 'header', name: 'x-signature', description: 'HMAC' },
    });
    expect(paths['/v1/news/{organization}']!['post']!.security).toEqual([
      { apiKey: [] },
      { identityToken: [] },
      { newsSignature: [] },
    ]);
  });
});
