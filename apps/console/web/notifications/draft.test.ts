import { expect, test } from '@jest/globals';
import { emptyDraft, requestOf } from './draft.rules.ts';

test('only what was chosen and filled in is asked for', () => {
  expect(requestOf({ ...emptyDraft, message: 'Hello', email: 'left@over.example' })).toEqual({
    channels: ['in_app'],
    message: 'Hello',
    target: { in_app: {} },
    dry_run: false,
  });
});

test('every channel has its target', () => {
  const draft = {
    ...emptyDraft,
    channels: ['in_app', 'email', 'chat', 'webhook', 'web_push'] as const,
    message: 'Hello',
    subject: 'News',
    email: ' ada@example.com ',
    webhookUrl: 'https://example.com/hook',
    inAppUser: 'ada',
    pushTo: 'everybody' as const,
    pushUser: 'left over',
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
      web_push: { broadcast: true, url: 'https://example.com' },
    },
  });
});
