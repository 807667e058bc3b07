import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { receiver } from '../src/index.ts';
import type { Receiver } from '../src/index.ts';

let outside: Receiver;
beforeEach(async () => {
  outside = await receiver({ fallback: (request) => (request.path === '/teapot' ? 418 : 200) });
});
afterEach(() => outside.close());

describe('receiver', () => {
  test('stores method, path, headers and the exact bytes', async () => {
    await fetch(`${outside.url}/hook?a=1`, {
      method: 'POST',
      body: '{"é": 1 }',
      headers: { 'x-signature': 's' },
    });
    const [request] = await outside.received(1);
    expect(request).toMatchObject({ method: 'POST', path: '/hook?a=1', body: Buffer.from('{"é": 1 }') });
    expect(request?.headers['x-signature']).toBe('s');
  });

  test('answers by script first, then by the fallback', async () => {
    outside.script(503, { status: 201, headers: { 'x-by': 'script' }, body: { ok: true }, afterMs: 20 });
    expect((await fetch(outside.url)).status).toBe(503);
    const second = await fetch(outside.url);
    expect([second.status, second.headers.get('x-by'), await second.json()]).toEqual([
      201,
      'script',
      { ok: true },
    ]);
    expect((await fetch(`${outside.url}/teapot`)).status).toBe(418);
  });

  test('can hang and close connections', async () => {
    outside.script('hang', 'reset');
    await expect(fetch(outside.url, { signal: AbortSignal.timeout(100) })).rejects.toThrow(/abort|timeout/i);
    await expect(fetch(outside.url)).rejects.toThrow('fetch failed');
    expect(outside.requests).toHaveLength(2);
  });

  test('reports how many requests are missing', async () => {
    await fetch(outside.url);
    await expect(outside.received(2, 50)).rejects.toThrow('1 of 2 requests arrived within 50 ms');
  });

  test('close() ends a hanging request', async () => {
    outside.script('hang');
    const hanging = expect(fetch(outside.url)).rejects.toThrow('fetch failed');
    await outside.received(1);
    await outside.close();
    await hanging;
  });
});
