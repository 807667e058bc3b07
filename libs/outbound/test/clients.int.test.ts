// The promises of both HTTP clients with misbehaving receivers: the same suite for got and undici.
import { afterEach, describe, expect, test } from '@jest/globals';
import { gzipSync } from 'node:zlib';
import type { Socket } from 'node:net';
import { eventually, receiver } from '@parley/testing';
import { ANSWER_BYTES_MAX, type Call, type Outcome } from '../src/index.ts';
import { outboundUnderTest, type OutboundUnderTest } from './outbound-under-test.ts';
import { httpAnswer, rawReceiver, type RawReceiver } from './raw-receiver.ts';

const opened: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const one of opened.splice(0).reverse()) await one.close();
});

/** Longer than anything on loopback takes, short enough for a test. */
const DEADLINE_MS = 300;
/** A deadline that must not end the exchange. */
const FAR_MS = 10_000;

function failed(outcome: Outcome) {
  if (outcome.ok) throw new Error(`expected a failure, got ${outcome.status}`);
  return outcome;
}

describe.each(['request', 'deliver'] as const)('%s', (client) => {
  function start(options?: Parameters<typeof outboundUnderTest>[0]): OutboundUnderTest {
    const outbound = outboundUnderTest(options);
    opened.push(outbound);
    return outbound;
  }

  async function behaving(answer: (socket: Socket, request: string) => void): Promise<RawReceiver> {
    const raw = await rawReceiver(answer);
    opened.push(raw);
    return raw;
  }

  /** Sends one request to a receiver with this behaviour. */
  async function sent(answer: (socket: Socket, request: string) => void, call: Partial<Call> = {}) {
    const raw = await behaving(answer);
    const outcome = await start()[client]({
      url: `http://127.0.0.1:${raw.port}/hook`,
      timeoutMs: FAR_MS,
      ...call,
    });
    return { outcome, raw };
  }

  describe('the request', () => {
    test('method, path with query, headers and the exact bytes of the body', async () => {
      const outside = await receiver();
      opened.push(outside);
      const body = JSON.stringify({ text: 'Grüße 👋' });
      const outcome = await start()[client]({
        url: `${outside.url}/a%20b?c=d&e#fragment`,
        method: 'PUT',
        headers: { 'Content-Type': 'application/json', 'x-one': '1' },
        body,
        timeoutMs: FAR_MS,
      });
      expect(outcome).toMatchObject({ ok: true, status: 200, body: '', truncated: false });
      const [request] = outside.requests;
      expect(request).toMatchObject({ method: 'PUT', path: '/a%20b?c=d&e' });
      expect(request?.body.equals(Buffer.from(body))).toBe(true);
      expect(request?.headers).toMatchObject({
        host: `127.0.0.1:${outside.port}`,
        'content-type': 'application/json',
        'content-length': String(Buffer.byteLength(body)),
        'x-one': '1',
        'accept-encoding': 'identity',
        'user-agent': 'Parley',
      });
    });

    test.each(['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD'] as const)(
      '%s without a body',
      async (method) => {
        const outside = await receiver({ fallback: { status: 200, body: 'here' } });
        opened.push(outside);
        const outcome = await start()[client]({ url: outside.url, method, timeoutMs: FAR_MS });
        expect(outcome).toMatchObject({ ok: true, body: method === 'HEAD' ? '' : 'here' });
        expect(outside.requests).toMatchObject([{ method, path: '/', body: Buffer.alloc(0) }]);
      },
    );

    test('the caller may send its own User-Agent', async () => {
      const { raw } = await sent((socket) => socket.write(httpAnswer(200)), {
        headers: { 'User-Agent': 'Acme' },
      });
      expect(raw.requests[0]?.match(/user-agent: .*/gi)?.map((line) => line.toLowerCase())).toEqual([
        'user-agent: acme',
      ]);
    });

    test.each([
      [{ Host: 'intern.example.com' }, 'The header "host" cannot be set.'],
      [{ 'transfer-encoding': 'chunked' }, 'The header "transfer-encoding" cannot be set.'],
      [{ 'Accept-Encoding': 'gzip' }, 'The header "accept-encoding" cannot be set.'],
      [{ 'x-a': 'one\r\nx-b: two' }, 'The value of the header "x-a" is not valid.'],
      [{ 'x a': 'one' }, 'The name of a header is not valid.'],
    ])('%j is refused before anything is sent', async (headers, message) => {
      const { outcome, raw } = await sent((socket) => socket.write(httpAnswer(200)), { headers });
      expect(outcome).toMatchObject({ ok: false, errorClass: 'invalid_request', message });
      expect(raw.connections()).toBe(0);
    });

    test.each(['GET', 'HEAD'] as const)('%s with a body is refused', async (method) => {
      const { outcome, raw } = await sent((socket) => socket.write(httpAnswer(200)), { method, body: 'x' });
      expect(outcome).toMatchObject({ ok: false, errorClass: 'invalid_request' });
      expect(raw.connections()).toBe(0);
    });
  });

  describe('the answer', () => {
    test('2xx is success, with text and the stored headers', async () => {
      const headers = { 'Content-Type': 'text/plain', 'X-Internal': 'kept by nobody' };
      const { outcome } = await sent((socket) => socket.write(httpAnswer(204 - 2, 'schön\0', headers)));
      expect(outcome).toEqual({
        ok: true,
        status: 202,
        headers: { 'content-type': 'text/plain' },
        body: 'schön\uFFFD',
        truncated: false,
        ms: expect.any(Number),
      });
    });

    test.each([301, 302, 303, 307, 308])('%i is a failure and is not followed', async (status) => {
      const { outcome, raw } = await sent((socket) =>
        socket.write(httpAnswer(status, 'moved', { location: 'http://127.0.0.1:1/secret' })),
      );
      expect(outcome).toMatchObject({
        ok: false,
        errorClass: 'http_status',
        status,
        body: 'moved',
        headers: { location: 'http://127.0.0.1:1/secret' },
        message: `The answer was ${status}; redirects are not followed.`,
      });
      expect(raw.requests).toHaveLength(1);
    });

    test.each([400, 401, 404, 410, 500, 503])('%i is a failure with its body', async (status) => {
      const { outcome } = await sent((socket) => socket.write(httpAnswer(status, '{"no":1}')));
      expect(outcome).toMatchObject({
        ok: false,
        errorClass: 'http_status',
        status,
        body: '{"no":1}',
        message: `The answer was ${status}.`,
      });
    });

    test('Retry-After is parsed, as seconds and as a date', async () => {
      const clock = () => Date.UTC(2026, 0, 1);
      for (const value of ['120', 'Thu, 01 Jan 2026 00:02:00 GMT']) {
        const raw = await behaving((socket) => socket.write(httpAnswer(429, '', { 'retry-after': value })));
        const outcome = await start({ clock })[client]({
          url: `http://127.0.0.1:${raw.port}`,
          timeoutMs: FAR_MS,
        });
        expect(outcome).toMatchObject({ ok: false, retryAfterMs: 120_000 });
      }
    });

    test('early hints are skipped, in any number', async () => {
      const { outcome } = await sent((socket) =>
        socket.write('HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n'.repeat(500) + httpAnswer(201, 'made')),
      );
      expect(outcome).toMatchObject({ ok: true, status: 201, body: 'made' });
    });

    test('endless early hints run into the deadline', async () => {
      const { outcome } = await sent(
        (socket) => flood(socket, 'HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n'.repeat(100)),
        { timeoutMs: DEADLINE_MS },
      );
      expect(failed(outcome)).toMatchObject({ errorClass: 'timeout', message: 'No answer within 0.3 s.' });
    });

    test('a compressed answer is neither requested nor unpacked', async () => {
      const bomb = gzipSync(Buffer.alloc(10_000_000));
      const { outcome, raw } = await sent((socket) => {
        socket.write(`HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ncontent-length: ${bomb.length}\r\n\r\n`);
        socket.write(bomb);
      });
      expect(raw.requests[0]).toMatch(/^accept-encoding: identity\r$/im);
      expect(outcome).toMatchObject({ ok: true, body: '', headers: { 'content-encoding': 'gzip' } });
    });
  });

  describe('limits', () => {
    test('an answer of exactly 64 KiB is complete', async () => {
      const body = 'a'.repeat(ANSWER_BYTES_MAX);
      const { outcome } = await sent((socket) => socket.write(httpAnswer(200, body)), { needBody: true });
      expect(outcome).toMatchObject({ ok: true, truncated: false, body });
    });

    test('64 KiB of a longer one are read, the status counts, and the connection is closed', async () => {
      const { outcome, raw } = await sent((socket) =>
        socket.write(httpAnswer(200, 'a'.repeat(ANSWER_BYTES_MAX + 1))),
      );
      expect(outcome).toMatchObject({ ok: true, truncated: true, body: 'a'.repeat(ANSWER_BYTES_MAX) });
      await eventually(() => raw.open() === 0);
    });

    test('a caller that needs the body gets too_large instead', async () => {
      const { outcome, raw } = await sent(
        (socket) => socket.write(httpAnswer(200, 'a'.repeat(ANSWER_BYTES_MAX + 1))),
        {
          needBody: true,
        },
      );
      expect(outcome).toMatchObject({
        ok: false,
        errorClass: 'too_large',
        status: 200,
        message: 'The answer is larger than 64 KiB.',
      });
      await eventually(() => raw.open() === 0);
    });

    test('a caller that needs bytes gets them unchanged, up to its own limit', async () => {
      const bytes = Buffer.concat([Buffer.from([0, 255, 254, 0]), Buffer.alloc(3 * ANSWER_BYTES_MAX, 7)]);
      const answer = (socket: Socket) => {
        socket.write(`HTTP/1.1 200 OK\r\ncontent-length: ${bytes.length}\r\n\r\n`);
        socket.write(bytes);
      };
      const { outcome } = await sent(answer, { method: 'GET', bytesMax: bytes.length });
      expect(outcome).toMatchObject({ ok: true, body: '', truncated: false });
      expect((outcome as { bytes?: Buffer }).bytes?.equals(bytes)).toBe(true);
      const cut = await sent(answer, { method: 'GET', bytesMax: 2 * ANSWER_BYTES_MAX });
      expect(cut.outcome).toMatchObject({
        ok: false,
        errorClass: 'too_large',
        message: 'The answer is larger than 128 KiB.',
      });
      await eventually(() => cut.raw.open() === 0);
    });

    test('a body of one-byte chunks is joined', async () => {
      const text = 'abcdefghij'.repeat(2_000);
      const { outcome } = await sent((socket) => {
        const chunks = [...text].map((letter) => `1\r\n${letter}\r\n`).join('');
        socket.write(`HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n${chunks}0\r\n\r\n`);
      });
      expect(outcome).toMatchObject({ ok: true, body: text });
    });

    test('an endless body is cut off', async () => {
      const { outcome, raw } = await sent((socket) => {
        socket.write('HTTP/1.1 500 Oops\r\ntransfer-encoding: chunked\r\n\r\n');
        flood(socket, `1000\r\n${'x'.repeat(4096)}\r\n`);
      });
      expect(outcome).toMatchObject({ ok: false, errorClass: 'http_status', status: 500, truncated: true });
      await eventually(() => raw.open() === 0);
    });

    test('headers over 16 KiB are too_large', async () => {
      const { outcome, raw } = await sent((socket) =>
        socket.write(httpAnswer(200, '', { 'x-a': 'a'.repeat(100_000) })),
      );
      expect(outcome).toMatchObject({
        ok: false,
        errorClass: 'too_large',
        message: 'The headers of the answer are too large.',
      });
      await eventually(() => raw.open() === 0);
    });
  });

  describe('one deadline covers everything', () => {
    test.each<[string, (socket: Socket) => void, string]>([
      ['hangs before the headers', () => undefined, 'No answer within 0.3 s.'],
      [
        'stops amid the headers',
        (socket) => socket.write('HTTP/1.1 200 OK\r\nx-a'),
        'No answer within 0.3 s.',
      ],
      [
        'hangs in the body',
        (socket) => socket.write('HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nhalf'),
        'No complete answer within 0.3 s.',
      ],
      [
        'drips a byte now and then',
        (socket) => {
          socket.write('HTTP/1.1 200 OK\r\ncontent-length: 100000\r\n\r\n');
          const timer = setInterval(() => socket.write('.'), 20);
          socket.once('close', () => clearInterval(timer));
        },
        'No complete answer within 0.3 s.',
      ],
    ])('a receiver that %s', async (_name, answer, message) => {
      const { outcome, raw } = await sent(answer, { timeoutMs: DEADLINE_MS });
      expect(failed(outcome)).toMatchObject({ errorClass: 'timeout', message });
      expect(outcome.ms).toBeGreaterThanOrEqual(DEADLINE_MS - 1);
      expect(outcome.ms).toBeLessThan(3_000); // far from what the answer would take;
      await eventually(() => raw.open() === 0);
    });

    test('includes resolving', async () => {
      const outbound = start({
        allow: ['name.test'],
        resolve: () => new Promise(() => undefined),
        resolveTimeoutMs: 1_000,
      });
      const outcome = await outbound[client]({ url: 'http://name.test', timeoutMs: DEADLINE_MS });
      expect(failed(outcome)).toMatchObject({ errorClass: 'timeout', message: 'No answer within 0.3 s.' });
    });

    test('a request that waits for a connection is not sent after its deadline', async () => {
      const held: ((addresses: string[]) => void)[] = [];
      const raw = await behaving((socket) => socket.write(httpAnswer(200)));
      const outbound = start({
        allow: ['name.test'],
        resolve: () => new Promise((resolve) => held.push(resolve)),
      });
      const url = `http://name.test:${raw.port}`;
      const outcome = await outbound[client]({ url, timeoutMs: DEADLINE_MS });
      expect(failed(outcome).errorClass).toBe('timeout');
      const second = outbound[client]({ url, timeoutMs: FAR_MS, body: 'second' });
      await eventually(() => {
        for (const resolve of held.splice(0)) resolve(['127.0.0.1']);
        return raw.requests.length > 0;
      });
      expect(await second).toMatchObject({ ok: true });
      expect(raw.requests).toHaveLength(1);
      expect(raw.requests[0]).toMatch(/second$/);
    });
  });

  describe('failing connections', () => {
    test('refused', async () => {
      const raw = await rawReceiver(() => undefined);
      await raw.close();
      const outcome = await start()[client]({ url: `http://127.0.0.1:${raw.port}`, timeoutMs: FAR_MS });
      expect(failed(outcome)).toMatchObject({
        errorClass: 'connect_refused',
        message: 'The connection was refused or the host cannot be reached.',
      });
    });

    test.each<[string, (socket: Socket) => void]>([
      ['reset before the answer', (socket) => socket.resetAndDestroy()],
      ['closed before the answer', (socket) => socket.end()],
      [
        'reset in the body',
        (socket) => {
          socket.write('HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nhalf', () => socket.resetAndDestroy());
        },
      ],
      ['closed in the body', (socket) => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nhalf')],
      [
        'closed in a chunk',
        (socket) => socket.end('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\nhal'),
      ],
    ])('%s', async (_name, answer) => {
      const { outcome } = await sent(answer);
      expect(failed(outcome)).toMatchObject({
        errorClass: 'connection_lost',
        message: expect.stringMatching(/^The (connection broke|answer was not valid)/),
      });
    });

    test.each([
      ['SSH-2.0-OpenSSH_9.2\r\n'],
      ['HTTP/1.1 abc\r\n\r\n'],
      ['HTTP/1.1 200 OK\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\nab'],
    ])('no HTTP: %j', async (text) => {
      const { outcome } = await sent((socket) => socket.end(text));
      expect(failed(outcome).errorClass).toBe('connection_lost');
    });
  });

  test('an unrequested upgrade is closed', async () => {
    const { outcome, raw } = await sent((socket) =>
      socket.write('HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n'),
    );
    expect(failed(outcome).errorClass).toBe('connection_lost');
    await eventually(() => raw.open() === 0);
  });

  describe('keep-alive', () => {
    test('connections are reused', async () => {
      const raw = await behaving((socket) => socket.write(httpAnswer(200)));
      const outbound = start();
      for (let count = 0; count < 5; count += 1) {
        expect(
          await outbound[client]({ url: `http://127.0.0.1:${raw.port}/${count}`, timeoutMs: FAR_MS }),
        ).toMatchObject({ ok: true });
      }
      expect(raw.requests).toHaveLength(5);
      // undici checks an answered connection again a moment later
      expect(raw.connections()).toBeLessThanOrEqual(2);
    });

    test('a receiver that closes silently after each answer causes no failure', async () => {
      const raw = await behaving((socket) => socket.end(httpAnswer(200)));
      const outbound = start();
      for (let count = 0; count < 10; count += 1) {
        const outcome = await outbound[client]({ url: `http://127.0.0.1:${raw.port}`, timeoutMs: FAR_MS });
        expect(outcome).toMatchObject({ ok: true });
        await eventually(() => raw.open() === 0, { intervalMs: 1 });
      }
    });

    test('connections to one receiver are bounded, and waiting requests are sent', async () => {
      const raw = await behaving((socket) => setTimeout(() => socket.write(httpAnswer(200)), 5));
      const outbound = start();
      const calls = Array.from({ length: 300 }, () =>
        outbound[client]({ url: `http://127.0.0.1:${raw.port}`, timeoutMs: FAR_MS }),
      );
      const outcomes = await Promise.all(calls);
      expect(outcomes.every(({ ok }) => ok)).toBe(true);
      expect(raw.connections()).toBeLessThanOrEqual(client === 'request' ? 32 : 100);
    });
  });

  test('close waits for requests in flight, then refuses new ones', async () => {
    const raw = await behaving((socket) => setTimeout(() => socket.write(httpAnswer(200)), 100));
    const outbound = outboundUnderTest();
    const call = { url: `http://127.0.0.1:${raw.port}`, timeoutMs: FAR_MS };
    const outcome = outbound[client](call);
    await eventually(() => raw.requests.length === 1);
    await outbound.close();
    expect(await outcome).toMatchObject({ ok: true });
    await expect(outbound[client](call)).rejects.toThrow('outbound is closed');
    await eventually(() => raw.open() === 0);
  });
});

/** Writes endlessly, as fast as the other side reads. */
function flood(socket: Socket, text: string): void {
  const more = (): void => {
    while (!socket.destroyed && socket.write(text));
  };
  socket.on('drain', more);
  more();
}
