// The alert about bounces and complaints: its limits, its period, and whom it concerns.
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { watchReputation } from '../../src/channels/email/watch-reputation.ts';
import { addSuppressions } from '../../src/people/suppression.ts';
import type { SuppressionReason } from '../../src/people/suppression.rules.ts';
import { startNotifications, type NotificationsUnderTest } from '../service.ts';

const DAY_MS = 24 * 60 * 60_000;
const MAILS = 100;

let service: NotificationsUnderTest;
let home: string;
let organization = '';
let counter = 0;
beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'parley-mail-'));
  service = await startNotifications({ env: { EMAIL_CAPTURE_DIR: home } });
});
afterAll(async () => {
  await service.stop();
  await rm(home, { recursive: true });
});

/** Each organisation attempted a hundred mails today. */
beforeEach(async () => {
  counter += 1;
  organization = `org-${counter}`;
  const sends = Array.from({ length: MAILS }, (_, index) => ({
    channels: ['email'],
    message: 'x',
    target: { email: `user-${index}@customer.example` },
  }));
  const api = service.as(await service.issueKey(organization));
  await api.post('/v1/notify/bulk', { sends }).expect(202);
  await service.deps.sql('UPDATE deliveries SET attempts = 1 WHERE organization_id = $1', [organization]);
});

async function suppress(reason: SuppressionReason, count: number, source: 'sendgrid' | 'link' = 'sendgrid') {
  const all = Array.from({ length: count }, (_, index) => ({
    address: `user-${index}@customer.example`,
    reason,
    source,
    detail: 'test',
    notificationId: null,
  }));
  await addSuppressions(service.deps, service.deps.sql, organization, all);
}

async function watch(aheadMs = 0) {
  const { sql, clock } = service.deps;
  await watchReputation({ sql, clock: () => clock() + aheadMs });
  return sql<{ subject: string; message: string }>(
    'SELECT subject, message FROM alerts WHERE organization_id = $1 ORDER BY subject',
    [organization],
  );
}

test.each<[string, SuppressionReason, number, boolean]>([
  ['5 % of bounces', 'hard_bounce', 5, false],
  ['6 % of bounces', 'hard_bounce', 6, true],
  ['one complaint', 'complaint', 1, false],
  ['2 % of complaints', 'complaint', 2, true],
  ['people who unsubscribe', 'unsubscribe', 50, false],
])('%s', async (_what, reason, count, isAlert) => {
  await suppress(reason, count);
  expect(await watch()).toHaveLength(isAlert ? 1 : 0);
});

test('names figures and limit, once for each cause', async () => {
  await suppress('hard_bounce', 12);
  await suppress('complaint', 3);
  await watch();
  expect(await watch()).toEqual([
    {
      subject: 'bounces',
      message: expect.stringMatching(/^12 addresses .*bounced: 12 % of the mails, at most 5 % are good/),
    },
    { subject: 'complaints', message: expect.stringMatching(/reported as spam: 3 % .*at most 0\.1 %/) },
  ]);
});

test('is about one day, and about one organisation', async () => {
  await suppress('hard_bounce', 50);
  expect(await watch(DAY_MS + 60_000)).toEqual([]);
  const [other] = await service.deps.sql<{ count: number }>(
    'SELECT count(*)::int AS count FROM alerts WHERE organization_id <> $1 AND message LIKE $2',
    [organization, '50 addresses%'],
  );
  expect(await watch()).toHaveLength(1);
  expect(other!.count).toBe(0);
});
