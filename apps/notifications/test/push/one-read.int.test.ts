// One read everywhere: reading in the inbox withdraws the push from devices, and opening a push
// marks the item as read.
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { eventually } from '@parley/testing';
import { readBody } from '../service.ts';
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
  const accepted = await readBody(
    service.api
      .post('/v1/notify', {
        channels: ['in_app', 'web_push'],
        message: 'Tea.',
        target: { user_id: user, web_push: { withdraw: true, ...more } },
      })
      .expect(202),
  );
  const { notification_id: id } = accepted as { notification_id: string };
  await eventually(async () => pushed().length > count && (await readStatus(id)) === 'sent');
  return id;
}
const readStatus = async (id: string) => {
  const { channels } = (await readBody(service.api.get(`/v1/notify/${id}`).expect(200))) as {
    channels: { channel: string; status: string }[];
  };
  expect(channels.map(({ channel }) => channel)).toEqual(['in_app', 'web_push']);
  return channels[1]!.status;
};
const readItem = async () => {
  const { items } = (await readBody(service.api.get(`/v1/notifications?user_id=${user}`).expect(200))) as {
    items: { id: string; status: string; notification_id: string }[];
  };
  return items[0]!;
};
const withdrawals = () => pushed().filter(({ withdraw }) => withdraw);

test('reading in the inbox sends one silent push with the tag, which replaces an undelivered one', async () => {
  await service.register({ user_id: user });
  const id = await send();
  const { id: item } = await readItem();
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
  expect(await readStatus(id)).toBe('sent');
  const attempts = (await readBody(service.api.get(`/v1/notify/${id}/attempts`).expect(200))) as {
    items: object[];
  };
  expect(attempts.items).toHaveLength(1);
});

test('reading all items withdraws each of them', async () => {
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

test('withdraws nothing without a request, nor from browsers that forbid silent pushes', async () => {
  await service.register({ user_id: user });
  await send({ withdraw: false });
  await service.api.put(`/v1/notifications/${(await readItem()).id}/read`, {}).expect(200);
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

test('opening on the device marks the item as read, with the receipt of the push only', async () => {
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
  expect(await readItem()).toMatchObject({ status: 'unread' });
  expect(await read(`${id}.${receipt}`)).toBe(204);
  expect(await read(`${id}.${receipt}`)).toBe(204);
  expect(await readItem()).toMatchObject({ status: 'read' });
  await eventually(() => withdrawals().length === 1);
});

test('a push without an item has no receipt', async () => {
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
  expect((refused.body as { error: string }).error).toBe('/target/web_push/withdraw: needs a user_id');
});
