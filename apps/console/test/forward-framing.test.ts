// Request framing on the wire: a body never becomes another person's request, also behind nginx.
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type IncomingMessage } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve as resolvePath } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { nginxHere, startNginx, type Nginx } from '@parley/testing/servers';
import { eventually } from '@parley/testing';
import { signIn, startConsole, type ConsoleUnderTest } from './console-under-test.ts';

interface Seen {
  readonly line: string;
  readonly authorization: string | undefined;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
  readonly connection: Socket;
}
const seen: Seen[] = [];
/** A flow builder that keeps connections open and records every request on them. */
const service = createServer((request, response) => {
  let body = '';
  request.on('data', (piece: Buffer) => (body += piece.toString('latin1')));
  request.on('end', () => {
    const { method, url, headers, socket: connection } = request;
    const { authorization } = headers;
    if (url === '/v1/organization') return void response.end('{"id": "demo"}');
    seen.push({ line: `${method} ${url}`, authorization, headers, body, connection });
    response.end(`answer to ${url}`);
  });
});
service.keepAliveTimeout = 60_000;

const home = mkdtempSync(join(tmpdir(), 'parley-nginx-'));
const ports: Record<string, number> = {};
const proxies: Nginx[] = [];
let app: ConsoleUnderTest;
let cookie: string;
beforeAll(async () => {
  await new Promise<void>((resolve) => service.listen(0, '127.0.0.1', resolve));
  app = await startConsole({
    SERVICE_URLS: `flow-builder=http://127.0.0.1:${(service.address() as AddressInfo).port}`,
  });
  cookie = await signIn(app, 'fb_test_victim');
  ports['directly'] = app.port;
  const root = resolvePath(import.meta.dirname, '../../..');
  const program = await nginxHere(process.env['PATH'] ?? '', join(root, '.parley'));
  for (const buffering of ['on', 'off']) {
    const directives = [`proxy_request_buffering ${buffering}`, 'proxy_set_header Host $http_host'];
    const proxy = await startNginx(program, join(home, buffering), app.port, directives);
    proxies.push(proxy);
    ports[`behind nginx, request buffering ${buffering}`] = proxy.port;
  }
}, 120_000);
afterAll(async () => {
  for (const proxy of proxies) await proxy.stop();
  await app.stop();
  service.closeAllConnections();
  service.close();
  rmSync(home, { recursive: true, force: true });
});

/**
 * Sends bytes and returns the response until the connection closes, or `quietMs` after the first
 * byte.
 */
async function raw(port: number, bytes: string, quietMs = 25): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  let answer = '';
  socket.on('data', (piece) => (answer += piece.toString('latin1')));
  socket.on('error', () => undefined); // the console may close while the rest is written
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
  socket.write(bytes, 'latin1');
  await Promise.race([closed, eventually(() => answer !== '')]);
  await Promise.race([closed, new Promise((resolve) => setTimeout(resolve, quietMs))]);
  socket.destroy();
  return answer;
}

const SMUGGLED = 'DELETE /v1/flows/victims HTTP/1.1\r\nHost: x\r\nX-Rest: ';
const chunked = (text: string) => `${text.length.toString(16)}\r\n${text}\r\n0\r\n\r\n`;
const FRAMINGS: Readonly<Record<string, string>> = {
  'content-length': `Content-Length: ${SMUGGLED.length}\r\n\r\n${SMUGGLED}`,
  chunked: `Transfer-Encoding: chunked\r\n\r\n${chunked(SMUGGLED)}`,
  'chunked, in other letters': `Transfer-Encoding: ChUnKeD\r\n\r\n${chunked(SMUGGLED)}`,
  'both, chunked': `Content-Length: ${chunked(SMUGGLED).length}\r\nTransfer-Encoding: chunked\r\n\r\n${chunked(SMUGGLED)}`,
  'both, length': `Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n${chunked(SMUGGLED)}`,
  'two lengths': `Content-Length: 0\r\nContent-Length: ${SMUGGLED.length}\r\n\r\n${SMUGGLED}`,
  'gzip, chunked': `Transfer-Encoding: gzip, chunked\r\n\r\n${chunked(SMUGGLED)}`,
  identity: `Transfer-Encoding: identity\r\nContent-Length: ${SMUGGLED.length}\r\n\r\n${SMUGGLED}`,
  'chunked twice': `Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n${chunked(SMUGGLED)}`,
  'a coding that nobody knows': `Transfer-Encoding: xchunked\r\n\r\n${chunked(SMUGGLED)}`,
  'a tab before chunked': `Transfer-Encoding:\tchunked\r\n\r\n${chunked(SMUGGLED)}`,
  'a blank before the colon': `Transfer-Encoding : chunked\r\n\r\n${chunked(SMUGGLED)}`,
  'a folded line': `Transfer-Encoding:\r\n chunked\r\n\r\n${chunked(SMUGGLED)}`,
  'named by Connection': `Connection: content-length\r\nContent-Length: ${SMUGGLED.length}\r\n\r\n${SMUGGLED}`,
  'an upgrade': `Connection: upgrade\r\nUpgrade: h2c\r\nTransfer-Encoding: chunked\r\n\r\n${chunked(SMUGGLED)}`,
  'an expectation': `Expect: 100-continue\r\nTransfer-Encoding: chunked\r\n\r\n${chunked(SMUGGLED)}`,
  'an extension of a chunk': `Transfer-Encoding: chunked\r\n\r\n${chunked(SMUGGLED).replace('\r\n', ';a="\r\n')}`,
  'a trailer': `Transfer-Encoding: chunked\r\n\r\n${chunked(SMUGGLED).replace(/\r\n$/, 'Content-Length: 9\r\n\r\n')}`,
};
const BODYLESS = ['GET', 'HEAD', 'OPTIONS', 'TRACE'];
const METHODS = [...BODYLESS, 'DELETE', 'POST', 'PUT', 'PATCH', 'PROPFIND', 'PURGE'];
const WAYS = ['directly', 'behind nginx, request buffering on', 'behind nginx, request buffering off'];

