import { expect, test } from '@jest/globals';
import { screen } from '@testing-library/react';
import { openAt, type Answers } from '../../test/page-under-test.tsx';
import { idsIn, inRequests } from './members.rules.ts';

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

test('pasted ids are a line each, each once', () =>
  expect(idsIn(' ada \r\n\nben, the cook\nada\n')).toEqual(['ada', 'ben, the cook']));

test('a request names as many as one may', () => {
  const ids = Array.from({ length: 20_001 }, (_, index) => `user-${index}`);
  expect(inRequests(ids).map(({ length }) => length)).toEqual([10_000, 10_000, 1]);
  expect(inRequests(ids).flat()).toEqual(ids);
  expect(inRequests([])).toEqual([]);
});

test('many are added at once, and one is taken out of the list', async () => {
  const { user, bodies } = open('/notifications/topics/kitchen');
  await screen.findByText('2 members');
  await user.click(screen.getByRole('button', { name: 'Add members' }));
  await user.click(screen.getByLabelText('User ids'));
  await user.paste('cem\ndora\ncem\n');
  await user.click(screen.getByRole('button', { name: 'Add 2' }));
  await screen.findByText('2 added; the topic has 4');
  await user.click(await screen.findByRole('button', { name: 'Remove ben' }));
  expect(bodies('POST /v1/topics/kitchen/members')).toEqual([
    { add: ['cem', 'dora'], remove: [] },
    { add: [], remove: ['ben'] },
  ]);
});

test('more than one request are asked one after the other', async () => {
  const { user, bodies } = open('/notifications/topics/kitchen');
  await user.click(await screen.findByRole('button', { name: 'Remove members' }));
  await user.click(screen.getByLabelText('User ids'));
  await user.paste(Array.from({ length: 10_001 }, (_, index) => `u${index}`).join('\n'));
  await user.click(screen.getByRole('button', { name: 'Remove 10001' }));
  await screen.findByText('10001 removed; the topic has 4');
  expect(
    bodies('POST /v1/topics/kitchen/members').map((body) => (body as { remove: string[] }).remove.length),
  ).toEqual([10_000, 1]);
});

test('a new topic adds to none that is there', async () => {
  const { user, bodies } = open('/notifications/topics', {
    'GET /v1/topics': () => ({ items: [], next_cursor: null }),
  });
  await user.click(await screen.findByRole('button', { name: 'New topic' }));
  await user.type(screen.getByLabelText('Id'), 'kitchen');
  await user.click(screen.getByRole('button', { name: 'Create' }));
  await screen.findByText('There is a topic "kitchen" already.');
  expect(bodies('POST /v1/topics/kitchen/members')).toEqual([]);
});

test('a send to it begins with it', async () => {
  const { user, address } = open('/notifications/topics/kitchen');
  await user.click(await screen.findByRole('link', { name: 'Send to it' }));
  expect(await screen.findByLabelText('Topic')).toHaveProperty('value', 'kitchen');
  expect(address()).toBe('/notifications?topic=kitchen');
});
