// Slow or silent hosts of attachments delay only the mails that need them
// (docs/notifications.md#slow-hosts-of-attachments).
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { setSetting } from '@parley/server/organizations';
import { eventually, fakeSendGrid, receiver, type FakeSendGrid, type Receiver } from '@parley/testing';
import { startNotifications, type NotificationsUnderTest } from '../service.ts';

const SLOW_MAILS = 50;
/** About a second, with margin for a busy machine. */
const WITHIN_MS = 2_500;

let service: NotificationsUnderTest;
let sendgrid: FakeSendGrid;
/** Answers except below `/hang`. */
let files: Receiver;
/** Begins every answer and never ends it; sends a byte each second. */
let trickling: Server;
let counter = 0;
let [slow, other] = ['', ''];

beforeAll(async () => {
  sendgrid = await fakeSendGrid();
  files = await receiver({
    fallback: ({ path }) => (path.startsWith('/hang') ? 'hang' : { body: 'tea' }),
  });
  trickling = createServer((_request, response) => {
    response.writeHead(200);
    response.write('x');
    const writing = setInterval(() => response.write('x'), 1_000);
    response.once('close', () => clearInterval(writing));
  });
  await new Promise<void>((resolve) => trickling.listen(0, '127.0.0.1', resolve));
  service = await startNotifications({
    worker: true,
    env: {
      SENDGRID_BASE_URL: sendgrid.url,
      TEST_SENDGRID: 'SG.key',
      DELIVERY_TIMEOUT_MS: '15000',
      DELIVERY_RETRY_WAITS_MS: '60000,60000,60000',
    },
  });
});
afterAll(async () => {
  trickling.close().closeAllConnections();
  await files.close();
  await sendgrid.close();
  await service.stop();
}, 40_000);
beforeEach(async () => {
  counter += 1;
  [slow, other] = [`slow-${counter}`, `other-${counter}`];
  for (const organization of [slow, other]) await configure(organization);
  sendgrid.requests.length = 0;
});

async function configure(organization: string) {
  const set = (key: string, value: { value: string } | { reference: string }) =>
    setSetting(service.deps.sql, organization, key, value, Date.now());
  await set('email_from', { value: 'alerts@acme.example' });
  await set('sendgrid_api_key', { reference: 'env://TEST_SENDGRID' });
}

async function send(organization: string, url: string, count = 1) {
  const api = service.as(await service.issueKey(organization));
  const email = { email: `${organization}@customer.example`, attachments: [{ filename: 'a.bin', url }] };
  const body = { channels: ['email'], message: 'x', target: { email } };
  const one = () => api.post('/v1/notify').send(body).expect(202);
  for (let sent = 0; sent < count; sent += 10)
    await Promise.all(Array.from({ length: Math.min(10, count - sent) }, one));
}

const arrived = (organization: string) =>
  sendgrid.requests.filter(({ body }) => body.includes(`${organization}@customer.example`)).length;

const trickle = () => `http://127.0.0.1:${(trickling.address() as AddressInfo).port}/`;

// First in this file: the hosts of later tests never end and occupy places.
test('at most two mails with fetched attachments are in memory, one of each organisation', async () => {
  const organizations = [slow, other, `third-${counter}`];
  await configure(organizations[2]!);
  // A provider that does not answer keeps them in memory.
  let release: () => void = () => undefined;
  const released = new Promise<void>((resolve) => (release = resolve));
  const holding: string[] = [];
  const provider = createServer((request, response) => {
    void (async () => {
      let body = '';
      for await (const chunk of request) body += String(chunk);
      holding.push(organizations.find((organization) => body.includes(`${organization}@`))!);
      await released;
      response.writeHead(202).end();
    })();
  });
  await new Promise<void>((resolve) => provider.listen(0, '127.0.0.1', resolve));
  const { config } = service.deps;
  const before = config.SENDGRID_BASE_URL;
  Object.assign(config, {
    SENDGRID_BASE_URL: `http://127.0.0.1:${(provider.address() as AddressInfo).port}`,
  });
  try {
    for (const organization of organizations) await send(organization, `${files.url}/b`, 3);
    await eventually(() => holding.length >= 2);
    await delay(1_000);
    expect(holding).toHaveLength(2);
    expect(new Set(holding).size).toBe(2);
    release();
    await eventually(() => holding.length === 9);
  } finally {
    release();
    Object.assign(config, { SENDGRID_BASE_URL: before });
    provider.close().closeAllConnections();
  }
}, 60_000);

test.each([
  ['never answers', () => `http://localhost:${files.port}/hang`],
  ['never answers, on the same host as the others', () => `${files.url}/hang`],
  ['answers and never ends', trickle],
])(
  'a mail arrives while 50 of another organisation wait for a host that %s',
  async (behaviour, url) => {
    await send(slow, url(), SLOW_MAILS);
    const startedAtMs = performance.now();
    await send(other, `${files.url}/a`);
    await eventually(() => arrived(other) === 1, { timeoutMs: 60_000 });
    const tookMs = performance.now() - startedAtMs;
    if (process.env['FIGURES']) console.log(behaviour, Math.round(tookMs), 'ms');
    expect(tookMs).toBeLessThan(WITHIN_MS);
  },
  90_000,
);

test('a host that is silent for 3 s fails the attempt, which is retried on schedule', async () => {
  await send(slow, `${files.url}/hang`);
  const attempts = () =>
    service.deps.sql<{ ms: number }>(
      `SELECT attempt.ms, outcome, attempt.error_class, error, status, attempts, own_failures,
         next_attempt_at > now() AS again
       FROM delivery_attempts AS attempt JOIN deliveries ON id = delivery_id
       WHERE attempt.organization_id = $1`,
      [slow],
    );
  await eventually(async () => (await attempts()).length > 0);
  const [attempt] = await attempts();
  expect(attempt).toMatchObject({
    outcome: 'retry',
    error_class: 'attachment_timeout',
    status: 'queued',
    attempts: 1,
    error: expect.stringContaining('No answer within 3 s.'),
    own_failures: 0,
    again: true,
  });
  expect(attempt!.ms).toBeGreaterThanOrEqual(2_900);
}, 30_000);
