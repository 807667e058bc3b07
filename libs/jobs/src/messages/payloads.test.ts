import { describe, expect, test } from '@jest/globals';
import { conversationEvent, notifyRequest, serviceNotifyRequest, webhookDelivery } from './payloads.ts';

const event = {
  id: 'evt_1',
  type: 'speech.final',
  conversation_id: 'c1',
  occurred_at: '2026-11-20T18:00:00Z',
  data: { turn_index: 0, text: 'yes' },
};

describe('conversation.event', () => {
  test.each([
    ['an eighth type', { type: 'conversation.paused' }],
    ['a time without a zone', { occurred_at: '2026-11-20T18:00:00' }],
    ['an id with NUL', { conversation_id: 'c\u00001' }],
    ['an id of 256 characters', { id: 'x'.repeat(256) }],
    ['data that are no object', { data: [] }],
  ])('refuses %s', (_, change) => {
    expect(conversationEvent.safeParse({ ...event, ...change }).success).toBe(false);
  });

  test('data is optional', () => {
    const { data: _, ...bare } = event;
    expect(conversationEvent.parse(bare).data).toEqual({});
  });
});

describe('webhook.deliver', () => {
  const request = {
    url: 'https://example.com/hook',
    event: 'flow.completed',
    body: { id: 'evt_1', event: 'flow.completed', timestamp: '2026-11-20T18:00:00Z', data: {} },
  };

  test.each([
    ['another event in the body', { body: { ...request.body, event: 'flow.handed_off' } }],
    ['an address of another kind', { url: 'ftp://example.com/' }],
    ['a header value with a line break', { headers: { 'X-A': 'one\r\nX-B: two' } }],
    ['a header name with a space', { headers: { 'X A': 'one' } }],
    ['51 headers', { headers: Object.fromEntries(Array.from({ length: 51 }, (_, i) => [`X-${i}`, ''])) }],
    ['a body without data', { body: { ...request.body, data: undefined } }],
  ])('refuses %s', (_, change) => {
    expect(webhookDelivery.safeParse(request).success).toBe(true);
    expect(webhookDelivery.safeParse({ ...request, ...change }).success).toBe(false);
  });
});

describe('notification.send', () => {
  const request = { organization_id: 'acme', channels: ['chat', 'web_push'], message: 'Hello' };

  test('refuses secrets by value, and does not repeat them', () => {
    const secret = 'https://hooks.slack.com/services/T0/B0/canary';
    const refused = notifyRequest.safeParse({
      ...request,
      target: { chat: { webhook_url: secret }, web_push: { subscription: { endpoint: secret } } },
    });
    expect(refused.error?.issues.map((issue) => issue.path.join('.'))).toEqual([
      'target.chat.webhook_url',
      'target.web_push.subscription',
    ]);
    expect(JSON.stringify(refused.error)).not.toContain('canary');
  });

  test.each([
    ['a channel twice', { channels: ['chat', 'chat'] }],
    ['no channel', { channels: [] }],
    ['an unknown channel', { channels: ['sms'] }],
    ['an empty message', { message: '' }],
    ['10,001 characters', { message: 'x'.repeat(10_001) }],
    ['no organisation', { organization_id: undefined }],
  ])('refuses %s', (_, change) => {
    expect(notifyRequest.safeParse({ ...request, ...change }).success).toBe(false);
  });

  test('a target is optional', () => {
    expect(notifyRequest.parse(request).target).toEqual({});
  });

  test.each([
    ['in_app without a target', ['in_app'], {}],
    ['in_app without a user_id', ['email', 'in_app'], { in_app: {} }],
    ['a broadcast', ['web_push'], { web_push: { broadcast: true } }],
  ])('a service may not send %s, which addresses everybody', (_, channels, target) => {
    const everybody = { ...request, channels, target };
    expect(notifyRequest.safeParse(everybody).success).toBe(true); // the consumer records it
    expect(serviceNotifyRequest.safeParse(everybody).error?.issues).toMatchObject([
      { message: 'must name a user_id: a service addresses nobody else' },
    ]);
  });
});
