// Recurring sends: each occurrence once, also when the process is killed. The test sets the clock.
import { afterEach, describe, expect, test } from '@jest/globals';
import { eventually } from '@parley/testing';
import { acceptRecurring } from '../../src/recurring/accept-recurring.ts';
import { listRecurring, readRecurringStatus } from '../../src/recurring/read-recurring.ts';
import { REFUSED_MAX, sendOccurrences } from '../../src/recurring/send-occurrences.ts';
import { cancelNotification } from '../../src/notifications/cancel-notification.ts';
import { deleteOldNotifications } from '../../src/housekeeping.ts';
import { notifyRequest, type GivenRequest } from '../../src/accept/request/notify-request.ts';
import type { Schedule } from '../../src/timing/schemas.ts';
import type { Deps } from '../../src/deps.ts';
import { readBody } from '../service.ts';
import { context, timing, uncharged } from './timing.ts';

const timed = timing();
const { at } = timed;

// Rounds serve every organisation.
afterEach(() => timed.deps.sql(`UPDATE recurring_sends SET outcome = 'ended', due_at = NULL`));

const DAILY = { rrule: 'FREQ=DAILY;BYHOUR=9;BYMINUTE=0', timezone: 'Europe/Berlin' };

async function accept(deps: Deps, body: object = {}): Promise<string> {
  const given = notifyRequest(deps).parse({
    channels: ['in_app'],
    message: 'Good morning',
    target: { in_app: { user_id: 'ann' } },
    schedule: DAILY,
    ...body,
  }) as GivenRequest & { readonly schedule: Schedule };
  const call = { request: context, transaction: undefined, charge: uncharged };
  const accepted = await acceptRecurring(deps, timed.caller, given, call);
  return (accepted as { notification_id: string }).notification_id;
}

const occurrencesOf = async (id: string) =>
  timed.deps.sql<{ id: string; created_at: Date }>(
    'SELECT id, created_at FROM notifications WHERE parent_id = $1 ORDER BY created_at, id',
    [id],
  );

const stateOf = async (id: string) =>
  (await readRecurringStatus(timed.deps.sql, timed.caller.organizationId, id)) as {
    readonly recurring: {
      readonly status: string;
      readonly next_at: number | null;
      readonly occurrences: number;
      readonly last_error: string | null;
    };
  };

const seconds = (iso: string) => Date.parse(iso) / 1_000;

