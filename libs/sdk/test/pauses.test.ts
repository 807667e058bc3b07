// When a call is repeated, and after which pause (docs/sdk.md#repeats).
import { expect, test } from '@jest/globals';
import { toApiError, ConnectionError, ParleyError } from '../src/errors.ts';
import { computePauseMs, createSender } from '../src/send.ts';

const list = { method: 'GET', path: '/v1/flows' };
const create = { method: 'POST', path: '/v1/flows', creates: true } as const;
const answered = (status: number, retryAfter?: string) =>
  toApiError(
    new Response(null, { status, headers: retryAfter === undefined ? {} : { 'retry-after': retryAfter } }),
    '',
  );

test.each([408, 425, 429, 500, 502, 503, 504])('%i is repeated', (status) => {
  expect(computePauseMs(answered(status), 0, list)).toBeGreaterThan(0);
});

test.each([400, 401, 403, 404, 409, 412, 413, 422])('%i is not', (status) => {
  expect(computePauseMs(answered(status), 0, create)).toBeNull();
});

test('does not repeat errors that are not failures of an attempt', () => {
  expect(computePauseMs(new TypeError(), 0, list)).toBeNull();
  expect(computePauseMs(new ParleyError(), 0, list)).toBeNull();
});

test('pauses double up to 8 s, minus up to half', () => {
  [500, 1_000, 2_000, 4_000, 8_000, 8_000].forEach((ceiling, attempt) => {
    const pauses = Array.from({ length: 50 }, () => computePauseMs(new ConnectionError(), attempt, list)!);
    expect(Math.max(...pauses)).toBeLessThanOrEqual(ceiling);
    expect(Math.min(...pauses)).toBeGreaterThanOrEqual(ceiling / 2);
    expect(new Set(pauses).size).toBeGreaterThan(10);
  });
});

test('Retry-After, in seconds or as a date, lengthens a pause up to a minute', () => {
  expect(computePauseMs(answered(503, '20'), 0, list)).toBe(20_000);
  const date = new Date(Date.now() + 30_000).toUTCString();
  expect(computePauseMs(answered(429, date), 0, list)).toBeGreaterThan(28_000);
  expect(computePauseMs(answered(429, '61'), 0, list)).toBeNull();
  expect(computePauseMs(answered(429, 'soon'), 0, list)).toBeLessThanOrEqual(500);
});

test('a creating call waits for its first attempt that is still in progress', () => {
  expect(computePauseMs(answered(409, '1'), 0, create)).toBe(1_000);
  expect(computePauseMs(answered(409, '1'), 0, list)).toBeNull();
});

test.each(['', '.', '..', '...'])(
  'an id %j, which would name another path, is refused before it is sent',
  async (id) => {
    let sent = 0;
    const fetch = () => Promise.resolve(new Response(String((sent += 1))));
    const send = createSender({ url: 'https://parley.example' }, { fetch: fetch });
    const operation = { method: 'DELETE', path: '/v1/flows/{flow_id}/tests/{name}' };
    await expect(send(operation, { flow_id: 'f', name: id }, {})).rejects.toThrow('name must be');
    expect(sent).toBe(0);
  },
);
