// The server with raw sockets: limits, keep-alive, and how it stops.
import { describe, expect, jest, test } from '@jest/globals';
import http from 'node:http';
import { z } from 'zod';
import { notificationsDialect } from '@parley/envelopes';
import { BODY_BYTES_MAX, get, listen } from '../src/index.ts';
import { capturedLog, eventually } from '@parley/testing';
import supertest from 'supertest';
import { formatUrl } from '../src/listen.ts';
import { wireTo } from './raw-http.ts';
import { tinyApi } from './tiny-api.ts';

const AUTHORIZED = 'host: x\r\nauthorization: Bearer acme:read,write\r\n';
const REQUEST = `GET /v1/notes HTTP/1.1\r\n${AUTHORIZED}\r\n`;

async function start(overrides = {}) {
  const { server } = await tinyApi(notificationsDialect, capturedLog(), overrides);
  return server;
}

/** An API whose answers wait until the test releases them. */
async function startWithGate() {
  let release: () => void = () => undefined;
  const released = new Promise<void>((resolve) => (release = resolve));
  let waiting = 0;
  const gated = get(
    '/gated',
    {
      operationId: 'gated',
      summary: 'x',
      scope: 'read',
      query: z.strictObject({ place: z.string().optional() }),
      replies: { 200: z.unknown() },
    },
    async ({ query }) => {
      waiting += 1;
      await released;
      return { answered: query.place ?? true };
    },
  );
  const server = await start({ faces: [{ face: 'v1', base: '/v1', endpoints: [gated] }] });
  return { server, release, entered: (count = 1) => eventually(() => waiting === count) };
}

const answers = (text: string) => text.match(/HTTP\/1\.1 \d{3}/g) ?? [];

describe('listen', () => {
  test('returns its address, and refuses a port that is taken', async () => {
    const server = await start();
    expect(server.url).toBe(`http://127.0.0.1:${server.port}`);
    expect((await fetch(`${server.url}/health`)).status).toBe(200);
    const { app } = await tinyApi(notificationsDialect, capturedLog());
    await expect(listen(app, { host: '127.0.0.1', port: server.port })).rejects.toThrow('EADDRINUSE');
  });

  test('an IPv6 address stands in brackets', () => {
    expect([formatUrl('::1', 80), formatUrl('0.0.0.0', 80)]).toEqual([
      'http://[::1]:80',
      'http://0.0.0.0:80',
    ]);
  });

  test('one connection serves many requests, sequential or pipelined', async () => {
    const server = await start();
    const wire = await wireTo(server.port);
    await wire.write(REQUEST);
    await eventually(() => answers(wire.text()).length === 1);
    await wire.write(REQUEST.repeat(3));
    await eventually(() => answers(wire.text()).length === 4);
    expect(wire.text()).toContain('Keep-Alive: timeout=65');
    wire.socket.destroy();
  });
});

describe('limits', () => {
  test('headers of more than 16 KiB: 431', async () => {
    const server = await start();
    const wire = await wireTo(server.port);
    await wire.write(`GET /health HTTP/1.1\r\nhost: x\r\nx-large: ${'x'.repeat(17 * 1024)}\r\n\r\n`);
    await wire.closed;
    expect(answers(wire.text())).toEqual(['HTTP/1.1 431']);
  });

  test('413 by Content-Length is answered before the body is sent', async () => {
    const server = await start();
    const wire = await wireTo(server.port);
    const head = `PUT /v1/echo HTTP/1.1\r\n${AUTHORIZED}content-type: application/json\r\ncontent-length: ${BODY_BYTES_MAX + 1}\r\n\r\n`;
    await wire.write(head);
    await eventually(() => answers(wire.text()).length === 1);
    expect(answers(wire.text())).toEqual(['HTTP/1.1 413']);
    wire.socket.destroy();
  });

  test.each(['content-length', 'chunked'])(
    '413 (%s) reaches a client that reads only after it has sent everything, and the connection goes on',
    async (framing) => {
      const server = await start();
      const wire = await wireTo(server.port);
      const body = Buffer.alloc(4 * BODY_BYTES_MAX, 0x20);
      const frame = framing === 'chunked' ? 'transfer-encoding: chunked' : `content-length: ${body.length}`;
      wire.socket.pause();
      await wire.write(
        `PUT /v1/echo HTTP/1.1\r\n${AUTHORIZED}content-type: application/json\r\n${frame}\r\n\r\n`,
      );
      for (let part = 0; part < 4; part += 1) {
        const bytes = body.subarray(part * BODY_BYTES_MAX, (part + 1) * BODY_BYTES_MAX);
        if (framing === 'chunked') await wire.write(`${bytes.length.toString(16)}\r\n`);
        expect(await wire.write(bytes)).toBe(true);
        if (framing === 'chunked') await wire.write('\r\n');
      }
      if (framing === 'chunked') await wire.write('0\r\n\r\n');
      wire.socket.resume();
      await wire.write(REQUEST);
      await eventually(() => answers(wire.text()).length === 2);
      expect(answers(wire.text())).toEqual(['HTTP/1.1 413', 'HTTP/1.1 200']);
      wire.socket.destroy();
    },
  );

  test.each(['transfer-encoding: chunked', 'content-length: 1000000000000'])(
    'an endless body is cut off (%s)',
    async (frame) => {
      const server = await start();
      const wire = await wireTo(server.port);
      await wire.write(
        `PUT /v1/echo HTTP/1.1\r\n${AUTHORIZED}content-type: application/json\r\n${frame}\r\n\r\n`,
      );
      const chunk = Buffer.concat([
        Buffer.from('100000\r\n'),
        Buffer.alloc(0x100000, 0x20),
        Buffer.from('\r\n'),
      ]);
      let sent = 0;
      while (sent < 64 && (await wire.write(chunk))) sent += 1;
      await wire.closed;
      expect(sent).toBeLessThan(64);
      expect(answers(wire.text())).toEqual(['HTTP/1.1 413']);
    },
  );

  test('a body one byte within the limit is accepted', async () => {
    const { url } = await start();
    const body = `{"text":"${'x'.repeat(BODY_BYTES_MAX - 11)}"}`;
    expect(body.length).toBe(BODY_BYTES_MAX);
    const put = (text: string) =>
      supertest(url)
        .put('/v1/echo')
        .set('authorization', 'Bearer acme:write')
        .set('content-type', 'application/json')
        .send(text);
    expect((await put(body)).status).toBe(200);
    expect((await put(`${body} `)).status).toBe(413);
  });
});

