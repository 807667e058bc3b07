// Runs the channel suite for web_push, and checks that no stored subscription or key appears
// anywhere.
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { eventually, pushService } from '@parley/testing';
import { findSecrets } from '../canary.ts';
import { channelGuarantees } from '../channel.suite.ts';
import { pushEnvironment, registerMany, startPush, type PushUnderTest } from './push.ts';
import { newVapidKey } from './vapid.ts';

channelGuarantees('web_push', async () => {
  const outside = await pushService();
  const vapid = { new: newVapidKey(), old: newVapidKey() };
  const subscription = outside.subscribe();
  return {
    name: 'web_push',
    // On a busy machine opening the TLS connection takes as long as the suite's time-out.
    env: { ...pushEnvironment(vapid), DELIVERY_TIMEOUT_MS: '2000' },
    ca: outside.ca,
    target: { subscription },
    success: 'sent',
    provider: {
      attempts: () => outside.pushes.map(({ receivedAtMs }) => receivedAtMs),
      answers: (...answers) =>
        outside.script(
          ...answers.map((answer) => {
            if (typeof answer === 'string') return answer;
            const { status, body = '', retryAfterSeconds } = answer;
            const headers: Record<string, string> = {};
            if (retryAfterSeconds !== undefined) headers['retry-after'] = String(retryAfterSeconds);
            return { status, body, headers };
          }),
        ),
    },
    secrets: [
      vapid.new,
      vapid.old,
      outside.getDevice(subscription),
      subscription.keys.auth,
      subscription.keys.p256dh,
    ],
    close: () => outside.close(),
  };
});

let push: PushUnderTest;
beforeAll(async () => {
  push = await startPush();
});
afterAll(() => push.stop());

test('no key or endpoint appears in a row, the queue, the log or an answer, for any outcome of the devices', async () => {
  const fine = await push.register({ user_id: 'u' });
  const devices = [fine, ...(await registerMany(push, 'acme', 4, (index) => `u-${index}`))];
  const direct = push.outside.subscribe();
  const secrets = [
    push.vapid.new,
    push.vapid.old,
    ...[...devices, direct].flatMap((one) => [push.outside.getDevice(one), one.keys.auth, one.keys.p256dh]),
  ];
  // A push service may echo everything.
  const body = secrets.join(' ');
  push.outside.always({ status: 410, body }, devices[1]);
  push.outside.always({ status: 400, body: `VapidPkHashMismatch ${body}` }, devices[2]);
  push.outside.always({ status: 500, body }, devices[3]);
  push.outside.always({ status: 413, body }, devices[4]);

  const answers: string[] = [];
  for (const target of [{ broadcast: true }, { user_id: 'u' }, { subscription: direct }]) {
    const request = { channels: ['web_push'], message: 'x', target: { web_push: target } };
    answers.push((await push.api.post('/v1/notify', { ...request, dry_run: true }).expect(200)).text);
    const accepted = (await push.api.post('/v1/notify', request).expect(202)).body as unknown;
    const id = (accepted as { notification_id: string }).notification_id;
    await eventually(async () => {
      const { text } = await push.api.get(`/v1/notify/${id}`).expect(200);
      answers.push(text);
      return !/"status":"(queued|sending)"/.test(text);
    });
  }
  for (const path of ['/v1/push/registrations', '/v1/push/history?user_id=u', '/metrics']) {
    answers.push((await push.api.get(path).expect(200)).text);
  }
  expect(push.outside.pushes.length).toBeGreaterThanOrEqual(7);
  for (const secret of secrets) expect(answers.join()).not.toContain(secret);
  expect(await findSecrets(push, secrets)).toEqual([]);
}, 30_000);