describe.each(WAYS)('%s', (way) => {
  test.each(METHODS)('a body of %s in any framing is never another request', async (method) => {
    for (const [name, rest] of Object.entries(FRAMINGS)) {
      const port = ports[way]!;
      seen.length = 0;
      const attack = `${method} /api/flow-builder/health HTTP/1.1\r\nHost: 127.0.0.1:${app.port}\r\n${rest}`;
      const answer = await raw(port, attack);
      // Two, because one connection may be in reserve.
      for (const id of ['a', 'b']) {
        const response = await fetch(`http://127.0.0.1:${port}/api/flow-builder/v1/flows/${id}`, {
          headers: { cookie },
        });
        expect([name, await response.text()]).toEqual([name, `answer to /v1/flows/${id}`]);
      }
      const strangers = seen.filter(({ authorization }) => authorization === undefined);
      const victims = seen.filter(({ authorization }) => authorization !== undefined);
      expect([name, victims.map(({ line }) => line)]).toEqual([name, ['GET /v1/flows/a', 'GET /v1/flows/b']]);
      for (const stranger of strangers) {
        expect([name, stranger.line]).toEqual([name, `${method} /health`]);
        expect([name, stranger.body]).toEqual([name, SMUGGLED]);
        expect(victims.map(({ connection }) => connection)).not.toContain(stranger.connection);
      }
      if (BODYLESS.includes(method)) {
        expect([name, strangers]).toEqual([name, []]);
        if (name === 'chunked' || name === 'content-length') expect(answer).toMatch(/^HTTP\/1\.1 4\d\d/);
      }
    }
  });

  test('forwards DELETE and POST with a body unchanged', async () => {
    for (const [method, rest] of [
      ['DELETE', `Content-Length: 2\r\n\r\n{}`],
      ['POST', `Transfer-Encoding: chunked\r\n\r\n${chunked('{}')}`],
    ]) {
      seen.length = 0;
      const head = `${method} /api/flow-builder/v1/flows/x HTTP/1.1\r\nHost: 127.0.0.1:${app.port}\r\nCookie: ${cookie}\r\n`;
      expect(await raw(ports[way]!, head + rest)).toMatch(/^HTTP\/1\.1 200 /);
      expect(seen.map(({ line, body }) => [line, body])).toEqual([[`${method} /v1/flows/x`, '{}']]);
    }
  });
});

test.each(BODYLESS)('refuses a body of %s, and accepts an empty one', async (method) => {
  const head = `${method} /api/flow-builder/v1/flows HTTP/1.1\r\nHost: x\r\nCookie: ${cookie}\r\n`;
  const refused = await raw(app.port, `${head}Content-Length: 2\r\n\r\n{}`);
  expect(refused).toMatch(/^HTTP\/1\.1 400 [^]*connection: close/i);
  if (method !== 'HEAD') expect(refused).toContain('"code":"invalid_request"');
  expect(await raw(app.port, `${head}Content-Length: 0\r\n\r\n`)).toMatch(/^HTTP\/1\.1 200 /);
});

test('drops hop-by-hop headers, also those named by Connection, and keeps the client’s address', async () => {
  seen.length = 0;
  const named =
    'Connection: keep-alive, X-Mine, X-Forwarded-For\r\nX-Mine: 1\r\nX-Forwarded-For: 192.0.2.7\r\n';
  const other = 'Keep-Alive: timeout=1\r\nTE: trailers\r\nProxy-Connection: close\r\nX-Yours: 2\r\n';
  await raw(
    app.port,
    `GET /api/flow-builder/v1/flows HTTP/1.1\r\nHost: x\r\nCookie: ${cookie}\r\n${named}${other}\r\n`,
  );
  const [{ headers } = { headers: {} }] = seen;
  expect(headers).toMatchObject({ 'x-yours': '2', 'x-forwarded-for': '192.0.2.7' });
  for (const name of ['x-mine', 'keep-alive', 'te', 'proxy-connection', 'cookie'])
    expect(headers).not.toHaveProperty(name);
});

test('an interrupted body never looks complete', async () => {
  seen.length = 0;
  const head = `POST /api/flow-builder/v1/flows HTTP/1.1\r\nHost: x\r\nCookie: ${cookie}\r\n`;
  const socket = connect(app.port, '127.0.0.1');
  const reached = new Promise((resolve) => service.once('request', resolve));
  socket.write(`${head}Transfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\n`);
  const request = (await reached) as IncomingMessage;
  socket.destroy();
  await eventually(() => request.destroyed);
  expect(request.complete).toBe(false);
  expect(seen).toEqual([]);
});
