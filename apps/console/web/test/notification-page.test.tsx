import { expect, test } from '@jest/globals';
import { screen, within } from '@testing-library/react';
import { openAt, type Answers } from './page-under-test.tsx';

const NONE = { items: [], next_cursor: null };
const channel = { attempts: 0, last_error_class: null, sent_at: null };

const open = (sent: object, more: Answers = {}, search = '') =>
  openAt(`/notifications/sent/ntf_1${search}`, {
    'GET /v1/notify/ntf_1': () => ({ notification_id: 'ntf_1', created_at: 1, channels: [], ...sent }),
    'GET /v1/notify/ntf_1/attempts': () => NONE,
    ...more,
  });

const rowOf = async (name: RegExp | string) => (await screen.findByRole('cell', { name })).closest('tr')!;

test('shows the state of each channel, and the reason of a failure', async () => {
  open({
    channels: [
      { ...channel, channel: 'email', status: 'suppressed', last_error_class: 'preference' },
      { ...channel, channel: 'chat', status: 'canceled', last_error_class: 'not_needed' },
      {
        ...channel,
        channel: 'web_push',
        status: 'partial',
        attempts: 1,
        counts: { targeted: 5, sent: 2, gone: 1, failed: 2 },
        clicked_at: 1,
        clicks: 2,
        dismissed_at: 2,
      },
    ],
    rejected: [{ channel: 'webhook', reason: 'no address is stored' }],
  });
  expect((await rowOf('E-mail')).textContent).toContain('the recipient switched this category off');
  expect((await rowOf('Chat')).textContent).toContain('no longer needed');
  expect((await rowOf('Web push')).textContent).toContain('2 of 5, 1 unsubscribed, 2 failed');
  expect((await rowOf('Web push')).textContent).toMatch(/clicked by 2 .+dismissed /);
  expect((await rowOf('Webhook')).textContent).toContain('no address is stored');
  expect(screen.queryByRole('button', { name: 'Cancel notification' })).toBeNull();
});

test('shows the response of a push service', async () => {
  open(
    { channels: [{ ...channel, channel: 'web_push', status: 'failed', last_error_class: 'http_status' }] },
    {
      'GET /v1/notify/ntf_1/attempts': () => ({
        items: [
          {
            channel: 'web_push',
            attempt: 1,
            started_at: 1,
            ms: 12,
            outcome: 'failed',
            http_status: 403,
            error_class: 'http_status',
            error: 'BadJwtToken',
          },
        ],
        next_cursor: null,
      }),
    },
  );
  await within(await screen.findByRole('region', { name: 'Attempts' })).findByText('403 · BadJwtToken');
});

test('shows the fan-out of a send to a topic and the notifications of its members, and cancels it', async () => {
  let canceled = false;
  const topic = {
    topic_id: 'kitchen',
    targeted: 1200,
    accepted: 1190,
    suppressed: 7,
    unreachable: 10,
    last_reason: 'the recipient "ben" has no email',
  };
  const { user, asked } = open(
    {},
    {
      'GET /v1/notify/ntf_1': () => ({
        notification_id: 'ntf_1',
        created_at: 1,
        channels: [],
        topic: { ...topic, status: canceled ? 'canceled' : 'sending' },
      }),
      'GET /v1/notify': () => ({
        items: [
          {
            notification_id: 'ntf_2',
            subject: 'Tea',
            source: 'api',
            created_at: 1,
            channels: [{ channel: 'email', status: 'failed' }],
          },
        ],
        next_cursor: null,
      }),
      'DELETE /v1/notify/ntf_1': () => {
        canceled = true;
        return {};
      },
    },
    '?status=failed&user=ada',
  );
  await screen.findByText('10, for example: the recipient "ben" has no email');
  expect((await rowOf('Tea')).textContent).toContain('E-mail: failed');
  expect(Object.fromEntries(asked.find(({ endpoint }) => endpoint === 'GET /v1/notify')!.query)).toEqual({
    parent_id: 'ntf_1',
    user_id: 'ada',
    status: 'failed',
  });
  await user.click(screen.getByRole('button', { name: 'Cancel notification' }));
  await screen.findByText('canceled', { selector: 'span' });
  expect(screen.queryByRole('button', { name: 'Cancel notification' })).toBeNull();
});
