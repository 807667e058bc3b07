// Serves the built page with its security headers, and nothing else of the build.
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startConsole, type ConsoleUnderTest } from './console-under-test.ts';

let app: ConsoleUnderTest;
beforeAll(async () => {
  app = await startConsole();
});
afterAll(() => app.stop());

test.each([
  ['/', 200, 'no-cache'],
  ['/conversations/conv_1?state=failed', 200, 'no-cache'],
  ['/assets/index-1.js', 200, 'public, max-age=31536000, immutable'],
  ['/assets/index-0.js', 404, null],
  ['/assets/index-1.js.map', 404, null],
  ['/.vite/manifest.json', 404, null],
  ['/../package.json', 404, null],
  ['/metrics', 404, null],
])('%s is %d', async (path, status, caching) => {
  const response = await fetch(app.url + path);
  expect(response.status).toBe(status);
  expect(response.headers.get('cache-control')).toBe(caching);
  const policy = response.headers.get('content-security-policy');
  expect(policy).toContain("default-src 'none'");
  expect(policy).not.toMatch(/unsafe|https?:|\*/);
  expect(response.headers.get('x-content-type-options')).toBe('nosniff');
  if (status === 200 && !path.startsWith('/assets'))
    expect(await response.text()).toContain('<title>Parley</title>');
});

test('compressed responses have the same content', async () => {
  const plain = await fetch(`${app.url}/`, { headers: { 'accept-encoding': 'identity' } });
  expect(plain.headers.get('content-encoding')).toBeNull();
  const packed = await fetch(`${app.url}/`, { headers: { 'accept-encoding': 'gzip' } });
  expect(packed.headers.get('content-encoding')).toBe('gzip');
  expect(await packed.text()).toBe(await plain.text());
});

test('refuses other methods, and serves probes without a session', async () => {
  expect((await fetch(`${app.url}/`, { method: 'POST' })).status).toBe(405);
  expect((await fetch(`${app.url}/health`)).status).toBe(200);
});
