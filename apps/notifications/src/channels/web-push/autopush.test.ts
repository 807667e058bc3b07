import { expect, test } from '@jest/globals';
import { encryptedBytes } from '../../push-engine/encrypt.ts';
import { CONSTRAINED_BYTES_MAX, isAutopush, toAutopushPayload } from './autopush.ts';
import { buildPayload, buildWithdrawal, payloadBytes } from './payload.rules.ts';

const content = { notificationId: 'ntf_1', title: 'Tea', body: 'The kettle boils.', url: '/tea' };

test.each([
  ['https://updates.push.services.mozilla.com/wpush/v2/gAAAA', true],
  ['https://push.acme.example/wpush/v1/gAAAA', true],
  ['https://fcm.googleapis.com/fcm/send/wpush/v2/x', false],
  ['https://web.push.apple.com/QGx', false],
])('%s is autopush: %s', (endpoint, expected) => {
  expect(isAutopush(endpoint)).toBe(expected);
});

test('title and body are there once', () => {
  const { url, ...rest } = content;
  expect(JSON.parse(toAutopushPayload(buildPayload(content)))).toEqual({
    ...(JSON.parse(buildPayload(rest)) as object),
    url,
  });
});

test.each(['ü', 'x', '"', '👩‍👩‍👧‍👦'])('a body of %s is cut to what Firefox on Android accepts', (unit) => {
  const body = unit.repeat(Math.floor(3_600 / Buffer.byteLength(unit)));
  const payload = toAutopushPayload(buildPayload({ ...content, body, data: { order: 7 } }));
  const bytes = encryptedBytes(payloadBytes(payload));
  expect(bytes).toBeLessThanOrEqual(CONSTRAINED_BYTES_MAX);
  expect(bytes).toBeGreaterThan(CONSTRAINED_BYTES_MAX - 30);
  const sent = JSON.parse(payload) as { body: string; data: object };
  expect(sent.data).toEqual({ order: 7 });
  expect(body.startsWith(sent.body.slice(0, -1))).toBe(true);
});

test('what cannot be cut goes whole: Firefox on a desktop accepts it', () => {
  const data = { order: 'x'.repeat(3_300) };
  expect(JSON.parse(toAutopushPayload(buildPayload({ ...content, data })))).toMatchObject({
    body: content.body,
    data,
  });
  expect(toAutopushPayload(buildWithdrawal('ntf_1'))).toBe(buildWithdrawal('ntf_1'));
});
