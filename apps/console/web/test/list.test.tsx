// The kit of the lists, on the pages that use it.
import { afterEach, expect, test } from '@jest/globals';
import { screen, waitFor, within } from '@testing-library/react';
import { openAt, type Answers } from './page-under-test.tsx';

const realFetch = globalThis.fetch;
afterEach(() => {
  globalThis.fetch = realFetch;
  localStorage.clear();
});

const topic = (id: string) => ({
  topic_id: id,
  members: 2,
  created_at: 1_767_225_600,
  updated_at: 1_767_225_600,
});
const page = (items: readonly object[]) => ({ items, next_cursor: null });
const withScopes = (...scopes: string[]): Answers => ({ 'GET /v1/api-keys/me': () => ({ scopes }) });

const openTopics = (answers: Answers = {}, address = '/notifications/topics') =>
  openAt(address, {
    ...withScopes('admin'),
    'GET /v1/organization': () => ({ id: 'org_1' }),
    'GET /v1/topics': () => page(['bakery', 'kitchen', 'office'].map(topic)),
    ...answers,
  });

const row = async (name: string) => screen.findByRole('row', { name: new RegExp(name) });
const heads = () => screen.getAllByRole('columnheader').map(({ textContent }) => textContent);

test('the columns of a list are chosen in its menu, and are part of its address', async () => {
  const { user, address } = openTopics();
  await row('kitchen');
  expect(heads()).toEqual(['', 'Topic', 'Members', 'Created', 'Updated']);
  await user.click(screen.getByRole('button', { name: 'View of topics' }));
  const menu = within(await screen.findByRole('menu'));
  expect(menu.queryByText('Topic')).toBeNull(); // the name of a row always shows
  await user.click(menu.getByRole('menuitemcheckbox', { name: 'Created' }));
  await waitFor(() => expect(heads()).toEqual(['', 'Topic', 'Members', 'Updated']));
  expect(address()).toContain('columns=members%2Cupdated');
  await user.click(menu.getByRole('menuitemcheckbox', { name: 'Created' }));
  await waitFor(() => expect(address()).toBe('/notifications/topics')); // the usual columns need no name
});

test('an address with columns opens with them', async () => {
  openTopics({}, '/notifications/topics?columns=created');
  await row('kitchen');
  expect(heads()).toEqual(['', 'Topic', 'Created']);
});

test('saves a view under a name, opens it from the menu, and deletes it', async () => {
  const { user, address } = openTopics({}, '/notifications/topics?columns=created');
  await row('kitchen');
  const openMenu = async () => {
    await user.click(screen.getByRole('button', { name: 'View of topics' }));
    return screen.findByRole('menu');
  };
  await openMenu();
  await user.click(await screen.findByRole('menuitem', { name: 'Save this view …' }));
  await user.type(await screen.findByLabelText('Name'), 'By age');
  await user.click(screen.getByRole('button', { name: 'Save view' }));
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
  const menu = await openMenu();
  await user.click(within(menu).getByRole('menuitemcheckbox', { name: 'Members' }));
  await waitFor(() => expect(address()).toContain('members'));
  await user.click(within(menu).getByRole('menuitem', { name: 'By age' }));
  await waitFor(() => expect(address()).toBe('/notifications/topics?columns=created'));
  await openMenu();
  await user.click(await screen.findByRole('menuitem', { name: 'Save this view …' }));
  await user.click(await screen.findByRole('button', { name: 'Delete view By age' }));
  expect(screen.queryByRole('button', { name: 'Delete view By age' })).toBeNull();
  expect(localStorage.getItem('parley-views:org_1')).toBe('[]');
});

