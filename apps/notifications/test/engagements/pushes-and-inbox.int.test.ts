// Clicks on pushes and in the inbox (docs/notifications.md#opens-and-clicks), and how the list and
// the callback report them.
import { createHash } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { identityToken } from '@parley/testing-services';
import { sendCallbacks } from '../../src/callbacks/send-callbacks.ts';
import { callbackWebhooks } from '../../src/callbacks/callback-webhooks.ts';
import { READERS_MAX } from '../../src/engagements/record-engagement.ts';
import { BOTH, tracking, type Channel } from './tracking.ts';

const tracked = tracking();
const { attempt, follow, mailed, send, set, statusOf } = tracked;

describe('a push', () => {
  async function pushed(user: string, more: object = { track: { clicks: true } }) {
    const id = await send({
      channels: ['web_push'],
      target: { web_push: { user_id: user, data: { n: 1 } } },
      ...more,
    });
    await attempt(id, 'web_push');
    const payload = JSON.parse(tracked.service.outside.pushes.at(-1)!.text) as {
      beacon?: string;
      data: object;
    };
    return { id, payload };
  }
  const device = async (user: string) => {
    const subscription = tracked.service.outside.subscribe();
    await tracked.api.post('/v1/push/registrations', { subscription, user_id: user }).expect(201);
    return createHash('sha256').update(subscription.endpoint).digest('hex');
  };
  const beacon = (payload: { beacon?: string }, rest: string) =>
    follow(`${payload.beacon}${rest}`, { method: 'POST' }).then(({ status }) => status);

  test('has a beacon only when it is tracked', async () => {
    await device('ann');
    const { payload } = await pushed('ann', {});
    expect(payload).toMatchObject({ data: { n: 1 } });
    expect(payload).not.toHaveProperty('beacon');
  });

  test('reports clicks and dismissals, once per registered device', async () => {
    const devices = [await device('ann'), await device('ann')];
    const { id, payload } = await pushed('ann');
    expect(payload.beacon).toMatch(/^https:\/\/notify\.acme\.example\/v1\/push\/beacon\?token=/);
    for (const hash of [devices[0], devices[0], devices[1], 'ab'.repeat(32), 'cd'.repeat(32)])
      expect(await beacon(payload, `&event=clicked&device=${hash}`)).toBe(204);
    expect(await beacon(payload, '&event=clicked')).toBe(204);
    expect(await beacon(payload, '&event=dismissed')).toBe(204);
    // Two devices, and one that is unknown.
    expect(await statusOf(id, 'web_push')).toMatchObject({ clicks: 3, dismissed_at: expect.any(Number) });
    expect(await beacon(payload, '&event=bought')).toBe(400);
    expect(await beacon({ beacon: `${payload.beacon}x` }, '&event=clicked')).toBe(401);
  });

  test('counts readers up to a maximum', async () => {
    const hash = await device('ann');
    const { id, payload } = await pushed('ann');
    expect(await beacon(payload, '&event=clicked')).toBe(204);
    await tracked.service.deps.sql('UPDATE engagements SET count = $2 WHERE notification_id = $1', [
      id,
      READERS_MAX,
    ]);
    expect(await beacon(payload, `&event=clicked&device=${hash}`)).toBe(204);
    expect(await statusOf(id, 'web_push')).toMatchObject({ clicks: READERS_MAX });
    const rows = await tracked.service.deps.sql('SELECT 1 FROM engaged_readers WHERE notification_id = $1', [
      id,
    ]);
    expect(rows).toHaveLength(1);
  });
});

describe('the inbox', () => {
  test('a followed item is read and clicked; one for everybody by each user', async () => {
    const id = await send({ channels: ['in_app'], target: { in_app: { url: '/orders/7' } } });
    const item = `iap_${id.slice('ntf_'.length)}`;
    for (const sub of ['ann', 'ben', 'ben']) {
      const reader = tracked.service.as(
        await identityToken({ organization_id: tracked.organization, sub, scope: 'read write' }),
      );
      const read = await reader.put(`/v1/notifications/${item}/read`, { clicked: true }).expect(200);
      expect(read.body).toMatchObject({ id: item, status: 'read' });
    }
    expect(await statusOf(id, 'in_app')).toMatchObject({ clicked_at: expect.any(Number), clicks: 2 });
    await tracked.api.put(`/v1/notifications/${item}/read?user_id=cay`, {}).expect(200);
    expect(await statusOf(id, 'in_app')).toMatchObject({ clicks: 2 });
  });
});

test('the list finds sends by engagement', async () => {
  const { id, link } = await mailed();
  await mailed();
  await follow(link);
  const found = async (query: string) => {
    const { items } = (await tracked.api.get(`/v1/notify?${query}`).expect(200)).body as {
      items: { notification_id: string }[];
    };
    return items.map((one) => one.notification_id);
  };
  expect(await found('engaged=clicked')).toEqual([id]);
  expect(await found('engaged=clicked&channel=email')).toEqual([id]);
  expect(await found('engaged=clicked&channel=in_app')).toEqual([]);
  expect(await found('engaged=opened')).toEqual([]);
  await tracked.api.get('/v1/notify?engaged=bought').expect(400);
});

test('the callback of a tracked send reports the end, then the first of each event', async () => {
  await set('webhook_secret', { reference: 'env://SIGNING' });
  const callback_url = 'https://callbacks.example/told';
  const { id, link, picture } = await mailed({ track: BOTH, callback_url });
  const listCallbacks = async () => {
    await sendCallbacks(tracked.service.deps);
    const rows = await tracked.service.deps.sql<{ id: string; payload: string; organization_id: string }>(
      "SELECT id, payload, organization_id FROM outbox WHERE contract = 'webhook.deliver' AND organization_id = $1 ORDER BY id",
      [tracked.organization],
    );
    return Promise.all(
      rows.map(async (row) => {
        const context = JSON.stringify(['message', 'webhook.deliver', row.id, row.organization_id]);
        const { event, body } = JSON.parse(
          await tracked.service.deps.queueSealer.unseal(row.payload, context),
        ) as {
          event: string;
          body: { data: { notification_id: string; channels: Channel[] } };
        };
        callbackWebhooks.find((one) => one.event === event)!.body.parse(body);
        return [event, body.data.notification_id, body.data.channels[0]!.clicks];
      }),
    );
  };
  const settled = ['notification.settled', id, undefined];
  expect(await listCallbacks()).toEqual([settled]);
  await follow(link);
  await follow(link);
  expect(await listCallbacks()).toEqual([settled, ['notification.engaged', id, 1]]);
  await follow(link);
  expect(await listCallbacks()).toHaveLength(2);
  await follow(picture);
  expect(await listCallbacks()).toHaveLength(3);
});
