// `npm run test:browser`: runs the example page and its service worker in Chromium. The page
// subscribes and registers, our engine sends, and a push service decrypts. The decrypted text is
// delivered to the service worker, which must show it. Real push services are unreachable from a
// test, so Chromium gets a subscription of the test's push service, and the last step uses the
// debugging protocol.
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { pino } from 'pino';
import { chromium } from 'playwright-core';
import { createAddressPolicy, createOutbound } from '@parley/outbound';
import { findChromium, eventually, pushService } from '@parley/testing';
import { checkSubscription, parseSubscription } from '../../src/channels/web-push/check-subscription.ts';
import { createEncrypt, encryptOne } from '../../src/push-engine/encrypt.ts';
import { createPushOrigins } from '../../src/push-engine/push-origins.ts';
import { createPushSender } from '../../src/push-engine/push-sender.ts';
import { createVapidTokens, parseVapidKeys } from '../../src/push-engine/vapid-keys.ts';
import { buildPayload } from '../../src/channels/web-push/payload.rules.ts';
import { registerRequest, type RegisterRequest } from '../../src/channels/web-push/schemas.ts';
import { newVapidKey } from '../push/vapid.ts';

const EXAMPLE = new URL('../../examples/web-push/', import.meta.url);
const TYPES: Readonly<Record<string, string>> = { html: 'text/html', js: 'text/javascript' };

const here = findChromium(); // before the test starts anything
const log = pino({ level: 'silent' });
const outside = await pushService();
const outbound = createOutbound({
  policy: createAddressPolicy({ allow: ['127.0.0.1'] }),
  log,
  ca: outside.ca,
});
const keys = parseVapidKeys(`k1:${newVapidKey()}`);
const registered: RegisterRequest[] = [];
/** Requests that the service worker made. */
const requests: string[] = [];
const site = createServer((request, response) => {
  const answer = (status: number, type: string, body: string | Buffer): void => {
    response.writeHead(status, { 'content-type': type }).end(body);
  };
  const json = (status: number, body: object): void =>
    answer(status, 'application/json', JSON.stringify(body));
  const path = (request.url ?? '/').slice(1) || 'index.html';
  if (path === 'v1/push/vapid-public-key') {
    return json(200, { public_key: keys.current.publicKey, key_id: keys.current.id });
  }
  if (path === 'v1/push/registrations') {
    return void readBody(request).then((text) => {
      registered.push(registerRequest.parse(JSON.parse(text))); // parses it as the service does
      json(201, { sub_id: 'sub_1' });
    });
  }
  if (path.startsWith('v1/push/beacon?')) {
    requests.push(`${request.method} ${path}`);
    return void response.writeHead(204).end();
  }
  if (path === 'parley-token') return answer(200, 'text/plain', 'an identity token');
  const file = new URL(path, EXAMPLE);
  if (!file.href.startsWith(EXAMPLE.href) || !existsSync(fileURLToPath(file))) return json(404, {});
  answer(200, TYPES[path.split('.').at(-1)!] ?? 'text/plain', readFileSync(file));
});
await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve));
const origin = `http://localhost:${(site.address() as AddressInfo).port}`;
const browser = await chromium.launch(here);

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
}

/**
 * Runs in the page before its own scripts and replaces `subscribe` with the test's subscription.
 * Text, since functions that tsx compiles need tsx.
 */
function standIn(subscription: object, apiBase: string): string {
  return `
    window.parley = { apiBase: ${JSON.stringify(apiBase)}, token: 'an identity token' };
    PushManager.prototype.getSubscription = async () => null;
    PushManager.prototype.subscribe = async (options) => {
      window.askedFor = options;
      return { toJSON: () => (${JSON.stringify(subscription)}) };
    };`;
}

/** The notifications that the service worker shows. */
const SHOWN = `navigator.serviceWorker.ready
  .then((registration) => registration.getNotifications())
  .then((all) => all.map(({ title, body, tag, data }) => ({ title, body, tag, data })))`;

async function step<T>(what: string, work: () => Promise<T>): Promise<T> {
  const result = await work();
  console.log(`  ✓ ${what}`);
  return result;
}

