// The queue dashboard on real queues: credentials, what each role sees and may do, retries.
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { listQueues } from '@parley/jobs';
import { eventually, testQueue } from '@parley/testing';
import request from 'supertest';
import { DEAD_JOB, QUEUE, PAYLOAD_TEXT, dashboardUnderTest, passwords } from './dashboard-under-test.ts';

describe('the dashboard', () => {
  let dashboard: Awaited<ReturnType<typeof dashboardUnderTest>>;
  let url: string;
  beforeAll(async () => {
    dashboard = await dashboardUnderTest(testQueue());
    ({ url } = dashboard);
  });
  afterAll(() => dashboard.close());

  const as = (role: 'operator' | 'viewer') => ({
    get: (path: string) => request(url).get(path).auth(role, passwords[role]),
    put: (path: string) => request(url).put(path).auth(role, passwords[role]),
  });
  const retryPath = `/api/queues/${QUEUE}/${DEAD_JOB}/retry`;

  test.each(['/', '/queue/conversation-events', '/api/queues', '/static/js/main.js', '/nowhere'])(
    '%s needs credentials',
    async (path) => {
      const response = await request(url).get(path).expect(401);
      expect(response.headers['www-authenticate']).toMatch(/^Basic /);
      expect(response.text).not.toContain('msg_1');
    },
  );

  test('the health check needs no credentials and reveals nothing about queues', async () => {
    const response = await request(url).get('/health').expect(200);
    expect(response.body).toEqual({ status: 'ok', service: 'voice-api' });
  });

  test('the page loads only its own scripts, and may not be framed', async () => {
    const page = await as('viewer').get('/').expect(200);
    expect(page.text).toContain('Parley voice-api');
    expect(page.headers['content-security-policy']).toMatch(/default-src 'self'.*frame-ancestors 'none'/);
    const [script] = /static\/js\/main[^"]+/.exec(page.text)!;
    await as('viewer').get(`/${script}`).expect(200);
  });

  test("shows only the service's own queues", async () => {
    const response = await as('operator').get('/api/queues').expect(200);
    const names = (response.body as { queues: { name: string }[] }).queues.map(({ name }) => name);
    expect(names.sort()).toEqual(listQueues('voice-api').sort());
    expect(names).not.toContain('notification-sends');
  });

  test('an operator sees why a job failed and its payload; a viewer only why', async () => {
    const path = `/api/queues?activeQueue=${QUEUE}&status=failed`;
    const seenBy = async (role: 'operator' | 'viewer') => (await as(role).get(path).expect(200)).text;
    expect(await seenBy('operator')).toContain(PAYLOAD_TEXT);
    const viewed = await seenBy('viewer');
    expect(viewed).toContain(DEAD_JOB);
    expect(viewed).toContain('failedReason');
    expect(viewed).not.toContain(PAYLOAD_TEXT);
    const { text } = await as('viewer').get(`/api/queues/${QUEUE}/${DEAD_JOB}`).expect(200);
    expect(text).not.toContain(PAYLOAD_TEXT);
  });

  test('refuses retries by a viewer or from another site, and new jobs by anybody', async () => {
    await as('viewer').put(retryPath).expect(403);
    await as('operator').put(retryPath).set('sec-fetch-site', 'cross-site').expect(403);
    await request(url)
      .post(`/api/queues/${QUEUE}/add`)
      .auth('operator', passwords.operator)
      .send({ name: 'conversation.event', data: {} })
      .expect(403);
    expect(await dashboard.failed()).toBe(1);
    expect(dashboard.processed).toEqual([]);
  });

  test('an operator retries a failed job, its worker runs it, and the log records the role', async () => {
    await as('operator').put(`${retryPath}/failed`).set('sec-fetch-site', 'same-origin').expect(403); // not a path of the board
    await as('operator').put(retryPath).set('sec-fetch-site', 'same-origin').expect(204);
    await eventually(() => dashboard.processed.length === 1);
    expect(await dashboard.failed()).toBe(0);
    expect(dashboard.captured.text()).toContain('dashboard.changed');
    expect(dashboard.captured.text()).not.toContain(passwords.operator);
  });

  test('answers 429 after too many wrong passwords', async () => {
    const guess = () => request(url).get('/api/queues').auth('operator', 'a guess, as good as any');
    for (let attempt = 0; attempt < 20; attempt += 1) await guess().expect(401);
    const { headers } = await guess().expect(429);
    expect(Number(headers['retry-after'])).toBeGreaterThan(0);
    await as('operator').get('/api/queues').expect(429);
  });
});