test('acts on the selected rows, and keeps those selected that failed', async () => {
  const refused = Response.json({ error: 'in use', error_message: 'The topic is in use.' }, { status: 409 });
  const { user, asked } = openTopics({
    'DELETE /v1/topics/bakery': () => ({}),
    'DELETE /v1/topics/office': () => refused,
  });
  await user.click(within(await row('bakery')).getByRole('checkbox', { name: 'Select bakery' }));
  await user.click(within(await row('office')).getByRole('checkbox'));
  const bar = screen.getByRole('toolbar', { name: 'Selected topics' });
  expect(bar).toHaveTextContent('2 selected');
  await user.click(within(bar).getByRole('button', { name: 'Delete' }));
  const dialog = await screen.findByRole('alertdialog', { name: 'Delete 2 topics?' });
  await user.click(within(dialog).getByRole('button', { name: 'Delete' }));
  await screen.findByText(/^1 topic deleted, 1 failed:/);
  expect(
    asked.filter(({ endpoint }) => endpoint.startsWith('DELETE')).map(({ endpoint }) => endpoint),
  ).toEqual(['DELETE /v1/topics/bakery', 'DELETE /v1/topics/office']);
  await waitFor(() => expect(bar).toHaveTextContent('1 selected'));
  expect(within(await row('office')).getByRole('checkbox')).toBeChecked();
  await user.click(screen.getByRole('checkbox', { name: 'Select all topics' }));
  expect(bar).toHaveTextContent('3 selected');
  await user.click(within(bar).getByRole('button', { name: 'Clear selection' }));
  expect(screen.queryByRole('toolbar')).toBeNull();
});

test('arrow keys move between rows, Space selects, and Enter opens', async () => {
  const { user, address } = openTopics();
  await row('kitchen');
  screen.getByRole('region', { name: 'Topics' }).focus();
  await user.keyboard('{ArrowDown}{ArrowDown}');
  expect(await row('kitchen')).toHaveFocus();
  await user.keyboard(' ');
  expect(within(await row('kitchen')).getByRole('checkbox')).toBeChecked();
  await user.keyboard('{End}');
  expect(await row('office')).toHaveFocus();
  await user.keyboard('{ArrowDown}{Home}');
  expect(await row('bakery')).toHaveFocus();
  await user.keyboard('{Enter}');
  await waitFor(() => expect(address()).toBe('/notifications/topics/bakery'));
});

test('a list that is filtered says so, and clears the filters', async () => {
  const { user, address } = openAt('/notifications/suppressions?email=ada%40example.com&columns=reason', {
    'GET /v1/suppressions': () => page([]),
  });
  await screen.findByText('No matching suppressions');
  await user.click(screen.getByRole('link', { name: 'Clear filters' }));
  await screen.findByText('No suppressed addresses');
  expect(address()).toBe('/notifications/suppressions?columns=reason');
});

test('a key that may only read is offered neither selection nor actions', async () => {
  openTopics(withScopes('read'));
  await row('kitchen');
  await waitFor(() => expect(heads()).toEqual(['Topic', 'Members', 'Created', 'Updated']));
  expect(screen.queryByRole('checkbox')).toBeNull();
  expect(screen.queryByRole('button', { name: 'Create topic' })).toBeNull();
});

const CONVERSATION = {
  id: 'conv_1',
  bot_id: null,
  status: 'completed',
  channel: 'phone',
  from: '+49301234',
  to: null,
  started_at: '2026-01-15T12:00:00.000Z',
  ended_at: null,
  created_at: '2026-01-15T12:00:00.000Z',
  duration_seconds: 61,
  turn_count: 4,
  end_reason: null,
  error: null,
};

test('heads sort where the service sorts, descending first', async () => {
  const { user, asked } = openAt(
    '/conversations',
    {
      'GET /v1/conversations': ({ query }) => ({
        success: true,
        data: page(query.has('status') ? [] : [CONVERSATION]),
      }),
    },
    { services: ['voice-api'], services_here: ['voice-api'] },
  );
  await screen.findByRole('row', { name: /49301234/ });
  const head = (name: string) => screen.getByRole('columnheader', { name: new RegExp(`^${name}`) });
  const last = () => asked.findLast(({ endpoint }) => endpoint === 'GET /v1/conversations')!.query;
  expect(head('Started')).toHaveAttribute('aria-sort', 'descending');
  expect(within(head('Agent')).queryByRole('button')).toBeNull();
  await user.click(within(head('Duration')).getByRole('button'));
  await waitFor(() => expect(last().get('sort')).toBe('duration_seconds'));
  expect(head('Duration')).toHaveAttribute('aria-sort', 'descending');
  expect(head('Started')).not.toHaveAttribute('aria-sort');
  await user.click(within(head('Duration')).getByRole('button'));
  await waitFor(() => expect(last().get('order')).toBe('asc'));
});
