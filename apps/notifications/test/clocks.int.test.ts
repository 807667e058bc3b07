// One replica an hour fast and one an hour slow (libfaketime) on one database. Nothing leaves early
// or arrives twice, no valid key is refused, and both report their wrong clock
// (docs/platform.md#one-clock).
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';
import { apiClient, identityToken, type ApiClient } from '@parley/testing-services';
import { fakeClock, freePort } from '@parley/testing/servers';
import { eventually, receiver, type Receiver } from '@parley/testing';
import { startNotifications, type NotificationsUnderTest } from './service.ts';

/** A busy machine takes ten times as long as an idle one. */
const PATIENCE_MS = 60_000;
jest.setTimeout(3 * PATIENCE_MS);

const MINUTE_MS = 60_000;
const SENDS = 12;
const ROOT = join(import.meta.dirname, '../../..');

let service: NotificationsUnderTest;
let outside: Receiver;
let tools: string;
const children: ChildProcess[] = [];
const urls: string[] = [];
beforeAll(async () => {
  // Long enough that a lease looks expired by the fast replica's own clock.
  outside = await receiver({ fallback: { status: 200, afterMs: 1_000 } });
  tools = await mkdtemp(join(tmpdir(), 'parley-clocks-'));
  service = await startNotifications({ env: { OPERATOR_ORGANIZATION: 'acme' } });
  for (const offset of ['+1h', '-1h']) await startReplica(offset);
});
afterAll(async () => {
  await Promise.all(
    children.map(async (child) => {
      const exited = once(child, 'exit');
      child.kill('SIGKILL');
      await exited;
    }),
  );
  await service.stop();
  await outside.close();
  await rm(tools, { recursive: true });
});

async function startReplica(offset: string): Promise<void> {
  const PORT = String(await freePort());
  const clock = await fakeClock(join(ROOT, '.parley'), offset);
  const script = join(import.meta.dirname, '../src/main.ts');
  const child = spawn(process.execPath, ['--import', 'tsx', script], {
    env: { PATH: process.env['PATH'], ...service.env, HOST: '127.0.0.1', PORT, LOG_LEVEL: 'warn', ...clock },
    stdio: 'ignore',
    cwd: import.meta.dirname,
  });
  children.push(child);
  const url = `http://127.0.0.1:${PORT}`;
  urls.push(url);
  await eventually(async () => (await fetch(`${url}/health`).catch(() => undefined))?.status === 200, {
    timeoutMs: PATIENCE_MS,
  });
}

const through = (credential: string): ApiClient[] => urls.map((url) => apiClient(url, credential));
const toWebhook = (message: string, sendAtMs?: number) => ({
  channels: ['webhook'],
  message,
  target: { webhook: { url: outside.url, payload: { message } } },
  ...(sendAtMs === undefined ? {} : { send_at: sendAtMs / 1_000 }),
});
const arrived = (message: string) =>
  outside.requests.filter(({ body }) => body.toString().includes(message)).length;

test('replicas with a wrong clock are not ready and report the reason', async () => {
  for (const [index, url] of urls.entries()) {
    expect((await fetch(`${url}/ready`)).status).toBe(503);
    const metrics = await (await fetch(`${url}/metrics`)).text();
    const ahead = /^clock_ahead_seconds\{.*\} (\S+)$/m.exec(metrics);
    expect(Math.round(Number(ahead?.[1]) / 60)).toBe(index === 0 ? 60 : -60);
  }
  const open = await service.api.get('/v1/alerts?kind=clock_off').expect(200);
  expect((open.body as { items: object[] }).items).toMatchObject([{ status: 'open', severity: 'error' }]);
});

test('valid credentials are accepted, expired ones are refused', async () => {
  const issue = async (expiresInMs: number) => {
    const expires_at = (Date.now() + expiresInMs) / 1_000;
    const made = await service.api
      .post('/v1/api-keys', { name: 'x', scopes: ['admin'], expires_at })
      .expect(201);
    return (made.body as { id: string; key: string }).key;
  };
  const valid = await issue(30 * MINUTE_MS);
  const brief = await issue(1_000);
  await new Promise((resolve) => setTimeout(resolve, 1_500));
  const token = identityToken({ organization_id: 'acme', scope: 'read' });
  for (const api of through(valid)) await api.get('/v1/notify').expect(200);
  for (const api of through(brief)) await api.get('/v1/notify').expect(401);
  for (const api of through(await token)) await api.get('/v1/notify').expect(200);
});

test('nothing is early or repeated, and what is due arrives', async () => {
  const apis = through(service.key);
  for (const api of apis) {
    await api.post('/v1/notify', toWebhook('in-half-an-hour', Date.now() + 30 * MINUTE_MS)).expect(202);
    await api.post('/v1/notify', toWebhook('in-two-minutes', Date.now() + 2 * MINUTE_MS)).expect(202);
  }
  const soonMs = Date.now() + 4_000;
  for (const api of apis) await api.post('/v1/notify', toWebhook('soon', soonMs)).expect(202);
  for (let n = 0; n < SENDS; n += 1)
    await apis[n % 2]!.post('/v1/notify', toWebhook(`now-${n}-`)).expect(202);
  await eventually(() => outside.requests.length >= SENDS + apis.length, { timeoutMs: PATIENCE_MS });
  await eventually(() => arrived('soon') === apis.length, { timeoutMs: PATIENCE_MS });
  expect(Date.now()).toBeGreaterThanOrEqual(soonMs);
  // Time for the sweepers to claim what looks due or abandoned.
  await new Promise((resolve) => setTimeout(resolve, 3_000));
  expect(Array.from({ length: SENDS }, (_, n) => arrived(`now-${n}-`))).toEqual(Array(SENDS).fill(1));
  expect([arrived('in-half-an-hour'), arrived('in-two-minutes'), arrived('soon')]).toEqual([0, 0, 2]);
});
