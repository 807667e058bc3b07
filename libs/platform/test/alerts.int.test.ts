// The table of alerts: one open alert a cause, acknowledged, resolved by itself, and sent to
// operators once.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import pg from 'pg';
import { inTransaction, sqlOf, type Sql } from '@parley/server/postgres';
import { createTestDatabase } from '@parley/testing';
import { listAlerts } from '../src/alerts/alerts.ts';
import {
  acknowledgeAlert,
  raise,
  raiseQuarantined,
  resolve,
  resolveEnded,
  tendAlerts,
  trimAlerts,
  type OperatorNotice,
} from '../src/alerts/index.ts';

let database: Awaited<ReturnType<typeof createTestDatabase>>;
let pool: pg.Pool;
let sql: Sql;
beforeAll(async () => {
  database = await createTestDatabase('flow-builder');
  pool = new pg.Pool({ connectionString: database.url });
  sql = sqlOf(pool);
});
beforeEach(() => pool.query('TRUNCATE alerts, organizations'));
afterAll(async () => {
  await pool.end();
  await database.drop();
});

const failing = { kind: 'webhook_failing', subject: 'whk_1' } as const;
const list = (status?: 'open' | 'acknowledged' | 'resolved', organization = 'acme') =>
  listAlerts(sql, organization, { status }, 10, null);
/** As if it had happened so long ago. */
const age = (interval: string) =>
  sql(
    `UPDATE alerts SET opened_at = opened_at - $1::interval, last_raised_at = last_raised_at - $1::interval,
       notified_at = notified_at - $1::interval, resolved_at = resolved_at - $1::interval`,
    [interval],
  );

test('a cause has one open alert, however many transactions raise it at once', async () => {
  await Promise.all(
    Array.from({ length: 8 }, (_, n) =>
      inTransaction(pool, (within) => raise(within, 'acme', { ...failing, message: `time ${n}` })),
    ),
  );
  await raise(sql, 'acme', { ...failing, subject: 'whk_2', message: 'another' });
  await raise(sql, 'globex', { ...failing, message: 'of another organisation' });
  expect((await list('open')).map(({ subject }) => subject).sort()).toEqual(['whk_1', 'whk_2']);
  expect(await list('open', 'globex')).toHaveLength(1);
  await age('1 minute');
  await raise(sql, 'acme', { ...failing, message: 'the newest' });
  const [one] = (await list()).filter(({ subject }) => subject === 'whk_1');
  expect(one).toMatchObject({ message: 'the newest' });
  expect(one!.lastRaisedAt.getTime()).toBeGreaterThan(one!.openedAt.getTime() + 50_000);
});

test('what is rolled back was never raised', async () => {
  const undone = inTransaction(pool, async (within) => {
    await raise(within, 'acme', { ...failing, message: 'x' });
    throw new Error('the request failed');
  });
  await expect(undone).rejects.toThrow('the request failed');
  expect(await list()).toEqual([]);
});

test('acknowledged once, by its organisation only; resolved; raised again it is a new one', async () => {
  await raise(sql, 'acme', { ...failing, message: 'x' });
  const { id } = (await list())[0]!;
  expect(await acknowledgeAlert(sql, 'globex', id, 'eve')).toBeUndefined();
  expect(await acknowledgeAlert(sql, 'acme', id, 'ann')).toMatchObject({ acknowledgedBy: 'ann' });
  expect(await acknowledgeAlert(sql, 'acme', id, 'bob')).toMatchObject({ acknowledgedBy: 'ann' });
  await age('1 minute');
  await raise(sql, 'acme', { ...failing, message: 'again' });
  expect(await list('open')).toEqual([]);
  expect(await list('acknowledged')).toMatchObject([{ id, message: 'again' }]);
  await resolve(sql, 'globex', failing);
  expect(await list('resolved')).toEqual([]);
  await resolve(sql, 'acme', failing);
  expect(await list('resolved')).toMatchObject([{ id }]);
  await raise(sql, 'acme', { ...failing, message: 'a new one' });
  expect(await list('open')).toMatchObject([{ message: 'a new one' }]);
});