describe('a recurring send', () => {
  test('occurs at its time of day, also when clocks change', async () => {
    const id = await accept(at('2026-03-27T10:00:00Z'));
    expect(await stateOf(id)).toEqual({
      recurring: {
        ...DAILY,
        status: 'active',
        next_at: seconds('2026-03-28T08:00:00Z'),
        occurrences: 0,
        last_error: null,
      },
    });
    expect(await sendOccurrences(at('2026-03-28T07:59:59Z'))).toBe(0);
    expect(await sendOccurrences(at('2026-03-28T08:00:00Z'))).toBe(1);
    expect(await sendOccurrences(at('2026-03-28T08:00:01Z'))).toBe(0);
    expect(await stateOf(id)).toMatchObject({
      recurring: { next_at: seconds('2026-03-29T07:00:00Z'), occurrences: 1 },
    });
    expect(await sendOccurrences(at('2026-03-29T07:00:00Z'))).toBe(1);
    expect(await occurrencesOf(id)).toHaveLength(2);
    const { items } = (await readBody(
      (await timed.api()).get('/v1/notifications?user_id=ann').expect(200),
    )) as { readonly items: unknown[] };
    expect(items).toHaveLength(2);
  });

  test('takes the time zone of its recipient, and one late occurrence after an outage', async () => {
    const api = await timed.api();
    await api.put('/v1/recipients/ann', { time_zone: 'America/New_York' }).expect(201);
    const id = await accept(at('2026-07-01T00:00:00Z'), { schedule: { rrule: DAILY.rrule } });
    expect(await sendOccurrences(at('2026-07-04T20:00:00Z'))).toBe(1);
    expect(await stateOf(id)).toMatchObject({
      recurring: { timezone: 'America/New_York', next_at: seconds('2026-07-05T13:00:00Z'), occurrences: 1 },
    });
  });

  test('is sent once by several processes at the same time', async () => {
    const id = await accept(at('2026-07-01T00:00:00Z'));
    const due = at('2026-07-01T07:00:00Z');
    const sent = await Promise.all(Array.from({ length: 6 }, () => sendOccurrences(due)));
    expect(sent.reduce((all, one) => all + one)).toBe(1);
    expect(await occurrencesOf(id)).toHaveLength(1);
  });

  test('is neither lost nor repeated when its process dies before the commit', async () => {
    const id = await accept(at('2026-07-01T00:00:00Z'));
    const other = await timed.deps.pool.connect();
    await other.query('BEGIN');
    await other.query('LOCK TABLE deliveries IN SHARE MODE');
    const dying = sendOccurrences(at('2026-07-01T07:00:00Z'));
    await eventually(async () => {
      const { rowCount } = await other.query(
        `SELECT pg_terminate_backend(pid) FROM pg_locks WHERE NOT granted AND relation = 'deliveries'::regclass`,
      );
      return rowCount! > 0;
    });
    expect(await dying).toBe(0);
    await other.query('ROLLBACK');
    other.release();
    expect(await occurrencesOf(id)).toHaveLength(0);
    expect(await sendOccurrences(at('2026-07-01T07:00:10Z'))).toBe(0);
    expect(await sendOccurrences(at('2026-07-01T07:00:31Z'))).toBe(1);
    expect(await sendOccurrences(at('2026-07-01T07:01:31Z'))).toBe(0);
    expect(await occurrencesOf(id)).toHaveLength(1);
  });

  test('ends after its count and stays in the list', async () => {
    const rrule = 'FREQ=WEEKLY;BYDAY=MO;BYHOUR=9;COUNT=2';
    const id = await accept(at('2026-07-01T00:00:00Z'), { schedule: { rrule, timezone: 'UTC' } });
    for (const day of ['06', '13', '20']) await sendOccurrences(at(`2026-07-${day}T09:00:00Z`));
    expect(await occurrencesOf(id)).toHaveLength(2);
    expect(await stateOf(id)).toMatchObject({
      recurring: { status: 'ended', next_at: null, occurrences: 2 },
    });
    const query = { limit: 10 };
    expect(await listRecurring(timed.deps, timed.caller, { ...query, status: 'active' })).toMatchObject({
      items: [],
    });
    expect(await listRecurring(timed.deps, timed.caller, query)).toMatchObject({
      items: [{ notification_id: id, subject: 'Good morning', status: 'ended' }],
    });
  });

  test('takes the published version of its workflow at each occurrence', async () => {
    const api = await timed.api();
    const template = { default_locale: 'en', locales: [{ locale: 'en', message: 'Report {{ of }}' }] };
    await api.put('/v1/templates/report', template).expect(201);
    await api.put('/v1/workflows/report', { channels: ['in_app'], template: { id: 'report' } }).expect(201);
    const id = await accept(at('2026-07-01T00:00:00Z'), {
      channels: undefined,
      message: undefined,
      workflow: { id: 'report', data: { of: 'today' } },
      target: { user_id: 'ann' },
    });
    await sendOccurrences(at('2026-07-01T07:00:00Z'));
    const changed = { ...template, locales: [{ locale: 'en', message: 'News {{ of }}' }] };
    await api.put('/v1/templates/report', changed).expect(200);
    await sendOccurrences(at('2026-07-02T07:00:00Z'));
    const rows = await timed.deps.sql<{ message: string }>(
      'SELECT message FROM notifications WHERE parent_id = $1 ORDER BY id',
      [id],
    );
    expect(rows.map(({ message }) => message)).toEqual(['Report today', 'News today']);
  });

  test('whose occurrences are refused goes on, and ends after ten', async () => {
    const api = await timed.api();
    const template = { default_locale: 'en', locales: [{ locale: 'en', message: 'Hello' }] };
    await api.put('/v1/templates/daily', template).expect(201);
    const id = await accept(at('2026-07-01T00:00:00Z'), { message: undefined, template: { id: 'daily' } });
    await api.delete('/v1/templates/daily').expect(204);
    const first = Date.parse('2026-07-01T07:00:00Z');
    const day = (index: number) => at(new Date(first + index * 86_400_000).toISOString());
    expect(await sendOccurrences(day(0))).toBe(0);
    expect(await stateOf(id)).toMatchObject({
      recurring: {
        status: 'active',
        next_at: seconds('2026-07-02T07:00:00Z'),
        last_error: '/template/id: has no published version',
      },
    });
    for (let index = 1; index < REFUSED_MAX; index += 1) await sendOccurrences(day(index));
    expect(await stateOf(id)).toMatchObject({ recurring: { status: 'failed', next_at: null } });
    const [row] = await timed.deps.sql<{ sealed: string | null }>(
      'SELECT sealed FROM recurring_sends WHERE id = $1',
      [id],
    );
    expect(row).toEqual({ sealed: null });
  });

  test('reaches the members of a topic', async () => {
    const api = await timed.api();
    await api.put('/v1/topics/team/members', { user_ids: ['ann', 'bob'] }).expect(200);
    const id = await accept(at('2026-07-01T00:00:00Z'), { target: { topic_id: 'team' } });
    expect(await sendOccurrences(at('2026-07-01T07:00:00Z'))).toBe(1);
    const [occurrence] = await occurrencesOf(id);
    const sends = await timed.deps.sql<{ topic_id: string }>(
      'SELECT topic_id FROM topic_sends WHERE id = $1',
      [occurrence!.id],
    );
    expect(sends).toEqual([{ topic_id: 'team' }]);
  });

  test('is canceled once, and is not deleted by age while it goes on', async () => {
    const id = await accept(at('2026-01-01T00:00:00Z'));
    const later = Date.now() + 400 * 86_400_000;
    await deleteOldNotifications(timed.deps.sql, later, 90);
    expect(await stateOf(id)).toMatchObject({ recurring: { status: 'active' } });
    const canceled = await cancelNotification(timed.deps, timed.caller, id);
    expect(canceled).toMatchObject({ canceled_at: expect.any(Number), recurring: { status: 'canceled' } });
    expect(await sendOccurrences(at('2026-01-01T08:00:00Z'))).toBe(0);
    await deleteOldNotifications(timed.deps.sql, later, 90);
    expect(await stateOf(id)).toEqual({});
  });
});