try {
  const context = await browser.newContext();
  await context.grantPermissions(['notifications'], { origin });
  const page = await context.newPage();
  const device = outside.subscribe({ vapidKey: keys.current.publicKey });
  await page.addInitScript(standIn(device, origin));

  const { secret } = await step(
    'the page subscribes with our key and registers what the service accepts',
    async () => {
      await page.goto(origin);
      await page.click('#subscribe');
      await page.waitForFunction(`document.querySelector('#state').textContent !== ''`);
      assert.equal(await page.textContent('#state'), 'subscribed: sub_1');
      assert.deepEqual(await page.evaluate('window.askedFor'), {
        userVisibleOnly: true,
        applicationServerKey: keys.current.publicKey,
      });
      assert.equal(registered.length, 1);
      assert.equal(registered[0]!.key_id, 'k1');
      const check = checkSubscription(outbound, registered[0]!.subscription);
      assert(check.ok);
      return check.subscription;
    },
  );

  const content = {
    notificationId: 'ntf_browser',
    title: 'Grüße 👋',
    body: 'The kettle boils.',
    url: '/tea?for=two',
    data: { cups: 2 },
    siteId: 'kitchen',
    beacon: `${origin}/v1/push/beacon?token=a.token`,
  };
  const text = await step('our engine sends it, and the push service decrypts it', async () => {
    const { endpoint, p256dh, auth } = parseSubscription(secret);
    const clock = Date.now;
    const origins = createPushOrigins({
      outbound,
      clock,
      log,
      timeoutMs: 10_000,
      pauseFirstMs: 5_000,
      inFlightMax: 10,
      random: Math.random,
    });
    const sender = createPushSender({
      origins,
      tokens: createVapidTokens({ subject: 'mailto:ops@example.com', clock }),
    });
    const body = encryptOne(createEncrypt(), Buffer.from(buildPayload(content)), { p256dh, auth });
    const result = await sender.send(endpoint, body, keys.current, 'topic', {
      ttlSeconds: 60,
      urgency: 'normal',
    });
    assert.equal(result.kind, 'sent');
    assert.deepEqual(outside.problems, []);
    await origins.close();
    return outside.pushes[0]!.text;
  });

  await step('delivered to the service worker, it is shown', async () => {
    const debugging = await context.newCDPSession(page);
    let registrationId = '';
    debugging.on('ServiceWorker.workerRegistrationUpdated', ({ registrations }) => {
      registrationId =
        registrations.find(({ scopeURL }) => scopeURL.startsWith(origin))?.registrationId ?? registrationId;
    });
    await debugging.send('ServiceWorker.enable');
    await eventually(() => registrationId !== '');
    const deliver = () =>
      debugging.send('ServiceWorker.deliverPushMessage', { origin, registrationId, data: text });
    const listShown = () => page.evaluate<{ title: string }[]>(SHOWN);
    // Chromium drops a notification that is queried while it appears. The test then delivers it
    // again, like a retry.
    await eventually(async () => {
      await deliver();
      await setTimeout(500);
      return (await listShown()).length > 0;
    });
    assert.deepEqual(await listShown(), [
      {
        title: content.title,
        body: content.body,
        tag: content.notificationId,
        data: {
          url: content.url,
          data: content.data,
          notification_id: content.notificationId,
          site_id: content.siteId,
          beacon: content.beacon,
        },
      },
    ]);
    // The same message again, like a retry: its tag replaces the first.
    await deliver();
    assert.equal((await listShown()).length, 1);
  });

  await step('clicked and dismissed, the service worker tells its beacon', async () => {
    const [worker] = context.serviceWorkers();
    assert(worker);
    for (const [event, what] of [
      ['notificationclose', 'dismissed'],
      ['notificationclick', 'clicked'],
    ]) {
      await worker.evaluate(`self.registration.getNotifications().then(([notification]) =>
        void self.dispatchEvent(new NotificationEvent('${event}', { notification })))`);
      const wanted = `POST v1/push/beacon?token=a.token&event=${what}`;
      await eventually(() => requests.at(-1)?.startsWith(wanted) === true);
    }
    assert.equal(requests.length, 2);
  });

  await step('when the browser drops the subscription, the service worker registers a new one', async () => {
    const [worker] = context.serviceWorkers();
    assert(worker);
    await worker.evaluate(`{
      PushManager.prototype.subscribe = async () => ({ toJSON: () => (${JSON.stringify(device)}) });
      void self.dispatchEvent(new ExtendableEvent('pushsubscriptionchange'));
    }`);
    await eventually(() => registered.length === 2);
    assert.equal(registered[1]!.key_id, 'k1');
    assert.equal(registered[1]!.subscription.endpoint, device.endpoint);
  });
  console.log('1 passed, 0 failed');
} finally {
  await browser.close();
  site.close();
  await outbound.close();
  await outside.close();
}
