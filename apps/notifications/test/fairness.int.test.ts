// No organisation delays another (docs/platform.md#lanes), even when its receivers never answer, on
// any channel.
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { setSetting } from '@parley/server/organizations';
import {
  eventually,
  fakeMailServer,
  pushService,
  receiver,
  type FakeMailServer,
  type PushService,
  type Receiver,
} from '@parley/testing';
import { pushEnvironment, registerMany } from './push/push.ts';
import { newVapidKey } from './push/vapid.ts';
import { startNotifications, type NotificationsUnderTest } from './service.ts';

const GREEDY_SENDS = 200;
/** Or as long as accepting all of them took on a busy machine. */
const WITHIN_MS = 2_000;
let greedySends = 0;

let service: NotificationsUnderTest;
let silent: { web: Receiver; mail: FakeMailServer; push: PushService };
let answering: { web: Receiver; mail: FakeMailServer; push: PushService };

beforeAll(async () => {
  silent = {
    web: await receiver({ fallback: 'hang' }),
    mail: await fakeMailServer(),
    push: await pushService(),
  };
  answering = { web: await receiver(), mail: await fakeMailServer(), push: await pushService() };
  silent.mail.always('silent');
  silent.push.always('hang');
  const vapid = { new: newVapidKey(), old: newVapidKey() };
  service = await startNotifications({
    worker: true,
    ca: silent.push.ca,
    env: {
      ...pushEnvironment(vapid),
      DELIVERY_TIMEOUT_MS: '15000',
      SILENT_SMTP: silent.mail.url,
      ANSWERING_SMTP: answering.mail.url,
    },
  });
  const { sql } = service.deps;
  for (const [organization, reference] of [
    ['greedy', 'env://SILENT_SMTP'],
    ['modest', 'env://ANSWERING_SMTP'],
  ] as const) {
    await setSetting(sql, organization, 'smtp_url', { reference }, Date.now());
    await setSetting(sql, organization, 'email_from', { value: 'alerts@acme.example' }, Date.now());
  }
  await registerMany({ ...service, outside: silent.push }, 'greedy', 1_000, (index) => `u-${index % 100}`);
  await registerMany({ ...service, outside: answering.push }, 'modest', 1, () => 'u-0');
});
afterAll(async () => {
  await service.stop();
  for (const { web, mail, push } of [silent, answering])
    await Promise.all([web.close(), mail.close(), push.close()]);
}, 40_000);

test.each([
  {
    name: 'webhook',
    channel: 'webhook',
    of: ({ web }: typeof silent) => ({ url: web.url }),
    arrived: () => answering.web.requests.length,
  },
  {
    name: 'webhooks to many addresses',
    channel: 'webhook',
    of: ({ web }: typeof silent, index: number) => ({
      url: `http://127.0.0.${(index % 50) + 1}:${web.port}/`,
    }),
    arrived: () => answering.web.requests.length,
  },
  {
    name: 'chat',
    channel: 'chat',
    of: ({ web }: typeof silent) => ({ webhook_url: `${web.url}/chat` }),
    arrived: () => answering.web.requests.length,
  },
  {
    name: 'email',
    channel: 'email',
    of: () => ({ email: 'ann@customer.example' }),
    arrived: () => answering.mail.mails.length,
  },
  {
    name: 'web push to users',
    channel: 'web_push',
    of: (_side: typeof silent, index: number) => ({ user_id: `u-${index % 100}` }),
    arrived: () => answering.push.pushes.length,
  },
  {
    name: 'broadcasts',
    channel: 'web_push',
    of: () => ({ broadcast: true }),
    arrived: () => answering.push.pushes.length,
  },
])(
  '$name: a message arrives while many of another organisation hang',
  async (way) => {
    const { channel, of, arrived } = way;
    const [greedy, modest] = [
      service.as(await service.issueKey('greedy')),
      service.as(await service.issueKey('modest')),
    ];
    const send = (api: typeof greedy, target: object) =>
      api
        .post('/v1/notify', { channels: [channel], message: 'x', target: { [channel]: target } })
        .expect(202);
    const greedyAtMs = performance.now();
    for (let sent = 0; sent < GREEDY_SENDS; sent += 20)
      await Promise.all(Array.from({ length: 20 }, (_, index) => send(greedy, of(silent, sent + index))));
    greedySends += GREEDY_SENDS;
    const before = arrived();
    const startedAtMs = performance.now();
    await send(modest, of(answering, 0));
    await eventually(() => arrived() > before);
    const tookMs = performance.now() - startedAtMs;
    expect(tookMs).toBeLessThan(Math.max(WITHIN_MS, startedAtMs - greedyAtMs));
    if (process.env['FIGURES'])
      console.log(way.name, Math.round(tookMs), 'ms; accepting', Math.round(startedAtMs - greedyAtMs));
    // None is lost between Postgres and the lane.
    const [rows] = await service.deps.sql<{ deliveries: number; lost: number }>(
      `SELECT (SELECT count(*) FROM deliveries WHERE organization_id = 'greedy') AS deliveries,
       (SELECT count(*) FROM push_fanouts AS fanout WHERE chunks_open > 0
          AND NOT EXISTS (SELECT FROM push_chunks WHERE push_chunks.delivery_id = fanout.delivery_id)) AS lost`,
    );
    expect(rows).toEqual({ deliveries: greedySends, lost: 0 });
  },
  60_000,
);
