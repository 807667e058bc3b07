// One read everywhere: what is read in the inbox is taken back from the devices, and what is opened on a device is read in the inbox.
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { eventually } from '@parley/testkit';
import { bodyOf } from '../service.ts';
import { startPush, type PushUnderTest } from './push.ts';

let service: PushUnderTest;
let counter = 0;
let user = '';
beforeAll(async () => {
  service = await startPush();
});
afterAll(() => service.stop());
beforeEach(() => {
  counter += 1;
  user = `user-${counter}`;
  service.outside.pushes.length = 0;
});

interface Pushed {
  withdraw?: boolean;
  receipt?: string;
  notification_id: string;
  tag: string;
  title?: string;
}
const pushed = () => service.outside.pushes.map(({ text }) => JSON.parse(text) as Pushed);

async function send(more: object = {}): Promise<string> {
  const count = pushed().length;
  const accepted = await bodyOf(
    service.api
      .post('/v1/notify', {
        channels: ['in_app', 'web_push'],
        message: 'Tea.',
        target: { user_id: user, web_push: { withdraw: true, ...more } },
      })
      .expect(202),
  );
  const { notification_id: id } = accepted as { notification_id: string };
  await eventually(async () => pushed().length > count && (await statusOf(id)) === 'sent');
  return id;
}
const statusOf = async (id: string) => {
  const { channels } = (await bodyOf(service.api.get(`/v1/notify/${id}`).expect(200))) as {
    channels: { channel: string; status: string }[];
  };
  expect(channels.map(({ channel }) => channel)).toEqual(['in_app', 'web_push']);
  return channels[1]!.status;
};
const itemOf = async () => {
  const { items } = (await bodyOf(service.api.get(`/v1/notifications?user_id=${user}`).expect(200))) as {
    items: { id: string; status: string; notification_id: string }[];
  };
  return items[0]!;
};
const withdrawals = () => pushed().filter(({ withdraw }) => withdraw);

test('read in the inbox: a silent push with the tag, once, in the place of what is still on its way', async () => {
  await service.register({ user_id: user });
  const id = await send();
  const { id: item } = await itemOf();
  await service.api.put(`/v1/notifications/${item}/read`, {}).expect(200);
  await eventually(() => withdrawals().length === 1);
  expect(withdrawals()).toEqual([{ withdraw: true, notification_id: id, tag: id }]);
  const [first, second] = service.outside.pushes.map(({ topic }) => topic);
  expect(second).toBe(first);
  await service.api.put(`/v1/notifications/${item}/unread`, {}).expect(200);
  await service.api.put(`/v1/notifications/${item}/read`, {}).expect(200);
  const rows = await service.deps.sql(
    "SELECT 1 FROM deliveries WHERE notification_id = $1 AND channel LIKE 'web_push%'",
    [id],
  );
  expect(rows).toHaveLength(2);
  expect(await statusOf(id)).toBe('sent');
  const attempts = (await bodyOf(service.api.get(`/v1/notify/${id}/attempts`).expect(200))) as {
    items: object[];
  };
  expect(attempts.items).toHaveLength(1);
});

test('everything read at once: each of them is taken back', async () => {
  await service.register({ user_id: user });
  const ids = [await send(), await send()];
  await service.api.post(`/v1/notifications/read-all?user_id=${user}`, {}).expect(200);
  await eventually(() => withdrawals().length === 2);
  expect(
    withdrawals()
      .map(({ tag }) => tag)
      .sort(),
  ).toEqual(ids.sort());
});

test('nothing is taken back where nobody asked for it, nor from a browser that forbids silence', async () => {
  await service.register({ user_id: user });
  await send({ withdraw: false });
  await service.api.put(`/v1/notifications/${(await itemOf()).id}/read`, {}).expect(200);
  const silent = await send();
  await service.deps.sql(
    "UPDATE push_subscriptions SET endpoint_host = 'web.push.apple.com' WHERE user_id = $1",
    [user],
  );
  await service.api.post(`/v1/notifications/read-all?user_id=${user}`, {}).expect(200);
  await eventually(async () => {
    const [row] = await service.deps.sql<{ status: string }>(
      "SELECT status FROM deliveries WHERE notification_id = $1 AND plan::jsonb ->> 'withdraw' = 'now'",
      [silent],
    );
    return row?.status === 'no_devices';
  });
  expect(withdrawals()).toEqual([]);
});

test('opened on the device: the item is read, by what the push brought along and nothing else', async () => {
  await service.register({ user_id: user });
  const id = await send();
  const { receipt } = pushed().at(-1)!;
  const read = (given: string) =>
    fetch(`${service.server.url}/v1/push/read?receipt=${given}`, { method: 'POST' }).then(
      ({ status }) => status,
    );
  expect(await read(`${id}.0000000000000000`)).toBe(401);
  expect(await read(`${id}.`)).toBe(401);
  expect(await read(`ntf_none.${receipt}`)).toBe(401);
  expect(await itemOf()).toMatchObject({ status: 'unread' });
  expect(await read(`${id}.${receipt}`)).toBe(204);
  expect(await read(`${id}.${receipt}`)).toBe(204);
  expect(await itemOf()).toMatchObject({ status: 'read' });
  await eventually(() => withdrawals().length === 1);
});

test('a push without an item brings nothing along', async () => {
  await service.register({ user_id: user });
  await service.api
    .post('/v1/notify', { channels: ['web_push'], message: 'x', target: { web_push: { user_id: user } } })
    .expect(202);
  await eventually(() => pushed().length === 1);
  expect(pushed()[0]).not.toHaveProperty('receipt');
  const refused = await service.api
    .post('/v1/notify', {
      channels: ['web_push'],
      message: 'x',
      target: { web_push: { broadcast: true, withdraw: true } },
    })
    .expect(400);
  expect((refused.body as { error: string }).error).toBe('/target/web_push/withdraw: is for a user_id only');
});
