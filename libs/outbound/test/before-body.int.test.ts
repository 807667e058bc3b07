// `silentMs` and `beforeBody` of `request`: a silent receiver fails, and the caller may take its
// time.
import { afterEach, expect, test } from '@jest/globals';
import type { Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { eventually } from '@parley/testing';
import type { Call } from '../src/index.ts';
import { outboundUnderTest } from './outbound-under-test.ts';
import { rawReceiver } from './raw-receiver.ts';

const opened: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const one of opened.splice(0).reverse()) await one.close();
});

const SILENT_MS = 300;
const BODY = Buffer.alloc(8 * 1024 * 1024, 7);
const head = (length: number) => `HTTP/1.1 200 OK\r\ncontent-length: ${length}\r\n\r\n`;

async function sent(answer: (socket: Socket) => void, call: Partial<Call>) {
  const raw = await rawReceiver(answer);
  const outbound = outboundUnderTest();
  opened.push(raw, outbound);
  const url = `http://127.0.0.1:${raw.port}/`;
  const outcome = outbound.request({ url, method: 'GET', timeoutMs: 5_000, bytesMax: BODY.length, ...call });
  return { outcome, raw };
}

test.each<[string, (socket: Socket) => void, string]>([
  ['before the headers', () => undefined, 'No answer within 0.3 s.'],
  ['in the body', (socket) => socket.write(`${head(10)}half`), 'Nothing arrived for 0.3 s.'],
])('a receiver that is silent %s has failed', async (_name, answer, message) => {
  const { outcome, raw } = await sent(answer, { silentMs: SILENT_MS });
  expect(await outcome).toMatchObject({ ok: false, errorClass: 'timeout', message });
  expect((await outcome).ms).toBeLessThan(3_000);
  await eventually(() => raw.open() === 0);
});

test('a receiver that sends a little now and then is not silent', async () => {
  const answer = (socket: Socket) => {
    socket.write(head(8));
    const timer = setInterval(() => socket.write('.'), SILENT_MS / 3);
    socket.once('close', () => clearInterval(timer));
  };
  const { outcome } = await sent(answer, { silentMs: SILENT_MS });
  expect(await outcome).toMatchObject({ ok: true, bytes: Buffer.from('........') });
});

test("the body is read when the caller is ready; the wait does not count as the receiver's time", async () => {
  let written = 0;
  const answer = (socket: Socket) => {
    socket.write(head(BODY.length));
    socket.write(BODY, () => (written = BODY.length));
  };
  let beforeReady = -1;
  const { outcome } = await sent(answer, {
    silentMs: SILENT_MS,
    timeoutMs: 900,
    beforeBody: async () => {
      await delay(1_200);
      beforeReady = written;
    },
  });
  expect(await outcome).toMatchObject({ ok: true });
  expect(((await outcome) as { bytes?: Buffer }).bytes?.equals(BODY)).toBe(true);
  expect({ beforeReady, written }).toEqual({ beforeReady: 0, written: BODY.length });
});

test('after the wait the receiver is timed as before', async () => {
  const { outcome } = await sent((socket) => socket.write(`${head(10)}half`), {
    silentMs: SILENT_MS,
    beforeBody: () => delay(10),
  });
  expect(await outcome).toMatchObject({
    ok: false,
    errorClass: 'timeout',
    message: 'Nothing arrived for 0.3 s.',
  });
});

test('an error of the caller is not one of the receiver', async () => {
  const { outcome, raw } = await sent((socket) => socket.write(`${head(10)}half`), {
    beforeBody: () => Promise.reject(new Error('no place')),
  });
  await expect(outcome).rejects.toThrow('no place');
  await eventually(() => raw.open() === 0);
});