test('concurrent answers each reach their client, even if others have gone', async () => {
  const { server, release, entered } = await startWithGate();
  const wires = await Promise.all(Array.from({ length: 100 }, () => wireTo(server.port)));
  await Promise.all(
    wires.map(({ write }, place) => write(`GET /v1/gated?place=${place} HTTP/1.1\r\n${AUTHORIZED}\r\n`)),
  );
  await entered(wires.length);
  const [gone, ...others] = wires;
  gone!.socket.destroy();
  release();
  await eventually(() => others.every(({ text }) => answers(text()).length === 1));
  for (const [index, { text, socket }] of others.entries()) {
    expect(text()).toContain(`{"answered":"${index + 1}"}`);
    socket.destroy();
  }
  expect((await fetch(`${server.url}/health`)).status).toBe(200);
});

describe('close', () => {
  test('answers requests in flight, closes idle connections, and accepts nothing new', async () => {
    const { server, release, entered } = await startWithGate();
    const busy = await wireTo(server.port);
    const idle = await wireTo(server.port);
    const silent = await wireTo(server.port);
    await idle.write('GET /health HTTP/1.1\r\nhost: x\r\n\r\n');
    await eventually(() => answers(idle.text()).length === 1);
    await busy.write(`GET /v1/gated HTTP/1.1\r\n${AUTHORIZED}\r\n`);
    await entered();

    const closed = server.close();
    // a connection without a single byte does not delay it either
    await Promise.all([idle.closed, silent.closed]);
    await expect(wireTo(server.port)).rejects.toThrow('ECONNREFUSED');
    expect(busy.text()).toBe('');
    release();
    await Promise.all([closed, busy.closed]);
    expect(busy.text()).toContain('{"answered":true}');
  });

  test('a client with keep-alive does not delay it', async () => {
    const server = await start();
    const agent = new http.Agent({ keepAlive: true });
    await new Promise<void>((resolve, reject) => {
      http
        .get(`${server.url}/health`, { agent }, (response) => response.resume().on('end', resolve))
        .on('error', reject);
    });
    const startedAt = performance.now();
    await server.close();
    expect(performance.now() - startedAt).toBeLessThan(10_000); // an idle connection is kept for 65 s
    agent.destroy();
  });
});

describe('requests and responses', () => {
  /** Whether Express had to change the prototypes of the request and response of `work`. */
  async function prototypesChanged(work: () => Promise<{ status: number }>): Promise<boolean[]> {
    const changed: boolean[] = [];
    const set = jest.spyOn(Object, 'setPrototypeOf').mockImplementation((value: object, prototype) => {
      if (value instanceof http.IncomingMessage || value instanceof http.ServerResponse) {
        changed.push(Object.getPrototypeOf(value) !== prototype);
      }
      Reflect.setPrototypeOf(value, prototype);
      return value;
    });
    try {
      expect((await work()).status).toBe(200);
    } finally {
      set.mockRestore();
    }
    return changed;
  }

  test('are created with the prototypes that Express would set', async () => {
    const server = await start();
    expect(await prototypesChanged(() => fetch(`${server.url}/health`))).toEqual([false, false]);
    const { app } = await tinyApi(notificationsDialect, capturedLog());
    expect(await prototypesChanged(async () => supertest(app).get('/health'))).toEqual([true, true]);
  });

  test('work the same on a plain server', async () => {
    const { app } = await tinyApi(notificationsDialect, capturedLog());
    const plain = await supertest(app).get('/health');
    const server = await start();
    const own = await fetch(`${server.url}/health`);
    expect(plain.status).toBe(own.status);
    expect(plain.text).toBe(await own.text());
    expect(own.headers.get('content-type')).toBe(plain.headers['content-type']);
  });
});
