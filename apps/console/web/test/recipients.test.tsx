import { expect, test } from '@jest/globals';
import { screen } from '@testing-library/react';
import { openAt, type Answers } from './page-under-test.tsx';
import { formOf, isReady, putOf } from '../notifications/recipients/recipient.rules.ts';

const ada = {
  user_id: 'ada',
  email: 'ada@customer.example',
  language: 'en',
  time_zone: 'Europe/London',
  chat_webhook: { host: 'chat.example', hash: 'a1b2' },
  attributes: { team: 'tea' },
  created_at: 1,
  updated_at: 2,
};
const categories = [
  {
    id: 'news',
    name: 'News',
    description: 'What is new',
    required: false,
    channels: { email: true, in_app: true },
  },
  {
    id: 'alarm',
    name: 'Alarms',
    description: null,
    required: true,
    channels: { email: true, in_app: true },
  },
];

const open = (address: string, more: Answers = {}) =>
  openAt(address, {
    'GET /v1/recipients/ada': () => ada,
    'GET /v1/preferences': () => ({
      user_id: 'ada',
      all: true,
      channels: { email: true, in_app: true },
      categories,
    }),
    ...more,
  });

test('replaces a recipient as a whole, and removes the chat webhook only on request', () => {
  const form = formOf(ada);
  expect(isReady(form, ada)).toBe(false);
  expect(isReady({ ...form, takeChatAway: true }, ada)).toBe(true);
  expect(isReady({ ...form, chatWebhook: 'https://chat.example/x' }, ada)).toBe(true);
  expect(isReady({ ...formOf(), attributes: '[' })).toBe(false);
  expect(putOf({ ...form, takeChatAway: true, timeZone: ' ', chatWebhook: 'left over' })).toEqual({
    email: 'ada@customer.example',
    language: 'en',
    attributes: { team: 'tea' },
  });
});

test('saves what the form contains', async () => {
  const { user, bodies } = open('/notifications/recipients/ada', {
    'PUT /v1/recipients/ada': () => ada,
  });
  await user.click(await screen.findByRole('button', { name: 'Edit' }));
  expect(screen.getByRole('button', { name: /^Save/ })).toHaveProperty('disabled', true);
  await user.type(screen.getByLabelText('Chat webhook'), 'https://chat.example/hook');
  await user.clear(screen.getByLabelText('Language'));
  await user.click(screen.getByRole('button', { name: /^Save/ }));
  await screen.findByText('Recipient ada saved');
  expect(bodies('PUT /v1/recipients/ada')).toEqual([
    {
      email: 'ada@customer.example',
      chat_webhook: 'https://chat.example/hook',
      time_zone: 'Europe/London',
      attributes: { team: 'tea' },
    },
  ]);
});

test('switches a channel of a category off; required categories are locked', async () => {
  const { user, bodies } = open('/notifications/recipients/ada', {
    'PUT /v1/preferences': () => ({
      user_id: 'ada',
      all: true,
      channels: { email: true, in_app: true },
      categories: [{ ...categories[0], channels: { email: false, in_app: true } }, categories[1]],
    }),
  });
  const news = await screen.findByRole('checkbox', { name: 'News: E-mail' });
  expect(screen.getByRole('checkbox', { name: 'Alarms: E-mail' })).toHaveProperty('disabled', true);
  expect(screen.queryByRole('columnheader', { name: 'Web push' })).toBeNull();
  await user.click(news);
  await screen.findByRole('checkbox', { name: 'News: E-mail', checked: false });
  expect(bodies('PUT /v1/preferences')).toEqual([{ categories: { news: { email: false } } }]);
});

test('switches everything off, or a channel for all categories', async () => {
  const now = { user_id: 'ada', all: false, channels: { email: true, in_app: true }, categories };
  const { user, bodies } = open('/notifications/recipients/ada', {
    'PUT /v1/preferences': () => now,
  });
  await user.click(await screen.findByRole('checkbox', { name: 'All notifications' }));
  await screen.findByRole('checkbox', { name: 'All notifications', checked: false });
  await user.click(screen.getByRole('checkbox', { name: 'All categories: E-mail' }));
  expect(bodies('PUT /v1/preferences')).toEqual([{ all: false }, { channels: { email: false } }]);
});

test('shows the senders of the organisation', async () => {
  open('/notifications/senders', {
    'GET /v1/senders': () => ({
      items: [
        { sender: 'Acme <alerts@acme.example>', kind: 'address', is_default: true },
        { sender: '@news.acme.example', kind: 'domain', is_default: false },
      ],
      next_cursor: null,
    }),
  });
  await screen.findByText('Acme <alerts@acme.example>');
  expect(screen.getByText('default')).toBeTruthy();
  expect(screen.getByText('Any address of this domain')).toBeTruthy();
});

test('finds a recipient by id, and offers to create a missing one', async () => {
  const { user } = open('/notifications/recipients?user=ben');
  await screen.findByText('No matching recipients');
  await user.click(screen.getByRole('button', { name: 'Create recipient' }));
  expect(screen.getByLabelText('User id')).toHaveProperty('value', 'ben');
});

test('does not overwrite an existing recipient', async () => {
  const { user, bodies } = open('/notifications/recipients?user=ada');
  await screen.findByText('ada@customer.example');
  await user.click(screen.getByRole('button', { name: 'Create recipient' }));
  await user.click(screen.getByRole('button', { name: /^Save/ }));
  await screen.findByText('The recipient "ada" already exists. Choose another id.');
  expect(bodies('PUT /v1/recipients/ada')).toEqual([]);
});

test('creates a category, and does not overwrite another one', async () => {
  const { user, bodies } = open('/notifications/categories', {
    'GET /v1/categories': () => ({
      items: categories.map((one) => ({ ...one, created_at: 1, updated_at: 1 })),
      next_cursor: null,
    }),
    'PUT /v1/categories/tea': () => ({}),
  });
  await screen.findByText('required');
  await user.click(screen.getByRole('button', { name: 'Create category' }));
  await user.type(screen.getByLabelText('Id'), 'news');
  await screen.findByText('This id is taken. Choose another one.');
  await user.clear(screen.getByLabelText('Id'));
  await user.type(screen.getByLabelText('Id'), 'tea');
  await user.type(screen.getByLabelText('Name'), 'Tea');
  await user.click(screen.getByLabelText('Required'));
  await user.click(screen.getByRole('button', { name: /^Save/ }));
  await screen.findByText('Tea saved');
  expect(bodies('PUT /v1/categories/tea')).toEqual([{ name: 'Tea', required: true, opt_in: false }]);
});
