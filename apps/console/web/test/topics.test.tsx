import { expect, test } from '@jest/globals';
import { screen, within } from '@testing-library/react';
import { openAt, type Answers } from './page-under-test.tsx';
import { idsIn, inRequests } from '../notifications/topics/members.rules.ts';

const kitchen = { topic_id: 'kitchen', members: 2, created_at: 1, updated_at: 2 };

const open = (address: string, more: Answers = {}) =>
  openAt(address, {
    'GET /v1/topics/kitchen': () => kitchen,
    'GET /v1/topics/kitchen/members': () => ({
      items: ['ada', 'ben'].map((user_id) => ({ user_id, created_at: 1 })),
      next_cursor: null,
    }),
    'POST /v1/topics/kitchen/members': () => ({ ...kitchen, members: 4 }),
    ...more,
  });

test('reads one id per line, without duplicates', () =>
  expect(idsIn(' ada \r\n\nben, the cook\nada\n')).toEqual(['ada', 'ben, the cook']));

test('splits ids into requests of at most 10,000', () => {
  const ids = Array.from({ length: 20_001 }, (_, index) => `user-${index}`);
  expect(inRequests(ids).map(({ length }) => length)).toEqual([10_000, 10_000, 1]);
  expect(inRequests(ids).flat()).toEqual(ids);
  expect(inRequests([])).toEqual([]);
});

test('adds many members and removes one', async () => {
  const { user, bodies } = open('/notifications/topics/kitchen');
  await screen.findByText('2 members');
  await user.click(await screen.findByRole('button', { name: 'Add members' }));
  await user.click(screen.getByLabelText('User ids'));
  await user.paste('cem\ndora\ncem\n');
  await user.click(screen.getByRole('button', { name: 'Add 2 members' }));
  await screen.findByText('2 added; the topic has 4');
  await user.click(await screen.findByRole('button', { name: 'Remove ben' }));
  expect(bodies('POST /v1/topics/kitchen/members')).toEqual([
    { add: ['cem', 'dora'], remove: [] },
    { add: [], remove: ['ben'] },
  ]);
});

test('sends several requests one after the other', async () => {
  const { user, bodies } = open('/notifications/topics/kitchen');
  await user.click(await screen.findByRole('button', { name: 'Remove members' }));
  await user.click(screen.getByLabelText('User ids'));
  await user.paste(Array.from({ length: 10_001 }, (_, index) => `u${index}`).join('\n'));
  await user.click(screen.getByRole('button', { name: 'Remove 10001 members' }));
  await screen.findByText('10001 removed; the topic has 4');
  expect(
    bodies('POST /v1/topics/kitchen/members').map((body) => (body as { remove: string[] }).remove.length),
  ).toEqual([10_000, 1]);
});

test('does not add to an existing topic when creating one', async () => {
  const { user, bodies } = open('/notifications/topics', {
    'GET /v1/topics': () => ({ items: [], next_cursor: null }),
  });
  await user.click(await screen.findByRole('button', { name: 'Create topic' }));
  await user.type(screen.getByLabelText('Id'), 'kitchen');
  await user.click(within(screen.getByRole('dialog')).getByRole('button', { name: 'Create topic' }));
  await screen.findByText('The topic "kitchen" already exists. Choose another id.');
  expect(bodies('POST /v1/topics/kitchen/members')).toEqual([]);
});

test('opens the composer for the topic', async () => {
  const { user, address } = open('/notifications/topics/kitchen');
  await user.click(await screen.findByRole('link', { name: 'Send to topic' }));
  expect(await screen.findByLabelText('Topic')).toHaveProperty('value', 'kitchen');
  expect(address()).toBe('/notifications?topic=kitchen');
});