test('resolves when its cause ended, or was quiet for long enough', async () => {
  await raise(sql, 'acme', { ...failing, message: 'x' });
  await raise(sql, 'acme', { kind: 'provider_refused', subject: 'gateway', message: 'x' });
  await resolveEnded(sql, { webhook_failing: "alert.subject = 'whk_2'" });
  expect(await list('open')).toHaveLength(2);
  await resolveEnded(sql, { webhook_failing: "alert.subject = 'whk_1'" });
  expect(await list('open')).toMatchObject([{ kind: 'provider_refused' }]);
  await age('16 minutes');
  await resolveEnded(sql, {});
  expect(await list('open')).toEqual([]);
});

test('pages are whole and in order; resolved ones are kept for 90 days', async () => {
  for (let n = 0; n < 5; n += 1) await raise(sql, 'acme', { ...failing, subject: `w${n}`, message: 'x' });
  const seen: string[] = [];
  for (let place: readonly [number, string] | null = null; ;) {
    const page = await listAlerts(sql, 'acme', {}, 2, place);
    seen.push(...page.slice(0, 2).map(({ subject }) => subject));
    if (page.length < 3) break;
    place = [page[1]!.openedAt.getTime(), page[1]!.id];
  }
  expect(seen.sort()).toEqual(['w0', 'w1', 'w2', 'w3', 'w4']);
  await resolve(sql, 'acme', { ...failing, subject: 'w0' });
  await age('91 days');
  await trimAlerts(sql);
  expect((await list()).map(({ subject }) => subject)).not.toContain('w0');
});

test('what is quarantined is named, ten and a number', async () => {
  const rows = Array.from({ length: 12 }, (_, n) => ({ organizationId: 'acme', what: `delivery ${n}` }));
  await raiseQuarantined(sql, 'deliveries', rows);
  expect(await list()).toMatchObject([{ message: expect.stringContaining('delivery 9 and 2 more') }]);
});

describe('operators are notified', () => {
  const sent: OperatorNotice[] = [];
  const tend = (fails = false) =>
    tendAlerts({
      pool,
      endings: {},
      send: async (_sql, alerts) => {
        if (fails) throw new Error('MESSAGE_KEYS has no key');
        sent.push(...alerts.map(({ notice }) => notice));
      },
    });
  beforeEach(() => void sent.splice(0));

  test('once, by mail where there is an address, and again only after an hour', async () => {
    await sql(
      `INSERT INTO organizations (id, plan, alert_email, created_at, updated_at)
       VALUES ('acme', 'pro', 'ops@acme.example', now(), now())`,
    );
    await raise(sql, 'acme', { ...failing, message: 'It fails.' });
    await raise(sql, 'globex', { ...failing, message: 'It fails.' });
    await Promise.all([tend(), tend()]);
    await tend();
    expect(sent.sort((a, b) => (a.organization_id < b.organization_id ? -1 : 1))).toEqual([
      {
        organization_id: 'acme',
        channels: ['email', 'chat'],
        target: { email: 'ops@acme.example', chat: { audience: 'operators' } },
        subject: 'A webhook is failing: whk_1',
        message: expect.stringMatching(/^It fails\./),
      },
      expect.objectContaining({ organization_id: 'globex', channels: ['chat'] }),
    ]);
    // It comes and goes.
    for (const [interval, count] of [['1 minute', 0] as const, ['61 minutes', 1] as const]) {
      sent.splice(0);
      await resolve(sql, 'acme', failing);
      await age(interval);
      await raise(sql, 'acme', { ...failing, message: 'It fails again.' });
      await tend();
      expect(sent).toHaveLength(count);
    }
  });

  test('later, when they cannot be now', async () => {
    await raise(sql, 'acme', { ...failing, message: 'x' });
    await expect(tend(true)).rejects.toThrow('MESSAGE_KEYS');
    await tend();
    expect(sent).toHaveLength(1);
  });
});
