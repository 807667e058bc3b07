import { expect, test } from '@jest/globals';
import { CHANNELS } from '../channels.ts';
import { draftFrom, emptyDraft, isReady, requestOf, shownRequestOf } from './draft.rules.ts';
import { emptyStep } from './timing.rules.ts';

test('sends only chosen channels and filled fields', () => {
  const draft = { ...emptyDraft, message: 'Hello', inAppUser: 'ada', email: 'left@over.example' };
  expect(requestOf(draft)).toEqual({
    channels: ['in_app'],
    message: 'Hello',
    target: { in_app: { user_id: 'ada' } },
    dry_run: false,
  });
});

test('reaches everyone only when that is chosen in words', () => {
  const all = CHANNELS;
  const typed = { ...emptyDraft, message: 'Hello', channels: all };
  expect(requestOf(typed).target).toMatchObject({ in_app: { user_id: '' }, web_push: { user_id: '' } });
  expect(requestOf({ ...typed, whom: 'everyone', inAppUser: 'left over' })).toEqual({
    channels: ['in_app', 'web_push'],
    message: 'Hello',
    target: { in_app: {}, web_push: { broadcast: true } },
    dry_run: false,
  });
  expect(isReady({ ...typed, whom: 'everyone', channels: ['email'] })).toBe(false);
});

test('gives every channel its target', () => {
  const draft = {
    ...emptyDraft,
    channels: ['in_app', 'email', 'chat', 'webhook', 'web_push'] as const,
    message: 'Hello',
    subject: 'News',
    email: ' ada@example.com ',
    webhookUrl: 'https://example.com/hook',
    inAppUser: 'ada',
    pushUser: 'ben',
    pushUrl: 'https://example.com',
    sendAt: '2026-03-01T12:00',
  };
  expect(requestOf(draft)).toEqual({
    channels: ['in_app', 'email', 'chat', 'webhook', 'web_push'],
    message: 'Hello',
    subject: 'News',
    dry_run: false,
    send_at: new Date(2026, 2, 1, 12).getTime() / 1000,
    target: {
      in_app: { user_id: 'ada' },
      email: { email: 'ada@example.com' },
      chat: {},
      webhook: { url: 'https://example.com/hook' },
      web_push: { user_id: 'ben', url: 'https://example.com' },
    },
  });
});

test('a recipient has one id for all channels, and channels keep their other members', () => {
  const draft = draftFrom({ user: 'ada' });
  expect(
    requestOf({ ...draft, message: 'Hello', email: 'left@over.example', inAppUser: 'left over' }),
  ).toEqual({ message: 'Hello', target: { user_id: 'ada' }, dry_run: false });
  expect(
    requestOf({
      ...draft,
      message: 'Hello',
      channels: ['in_app', 'webhook'],
      inAppUrl: '/orders/7',
      category: 'news',
      actions: [
        { label: 'Open', leadsTo: '/orders/7' },
        { label: 'Later', leadsTo: 'snooze' },
      ],
    }),
  ).toEqual({
    channels: ['in_app'],
    message: 'Hello',
    category: 'news',
    dry_run: false,
    target: {
      user_id: 'ada',
      in_app: {
        url: '/orders/7',
        actions: [
          { label: 'Open', url: '/orders/7' },
          { label: 'Later', id: 'snooze' },
        ],
      },
    },
  });
});

test('sends a template to a topic', () => {
  expect(
    requestOf({
      ...draftFrom({ topic: 'kitchen', template: 'order' }),
      message: 'left over',
      templateVersion: '3',
      language: 'de',
      data: '{"number": 7}',
    }),
  ).toEqual({
    template: { id: 'order', version: 3, data: { number: 7 } },
    locale: 'de',
    target: { topic_id: 'kitchen' },
    dry_run: false,
  });
});

test('a channel of a later step has its target too', () => {
  const timing = {
    ...emptyDraft.timing,
    steps: [{ channels: ['email'], after: '600', unless: '' }] as const,
  };
  expect(requestOf({ ...emptyDraft, message: 'Hello', email: 'ada@example.com', timing })).toMatchObject({
    channels: ['in_app'],
    target: { in_app: {}, email: { email: 'ada@example.com' } },
  });
});

test('previews a single send of a digest', () => {
  const timing = { ...emptyDraft.timing, many: 'digest' as const, key: 'orders', seconds: '60' };
  expect(requestOf({ ...emptyDraft, timing }).digest).toEqual({ key: 'orders', window: 60 });
  expect(shownRequestOf({ ...emptyDraft, timing }).digest).toBeUndefined();
});

test.each([
  [{ channels: [] }, false],
  [{ channels: [], whom: 'person' as const }, true],
  [{ data: '[1]' }, true],
  [{ data: '[1]', says: 'template' as const }, false],
  [{ timing: { ...emptyDraft.timing, steps: [emptyStep] } }, false],
])('with %j, ready is %s', (part, ready) => expect(isReady({ ...emptyDraft, ...part })).toBe(ready));

test('a rule makes a schedule, in the zone of the recipient unless another is given', () => {
  const draft = { ...draftFrom({ user: 'ada' }), message: 'Hello', repeats: ' FREQ=DAILY ' };
  expect(requestOf(draft)).toMatchObject({ schedule: { rrule: 'FREQ=DAILY' } });
  expect(requestOf({ ...draft, repeatZone: 'Europe/Berlin' }).schedule).toEqual({
    rrule: 'FREQ=DAILY',
    timezone: 'Europe/Berlin',
  });
});
