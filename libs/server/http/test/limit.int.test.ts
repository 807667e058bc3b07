// The seam for limits: called once after the credential, its headers on every answer, released
// exactly once.
import { describe, expect, test } from '@jest/globals';
import supertest from 'supertest';
import { AppError, voiceApiDialect } from '@parley/envelopes';
import { capturedLog, eventually } from '@parley/testing';
import type { Authenticator, Limit } from '../src/index.ts';
import { wireTo } from './raw-http.ts';
import { tinyApi } from './tiny-api.ts';

const bearer = { authorization: 'Bearer acme:read' };

/** A limit that counts. It answers immediately, unless it waits for something. */
function counting(waitsFor?: Promise<void>) {
  const state = { asked: 0, released: 0 };
  const admission = {
    headers: { 'x-limit': 'seen', 'cache-control': 'private' },
    release: () => void (state.released += 1),
  };
  const ask = () => {
    state.asked += 1;
    return admission;
  };
  const limit: Limit = {
    peek: () => (waitsFor ? undefined : ask()),
    admit: async () => {
      ask();
      await waitsFor;
      return admission;
    },
    charge: (_, count, beside) => {
      const refusal = new AppError('rate_limited', 'slowly', { headers: { 'x-limit': 'spent' } });
      return count > 1 ? Promise.reject(refusal) : Promise.resolve({ ...beside, 'x-limit': 'charged' });
    },
  };
  return { state, limit };
}

describe('a limit', () => {
  test.each([
    ['get', '/v1/notes', 200],
    ['get', '/v1/notes/missing', 404],
    ['get', '/v1/notes?limit=none', 400],
    ['delete', '/v1/notes/one', 403],
    ['post', '/v1/bug', 500],
    ['get', '/v1/away', 503],
  ] as const)('%s %s: its headers on the answer %i, and one release', async (method, path, status) => {
    const { limit, state } = counting();
    const { url } = await tinyApi(voiceApiDialect, capturedLog(), { limit });
    const credential = path === '/v1/bug' ? 'Bearer acme:read,write' : bearer.authorization;
    const { headers } = await supertest(url)[method](path).set('authorization', credential).expect(status);
    expect(headers).toMatchObject({ 'x-limit': 'seen', 'cache-control': 'private' });
    expect(state).toEqual({ asked: 1, released: 1 });
  });

  test.each([
    ['x', 201, 'charged'],
    ['xx', 429, 'spent'],
  ])('effects that a use case counts, %j: %i, and its headers', async (text, status, told) => {
    const { limit, state } = counting();
    const { url } = await tinyApi(voiceApiDialect, capturedLog(), { limit });
    const api = supertest(url).post('/v1/lone-notes').set('authorization', 'Bearer acme:read,write');
    expect((await api.send({ text }).expect(status)).headers).toMatchObject({ 'x-limit': told });
    expect(state).toEqual({ asked: 1, released: 1 });
  });

  test('is not called for an unknown caller', async () => {
    const { limit, state } = counting();
    const { url } = await tinyApi(voiceApiDialect, capturedLog(), { limit });
    expect((await supertest(url).get('/v1/notes').expect(401)).headers).not.toHaveProperty('x-limit');
    expect(state).toEqual({ asked: 0, released: 0 });
  });

  test('refuses before the scope is checked and the body is read, with its headers', async () => {
    const refusal = new AppError('rate_limited', 'slowly', {
      headers: { 'retry-after': '3', 'x-limit': 'spent' },
    });
    const limit: Limit = {
      peek: () => undefined,
      admit: () => Promise.reject(refusal),
      charge: () => Promise.reject(refusal),
    };
    const { url } = await tinyApi(voiceApiDialect, capturedLog(), { limit });
    const refused = await supertest(url).post('/v1/notes').set(bearer).send('{').expect(429);
    expect(refused.headers).toMatchObject({ 'retry-after': '3', 'x-limit': 'spent' });
    expect(refused.body).toMatchObject({ error: { code: 'RATE_LIMITED' } });
  });

  test.each(['while it is asked', 'while the body arrives'])('a client that goes away %s', async (when) => {
    let admit: () => void = () => undefined;
    const admitted = new Promise<void>((resolve) => (admit = resolve));
    const { limit, state } = counting(when === 'while it is asked' ? admitted : undefined);
    let gone = false;
    const authenticator: Authenticator = {
      peek: (request) => {
        request.socket.once('close', () => (gone = true));
        return { organizationId: 'acme', kind: 'api_key', principal: 'key_1', scopes: new Set(['write']) };
      },
      authenticate: () => Promise.reject(new Error('is not asked for a caller who is known')),
    };
    const { server } = await tinyApi(voiceApiDialect, capturedLog(), { limit, authenticator });
    const wire = await wireTo(server.port);
    await wire.write(
      'PUT /v1/echo HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer acme:write\r\n' +
        'Content-Type: application/json\r\nContent-Length: 100\r\n\r\n{',
    );
    await eventually(() => state.asked === 1);
    wire.socket.destroy();
    await eventually(() => gone);
    admit(); // while `admit` still runs: after the server has seen the end of the connection
    await eventually(() => state.released === 1);
    expect(state).toEqual({ asked: 1, released: 1 });
  });
});
