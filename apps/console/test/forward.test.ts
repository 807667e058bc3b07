// Forwards requests with the person's credential, and responses unchanged.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { eventually } from '@parley/testing';
import { targetOf } from '../src/forward/forward.ts';
import { json, signIn, startConsole, type ConsoleUnderTest } from './console-under-test.ts';

let app: ConsoleUnderTest;
let cookie: string;
beforeAll(async () => {
  app = await startConsole();
  cookie = await signIn(app);
});
afterAll(() => app.stop());

const ask = (path: string, init: RequestInit = {}) =>
  fetch(`${app.url}/api/${path}`, {
    ...init,
    headers: { cookie, ...(init.headers as Record<string, string>) },
  });

test('forwards method, path, query, body and key, but not the cookie', async () => {
  app.flowBuilder.script({
    status: 201,
    headers: {
      'content-type': 'application/problem+json',
      'set-cookie': 'a=1',
      etag: '"7"',
      'x-request-id': 'r1',
    },
    body: '{"ok": 1}',
  });
  const response = await ask(
    'flow-builder/v1/flows?limit=2&q=%C3%A4',
    json({ name: 'ä' }, { origin: app.url, 'if-match': '"6"', referer: 'x' }),
  );
  expect([response.status, await response.text()]).toEqual([201, '{"ok": 1}']);
  expect(Object.fromEntries(response.headers)).toMatchObject({
    'content-type': 'application/problem+json',
    etag: '"7"',
    'x-request-id': 'r1',
    'content-security-policy': expect.stringContaining("default-src 'none'"),
  });
  expect(response.headers.getSetCookie()).toEqual([]);
  const { method, path, headers, body } = app.flowBuilder.requests.at(-1)!;
  expect([method, path, body.toString()]).toEqual(['POST', '/v1/flows?limit=2&q=%C3%A4', '{"name":"ä"}']);
  expect(headers).toMatchObject({
    authorization: 'Bearer fb_test_1',
    'if-match': '"6"',
    host: new URL(app.flowBuilder.url).host,
  });
  for (const name of ['cookie', 'origin', 'referer']) expect(headers).not.toHaveProperty(name);
});

test.each([
  ['an unknown service', 'telephone/v1/calls', 404, 'nothing_here'],
  ['a service that this console does not know', 'voice-api/v1/bots', 404, 'service_absent'],
  ['what is not for people', 'flow-builder/metrics', 404, 'nothing_here'],
  ['a way around that', 'flow-builder/v1/%2e%2e/metrics', 404, 'nothing_here'],
  ['a service without a key', 'notifications/v1/notify', 401, 'not_signed_in'],
  ['a service that does not answer', 'notifications/health', 502, 'service_unreachable'],
])('%s: %s', async (_what, path, status, code) => {
  const before = app.flowBuilder.requests.length;
  const response = await ask(path);
  expect([response.status, await response.json()]).toEqual([status, { error: expect.any(String), code }]);
  expect(app.flowBuilder.requests).toHaveLength(before);
});

test('serves the API reference with the policy of the console', async () => {
  app.flowBuilder.script({
    status: 200,
    headers: { 'content-type': 'text/html', 'content-security-policy': "style-src 'unsafe-inline'" },
    body: '<!doctype html>',
  });
  const page = await ask('flow-builder/docs');
  expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html']);
  expect(page.headers.get('content-security-policy')).not.toContain('unsafe');
  expect((await ask('flow-builder/docs/start.js')).status).toBe(200);
  expect(app.flowBuilder.requests.slice(-2).map(({ path }) => path)).toEqual(['/docs', '/docs/start.js']);
});

test('without a session only health is reachable', async () => {
  const before = app.flowBuilder.requests.length;
  expect((await fetch(`${app.url}/api/flow-builder/v1/flows`)).status).toBe(401);
  expect((await fetch(`${app.url}/api/flow-builder/health`)).status).toBe(200);
  expect(app.flowBuilder.requests.slice(before).map(({ path }) => path)).toEqual(['/health']);
});

test('a broken connection ends the response, also in the middle', async () => {
  app.flowBuilder.script('reset');
  expect((await ask('flow-builder/v1/flows')).status).toBe(502);
});

test('returns an error that the service sends before it has read the body', async () => {
  const service = createServer((request, response) => {
    if (request.method === 'GET') return void response.end('{"id": "demo"}');
    response.writeHead(413).end('{"code": "payload_too_large"}');
  });
  await new Promise<void>((resolve) => service.listen(0, '127.0.0.1', resolve));
  const { port } = service.address() as AddressInfo;
  const alone = await startConsole({ SERVICE_URLS: `flow-builder=http://127.0.0.1:${port}` });
  const headers = { cookie: await signIn(alone) };
  const body = 'x'.repeat(8 * 1024 * 1024);
  for (let round = 0; round < 5; round += 1) {
    const init = { method: 'POST', headers, body };
    const response = await fetch(`${alone.url}/api/flow-builder/v1/flows`, init);
    expect([response.status, await response.text()]).toEqual([413, '{"code": "payload_too_large"}']);
  }
  await alone.stop();
  service.closeAllConnections();
  service.close();
});

test('streams events immediately; closing the page or stopping ends the stream', async () => {
  let ended = 0;
  const service = createServer((request, response) => {
    if (request.url !== '/v1/stream') return void response.end('{"id": "demo"}');
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write('data: one\n\n');
    response.once('close', () => (ended += 1));
  });
  await new Promise<void>((resolve) => service.listen(0, '127.0.0.1', resolve));
  const { port } = service.address() as AddressInfo;
  const streaming = await startConsole({ SERVICE_URLS: `flow-builder=http://127.0.0.1:${port}` });
  try {
    const signedIn = await signIn(streaming);
    const open = async (signal?: AbortSignal) => {
      const init = { headers: { cookie: signedIn }, ...(signal ? { signal } : {}) };
      const response = await fetch(`${streaming.url}/api/flow-builder/v1/stream`, init);
      const { value } = (await response.body!.getReader().read()) as { value: Uint8Array };
      expect(new TextDecoder().decode(value)).toBe('data: one\n\n');
    };
    const leaving = new AbortController();
    await open(leaving.signal);
    leaving.abort();
    await eventually(() => ended === 1);
    await open();
  } finally {
    await streaming.stop();
    await eventually(() => ended === 2);
    service.close();
  }
});

describe('targetOf', () => {
  test.each([
    ['http://a:1', '/v1/flows', 'http://a:1/v1/flows'],
    ['https://a/parley', '/v1/flows?x=/../y', 'https://a/parley/v1/flows?x=/../y'],
    ['http://a:1', '/product/v1/flows/f/execute', 'http://a:1/product/v1/flows/f/execute'],
    ['https://a/parley', '/v1/../../other/v1/x', undefined],
    ['http://a:1', '/v1/../metrics', undefined],
    ['http://a:1', '/healthy', undefined],
    ['http://a:1', '/docsold', undefined],
    ['http://a:1', '//evil.example/v1/x', undefined],
    ['http://a:1', '@evil.example/v1/x', undefined],
    ['http://a:1', '/v1', undefined],
  ])('%s and %s', (address, path, target) => {
    expect(targetOf(address, path)?.url.href).toBe(target);
  });
});