describe('over HTTP', () => {
  const send = { channels: ['in_app'], message: 'Hello', target: { in_app: { user_id: 'ann' } } };

  test('is accepted, shown, listed and canceled', async () => {
    const api = await timed.api();
    const sent = (await readBody(api.post('/v1/notify', { ...send, schedule: DAILY }).expect(202))) as {
      readonly notification_id: string;
      readonly next_at: number;
    };
    expect(sent).toMatchObject({ accepted_channels: ['in_app'], next_at: expect.any(Number) });
    const { notification_id: id, next_at: next } = sent;
    expect(await readBody(api.get(`/v1/notify/${id}`).expect(200))).toMatchObject({
      channels: [],
      recurring: { status: 'active', next_at: next },
    });
    expect(await readBody(api.get('/v1/recurring?status=active').expect(200))).toMatchObject({
      items: [{ notification_id: id }],
    });
    expect(await readBody(api.delete(`/v1/notify/${id}`).expect(200))).toMatchObject({
      recurring: { status: 'canceled', next_at: null },
    });
    expect(await readBody(api.get('/v1/recurring?status=active').expect(200))).toMatchObject({ items: [] });
    const dry = api.post('/v1/notify', { ...send, schedule: DAILY, dry_run: true }).expect(200);
    expect(await readBody(dry)).toMatchObject({ dry_run: true, next_at: expect.any(Number) });
  });

  test.each<[object, string]>([
    [{ schedule: { ...DAILY, rrule: 'FREQ=MINUTELY' } }, '/schedule/rrule: has a value that FREQ'],
    [{ schedule: { rrule: DAILY.rrule } }, '/schedule/timezone: is required'],
    [{ schedule: { ...DAILY, timezone: 'Mars' } }, '/schedule/timezone: must be a time zone'],
    [{ schedule: DAILY, send_at: 1 }, '/send_at: is not allowed with schedule'],
    [
      { schedule: { ...DAILY, starts_at: 4_000_000_000 } },
      '/schedule: must have its first occurrence within a year',
    ],
  ])('%j is refused', async (more, problem) => {
    const refused = (await timed.api()).post('/v1/notify', { ...send, ...more }).expect(400);
    expect((await readBody(refused)) as { error: string }).toEqual({
      error: expect.stringContaining(problem),
    });
  });

  test('is not allowed in a bulk call', async () => {
    const bulk = (await timed.api()).post('/v1/notify/bulk', { sends: [{ ...send, schedule: DAILY }] });
    expect(await readBody(bulk.expect(202))).toMatchObject({
      refused: 1,
      items: [{ error: '/schedule: is not allowed in a bulk send' }],
    });
  });
});
