// Large or slow requests (docs/platform.md#limits) are refused soon, with a bounded answer.
import { describe, expect, test } from '@jest/globals';
import { setTimeout as sleep } from 'node:timers/promises';
import supertest from 'supertest';
import { flowBuilderDialect } from '@parley/envelopes';
import { capturedLog, eventually } from '@parley/testing';
import { LARGE_BODY_BYTES } from '../src/body/read-body.ts';
import { wireTo } from './raw-http.ts';
import { tinyApi } from './tiny-api.ts';

const WRITER = 'Bearer acme:read,write';
/** Processor time, in µs: far above the expected one, far below the seconds that it took. */
const CHEAP_US = 2_000_000;

describe('a body of nothing but', () => {
  const api = tinyApi(flowBuilderDialect, capturedLog());
  const many = (count: number, item: (index: number) => string) =>
    Array.from({ length: count }, (_, index) => item(index)).join(',');

  test.each([
    ['unknown members', 100, `{"text":"x",${many(9_000, (n) => `"k${n}":1`)}}`],
    ['more members than anybody has', 1, `{${many(90_000, (n) => `"${n}":1`)}}`],
    ['more items than the list may have', 1, `{"text":"x","labels":[${many(50_000, () => '{}')}]}`],
    [
      'unknown members of items: the first is reported',
      1,
      `{"text":"x","labels":[{${many(9_000, (n) => `"k${n}":1`)}}]}`,
    ],
  ])('%s: 400, at most %i places', async (_what, places, body) => {
    expect(body.length).toBeLessThan(1024 * 1024);
    const before = process.cpuUsage();
    const refused = await supertest((await api).url)
      .post('/v1/notes')
      .set({ authorization: WRITER, 'content-type': 'application/json' })
      .send(body)
      .expect(400);
    expect(process.cpuUsage(before).user).toBeLessThan(CHEAP_US);
    expect((refused.body as { errors: object[] }).errors.length).toBe(places);
  });
});

test('a body that does not arrive in time is 408 with a code, and the connection is closed', async () => {
  const { server } = await tinyApi(flowBuilderDialect, capturedLog(), { bodyWithinMs: 100 });
  const wire = await wireTo(server.port);
  await wire.write(
    `PUT /v1/echo HTTP/1.1\r\nHost: x\r\nAuthorization: ${WRITER}\r\n` +
      'Content-Type: application/json\r\nContent-Length: 100\r\n\r\n{',
  );
  await wire.closed;
  expect(wire.text()).toMatch(/^HTTP\/1\.1 408 /);
  expect(wire.text()).toContain('"code":"request_timeout"');
});

test('408 reaches a client that reads only after it has sent everything', async () => {
  const { server } = await tinyApi(flowBuilderDialect, capturedLog(), { bodyWithinMs: 20 });
  const piece = Buffer.alloc(8 * 1024, 0x20);
  const pieces = 20;
  const put = async () => {
    const wire = await wireTo(server.port);
    wire.socket.pause();
    await wire.write(
      `PUT /v1/echo HTTP/1.1\r\nHost: x\r\nAuthorization: ${WRITER}\r\n` +
        `Content-Type: application/json\r\nContent-Length: ${pieces * piece.length}\r\n\r\n`,
    );
    for (let sent = 0; sent < pieces; sent += 1) {
      await sleep(5);
      expect(await wire.write(piece)).toBe(true);
    }
    wire.socket.resume();
    await eventually(() => wire.text().includes('"code":"request_timeout"'));
    await wire.write(`GET /v1/notes HTTP/1.1\r\nHost: x\r\nAuthorization: ${WRITER}\r\n\r\n`);
    await eventually(() => wire.text().includes('HTTP/1.1 200'));
    wire.socket.destroy();
  };
  for (let round = 0; round < 10; round += 1) await Promise.all([put(), put(), put(), put()]);
});

test('large bodies of one organisation run one after the other, and others do not wait for them', async () => {
  const inHand = new Set<string>();
  const [begun, most]: [string[], number[]] = [[], []];
  const ends: (() => void)[] = [];
  const { url } = await tinyApi(flowBuilderDialect, capturedLog(), {
    create: async (text) => {
      const [name] = text.split(' ') as [string];
      begun.push(name);
      if (!name.startsWith('large')) return;
      inHand.add(name);
      most.push(inHand.size);
      await new Promise<void>((resolve) => ends.push(resolve));
      inHand.delete(name);
    },
  });
  const large = 'x'.repeat(LARGE_BODY_BYTES);
  const write = (organization: string, text: string) =>
    supertest(url)
      .post('/v1/notes')
      .set('authorization', `Bearer ${organization}:write`)
      .send({ text })
      .then(({ status }) => status);
  const acmes = ['large1', 'large2', 'large3'].map((name) => write('acme', `${name} ${large}`));
  await eventually(() => begun.length === 1);
  expect(await Promise.all([write('acme', 'small'), write('globex', 'small')])).toEqual([201, 201]);
  const theirs = write('globex', `larges ${large}`);
  await eventually(() => begun.includes('larges'));
  expect(begun).toHaveLength(4);
  for (let ended = 0; ended < 4; ended += 1) {
    await eventually(() => ends.length > 0);
    ends.shift()!();
  }
  expect(await Promise.all([...acmes, theirs])).toEqual([201, 201, 201, 201]);
  expect(Math.max(...most)).toBe(2); // one of each
});

test('refuses the large bodies of an organisation beyond the maximum that may wait', async () => {
  let end: () => void = () => undefined;
  const ended = new Promise<void>((resolve) => (end = resolve));
  const { url } = await tinyApi(flowBuilderDialect, capturedLog(), { create: () => ended });
  const body = { text: 'x'.repeat(LARGE_BODY_BYTES) };
  const asked = Array.from({ length: 66 }, () =>
    supertest(url).post('/v1/notes').set('authorization', 'Bearer acme:write').send(body),
  );
  const [first] = await Promise.race(asked.map(async (one) => [await one]));
  expect([first!.status, first!.headers['retry-after']]).toEqual([429, '2']);
  expect((first!.body as { code: string }).code).toBe('concurrency_limited');
  end();
  const statuses = (await Promise.all(asked)).map(({ status }) => status);
  expect(statuses.filter((status) => status === 201)).toHaveLength(65);
});

describe('an answer of many pieces', () => {
  const body = JSON.stringify({ text: 'äö€😀 '.repeat(60_000) });

  test('arrives unchanged', async () => {
    const echoed = await supertest((await tinyApi(flowBuilderDialect, capturedLog())).url)
      .put('/v1/echo')
      .set({ authorization: WRITER, 'content-type': 'application/json' })
      .send(body)
      .expect(200);
    expect(Number(echoed.headers['content-length'])).toBe(Buffer.byteLength(echoed.text));
    expect(JSON.parse(echoed.text)).toMatchObject(JSON.parse(body) as object);
  });

  test('a client that leaves in the middle of it harms no other', async () => {
    const { url, server } = await tinyApi(flowBuilderDialect, capturedLog());
    const wire = await wireTo(server.port);
    wire.socket.once('data', () => wire.socket.destroy());
    await wire.write(
      `PUT /v1/echo HTTP/1.1\r\nHost: x\r\nAuthorization: ${WRITER}\r\nContent-Type: application/json\r\n` +
        `Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
    );
    await wire.closed;
    await supertest(url).get('/v1/notes').set('authorization', WRITER).expect(200);
  });
});
