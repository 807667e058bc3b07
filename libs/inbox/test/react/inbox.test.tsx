// The React components: bell, list, keyboard, announcements and the shared stream.
import { StrictMode, type ComponentProps, type ReactNode } from 'react';
import { beforeEach, expect, jest, test } from '@jest/globals';
import { act, render, screen, waitFor, within } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { Inbox, InboxPanel, InboxProvider, useInbox } from '../../src/react/index.ts';
import { fakeService, type FakeService } from './fake-service.ts';

let service: FakeService;
/** A new user per test, because inboxes of one user share a stream. */
let userId = 0;
beforeEach(() => {
  service = fakeService();
  userId += 1;
});
const user = userEvent.setup();

type Given = Partial<ComponentProps<typeof InboxProvider>>;
const page = (children: ReactNode, more: Given = {}) => (
  <StrictMode>
    <InboxProvider
      {...{
        url: 'https://notifications.example',
        userId: `user-${userId}`,
        fetch: service.fetch,
        locale: 'en',
      }}
      {...more}
    >
      {children}
    </InboxProvider>
  </StrictMode>
);
const show = (children: ReactNode, more?: Given) => render(page(children, more));
const bell = (name: string | RegExp) => screen.findByRole('button', { name });
const titles = () =>
  screen.queryAllByRole('listitem').map((item) => within(item).getAllByRole('button')[0]!.textContent);
const itemOf = (title: string) => within(screen.getByRole('button', { name: title }).closest('li')!);
const asked = (what: string) => service.asked.filter((one) => one === what).length;
const isShown = (title: string) => screen.findByRole('button', { name: title });

test('the badge and the name of the bell have the number of unread items', async () => {
  service.put({});
  show(<Inbox />);
  expect((await bell('Notifications, 1 unread')).textContent).toBe('1');
  await user.click(await bell(/^Notifications/));
  await user.click(screen.getByRole('button', { name: 'Mark all read' }));
  expect((await bell('Notifications')).textContent).toBe('');
  await user.keyboard('{Escape}'); // from a button that is now disabled
  expect(screen.queryByRole('dialog')).toBeNull();
  for (let index = 0; index < 99; index += 1) service.put({});
  act(() => void service.send({}));
  expect((await bell('Notifications, 100 unread')).textContent).toBe('99+');
});

test('opens and closes by keyboard and returns the focus to the bell', async () => {
  service.put({ title: 'One' });
  show(
    <>
      <Inbox />
      <button>After it</button>
    </>,
  );
  await bell('Notifications, 1 unread');
  await user.tab();
  await user.keyboard('{Enter}');
  expect(screen.getByRole('dialog', { name: 'Notifications' })).toHaveFocus();
  expect(screen.getByRole('button', { name: /^Notifications/ })).toHaveAttribute('aria-expanded', 'true');
  await user.keyboard('{Escape}');
  expect(screen.queryByRole('dialog')).toBeNull();
  expect(await bell(/^Notifications/)).toHaveFocus();

  await user.keyboard(' ');
  await isShown('One');
  await user.tab({ shift: true });
  expect(screen.queryByRole('dialog')).toBeNull();
  expect(await bell(/^Notifications/)).toHaveFocus();

  await user.keyboard(' ');
  await isShown('One');
  screen.getByRole('button', { name: 'Delete' }).focus();
  await user.tab(); // the last element: continue after the button
  expect(screen.getByRole('button', { name: 'After it' })).toHaveFocus();
  expect(screen.queryByRole('dialog')).toBeNull();
});

test('a click outside closes it', async () => {
  show(
    <>
      <Inbox />
      <p>The page</p>
    </>,
  );
  await user.click(await bell('Notifications'));
  await user.click(screen.getByRole('group', { name: 'Show' }));
  expect(screen.getByRole('dialog')).toBeVisible();
  await user.click(screen.getByText('The page'));
  expect(screen.queryByRole('dialog')).toBeNull();
});

test('the page can control `open`', async () => {
  const onOpenChange = jest.fn();
  const inbox = (open: boolean) => page(<Inbox open={open} onOpenChange={onOpenChange} />);
  const { rerender } = render(inbox(false));
  await user.click(await bell('Notifications'));
  expect(onOpenChange).toHaveBeenLastCalledWith(true);
  expect(screen.queryByRole('dialog')).toBeNull();
  rerender(inbox(true));
  await user.keyboard('{Escape}');
  expect(onOpenChange).toHaveBeenLastCalledWith(false);
  expect(screen.getByRole('dialog')).toBeVisible();
  rerender(inbox(false));
  expect(screen.queryByRole('dialog')).toBeNull();
});

test('renders the panel into the body or a given container', async () => {
  const place = document.body.appendChild(document.createElement('aside'));
  const { container, rerender } = show(<Inbox open />);
  expect(container).not.toContainElement(screen.getByRole('dialog'));
  rerender(page(<Inbox open container={place} />));
  expect(place).toContainElement(screen.getByRole('dialog'));
  await bell('Notifications');
  place.remove();
});

test('changes items, and each view shows its own items', async () => {
  for (const title of ['A', 'B', 'C']) service.put({ title });
  show(<Inbox />);
  await user.click(await bell('Notifications, 3 unread'));
  await isShown('C');
  expect(titles()).toEqual(['C', 'B', 'A']);

  await user.click(screen.getByRole('button', { name: /^Unread/ }));
  await isShown('C');
  await user.click(itemOf('C').getByRole('button', { name: 'Mark read' }));
  expect(titles()).toEqual(['B', 'A']);
  await bell('Notifications, 2 unread');

  await user.click(itemOf('B').getByRole('button', { name: 'Archive' }));
  await user.click(screen.getByRole('button', { name: 'Archived' }));
  await isShown('B');
  expect(titles()).toEqual(['B']);
  await user.click(itemOf('B').getByRole('button', { name: 'Move to inbox' }));
  await screen.findByText('No archived notifications');

  await user.click(screen.getByRole('button', { name: 'All' }));
  await isShown('B');
  await user.click(itemOf('C').getByRole('button', { name: 'Mark unread' }));
  await user.click(itemOf('A').getByRole('button', { name: 'Delete' }));
  expect(titles()).toEqual(['C', 'B']);
  await waitFor(() => expect(service.item('n1')).toBeUndefined());
  expect([service.item('n2')!.status, service.item('n3')!.status]).toEqual(['read', 'unread']);
});

test('arrow keys move between items, and a removed item passes the focus on', async () => {
  for (const title of ['A', 'B', 'C']) service.put({ title });
  show(<InboxPanel />);
  (await isShown('C')).focus();
  const focused = () => document.activeElement!.textContent;
  await user.keyboard('{ArrowDown}');
  expect(focused()).toBe('B');
  await user.keyboard('{End}');
  expect(focused()).toBe('A');
  await user.keyboard('{ArrowDown}{Home}{ArrowUp}');
  expect(focused()).toBe('C');
  await user.keyboard('{ArrowDown}');
  itemOf('B').getByRole('button', { name: 'Archive' }).focus();
  await user.keyboard('{Enter}');
  await waitFor(() => expect(focused()).toBe('A'));
  for (const title of ['A', 'C']) {
    itemOf(title).getByRole('button', { name: 'Delete' }).focus();
    await user.keyboard('{Enter}');
  }
  await screen.findByText('No notifications');
  expect(document.activeElement).toHaveClass('parley-inbox-panel');
});

test('announces new items once, and not existing ones', async () => {
  service.put({ title: 'Old' });
  show(
    <>
      <Inbox />
      <Inbox />
      <InboxPanel />
    </>,
  );
  await isShown('Old');
  const said = () => screen.getAllByRole('status').map(({ textContent }) => textContent);
  expect(said()).toEqual(['']);
  act(() => void service.send({ title: 'Dinner is ready' }));
  await waitFor(() => expect(said()).toEqual(['New notification: Dinner is ready']));
  const before = screen.getByRole('status').firstChild;
  act(() => void service.send({ title: 'Dinner is ready' }));
  await waitFor(() => expect(screen.getByRole('status').firstChild).not.toBe(before));
});

test('components share one stream and one list per filter, and the last one closes them', async () => {
  function Count() {
    return <p>{useInbox().unreadCount} unread</p>;
  }
  service.put({ title: 'One' });
  const { rerender, unmount } = show(
    <>
      <Count />
      <Inbox />
      <InboxPanel />
      <InboxPanel />
    </>,
  );
  await screen.findByText('1 unread');
  expect([asked('GET /v1/notifications/stream'), asked('GET /v1/notifications')]).toEqual([1, 1]);
  rerender(page(<InboxPanel view="unread" />));
  await isShown('One');
  expect([asked('GET /v1/notifications/stream'), asked('GET /v1/notifications')]).toEqual([1, 2]);
  expect(service.streams()).toBe(1);
  unmount();
  await waitFor(() => expect(service.streams()).toBe(0));
});

test('says that the stream is interrupted, and announces missed items afterwards', async () => {
  show(<InboxPanel />);
  await screen.findByText('No notifications');
  act(() => service.cut());
  await screen.findByText('Not connected. Reconnecting …');
  service.put({ title: 'Missed' });
  await screen.findByText('New notification: Missed', {}, { timeout: 10_000 });
  await isShown('Missed');
  expect(screen.queryByText('Not connected. Reconnecting …')).toBeNull();
  expect(asked('GET /v1/notifications/stream')).toBe(2);
});

test('reverts a refused change and shows the error', async () => {
  service.put({ title: 'Kept' });
  service.refuse = (what) =>
    what.startsWith('DELETE') ? Response.json({ error: 'not yours' }, { status: 403 }) : undefined;
  show(<InboxPanel />);
  await isShown('Kept');
  await user.click(screen.getByRole('button', { name: 'Delete' }));
  expect(await screen.findByRole('alert')).toHaveTextContent('Something went wrong: not yours');
  expect(titles()).toEqual(['Kept']);
});

test('shows why a list failed, and retries', async () => {
  service.put({ title: 'There' });
  service.refuse = (what) =>
    what === 'GET /v1/notifications' ? Response.json({ error: 'not now' }, { status: 403 }) : undefined;
  show(<InboxPanel />);
  expect(await screen.findByRole('alert')).toHaveTextContent('Something went wrong: not now');
  service.refuse = undefined;
  await user.click(screen.getByRole('button', { name: 'Try again' }));
  await isShown('There');
});

test('opening the bell marks items seen; a panel does not', async () => {
  service.put({ title: 'New' });
  const { rerender } = show(<InboxPanel />);
  await isShown('New');
  expect(service.item('n1')!.seen_at).toBeNull();
  rerender(page(<Inbox open />));
  await waitFor(() => expect(service.item('n1')!.seen_at).not.toBeNull());
  expect(service.item('n1')!.status).toBe('unread');
});

test('tries to mark items seen only once after a refusal', async () => {
  service.put({ title: 'New' });
  service.refuse = (what) =>
    what.endsWith('/seen') ? Response.json({ error: 'only reads' }, { status: 403 }) : undefined;
  show(<Inbox open />);
  await isShown('New');
  await waitFor(() => expect(asked('GET /v1/notifications/count')).toBe(1)); // the count after the refusal
  act(() => void service.send({ title: 'Newer' }));
  await isShown('Newer');
  expect(asked('POST /v1/notifications/seen')).toBe(1);
  expect(screen.queryByRole('alert')).toBeNull();
});

test('shows why an older page failed, and keeps the list', async () => {
  for (let index = 0; index < 30; index += 1) service.put({});
  show(<InboxPanel />);
  await isShown('n30');
  service.refuse = () => Response.json({ error: 'not now' }, { status: 403 });
  await user.click(screen.getByRole('button', { name: 'Show older notifications' }));
  expect(await screen.findByRole('alert')).toHaveTextContent('Something went wrong: not now');
  expect(titles()).toHaveLength(25);
});

test('a title opens its link, unless the page prevents it', async () => {
  service.put({ title: 'Ours', url: '/orders/7', actions: [{ label: 'Track', id: 'track' }] });
  service.put({ title: 'An app’s', url: 'myapp://orders/7' });
  const onNotificationClick = jest.fn<NonNullable<ComponentProps<typeof InboxPanel>['onNotificationClick']>>(
    (_, event) => event.preventDefault(),
  );
  const onActionClick = jest.fn();
  const panel = (
    <InboxPanel {...{ onNotificationClick, onActionClick }} renderBody={({ id }) => `of ${id}`} />
  );
  show(panel);
  const link = await screen.findByRole('link', { name: 'Ours' });
  expect(link).toHaveAttribute('href', '/orders/7');
  await user.click(link);
  await user.click(screen.getByRole('button', { name: 'An app’s' }));
  expect(onNotificationClick.mock.calls.map(([{ title }]) => title)).toEqual(['Ours', 'An app’s']);
  expect(service.item('n1')!.status).toBe('unread');
  screen.getByText('of n1');
  await user.click(screen.getByRole('button', { name: 'Track' }));
  expect(onActionClick.mock.calls[0]!.slice(0, 2)).toMatchObject([{ title: 'Ours' }, { id: 'track' }]);
  await waitFor(() => expect(service.item('n1')!.status).toBe('read'));
  expect(service.clicked).toEqual(['n1']);
});

test('counts a click on an item, even when it is already read', async () => {
  service.put({ title: 'Followed', url: 'tel:+441632960000', status: 'read' });
  service.put({ title: 'Only read' });
  show(<InboxPanel />);
  await user.click(await screen.findByRole('link', { name: 'Followed' }));
  await user.click(screen.getByRole('button', { name: 'Only read' }));
  await waitFor(() => expect(service.item('n2')!.status).toBe('read'));
  expect(service.clicked).toEqual(['n1']);
});

test('uses the texts and the locale of the page', async () => {
  service.put({ title: 'Bestellung', created_at: Date.now() / 1000 - 2 * 86_400 });
  service.put({ title: 'Früher', created_at: Date.UTC(2026, 0, 31, 12) / 1000 });
  const localization = {
    title: 'Mitteilungen',
    bell: (unread: number) => `Mitteilungen, ${unread} ungelesen`,
  };
  show(<Inbox />, { locale: 'de', localization });
  await user.click(await bell('Mitteilungen, 2 ungelesen'));
  expect(screen.getByRole('dialog', { name: 'Mitteilungen' })).toBeVisible();
  await isShown('Bestellung');
  expect(itemOf('Bestellung').getByText('vorgestern')).toHaveAttribute('datetime');
  expect(itemOf('Früher').getByText('31.01.2026')).toHaveAttribute(
    'title',
    expect.stringContaining('Januar'),
  );
  expect(screen.getByRole('button', { name: 'Mark all read' })).toBeVisible(); // missing texts are English
});

test('loads older items on request', async () => {
  for (let index = 0; index < 30; index += 1) service.put({ title: `No ${index}` });
  show(<InboxPanel />);
  await isShown('No 29');
  expect(titles()).toHaveLength(25);
  await user.click(screen.getByRole('button', { name: 'Show older notifications' }));
  await isShown('No 0');
  expect(screen.queryByRole('button', { name: 'Show older notifications' })).toBeNull();
  expect(document.activeElement).toHaveTextContent('No 0'); // the button is gone, but not the focus
});

test('another user has another inbox; a new token does not reopen the stream', async () => {
  service.put({ title: 'One' });
  const tokens: (string | null)[] = [];
  const fetch: typeof service.fetch = (input, init) => {
    tokens.push(new Headers(init!.headers).get('authorization'));
    return service.fetch(input, init);
  };
  const inbox = (userId: string, token: string) =>
    page(<InboxPanel />, { userId, fetch, getToken: () => token });
  const { rerender } = render(inbox('ada', 'first'));
  await isShown('One');
  rerender(inbox('ada', 'second'));
  await user.click(screen.getByRole('button', { name: 'Mark read' }));
  await waitFor(() => expect(tokens.at(-1)).toBe('Bearer second'));
  expect(asked('GET /v1/notifications/stream')).toBe(1);
  rerender(inbox('ben', 'his'));
  await waitFor(() => expect(asked('GET /v1/notifications/stream')).toBe(2));
  await waitFor(() => expect(service.streams()).toBe(1));
});

test('without a subject the text stands once, and is announced by its beginning', async () => {
  const text = `${'The kitchen is open. '.repeat(6)}`;
  service.put({ title: text.slice(0, 80), body: text });
  service.put({ title: 'Dinner', body: 'Dinner is ready.' });
  const { container } = show(<InboxPanel />);
  await isShown('Dinner');
  const texts = [...container.querySelectorAll('li')].map(({ textContent }) => textContent);
  expect(texts[1]!.split('The kitchen is open.')).toHaveLength(7);
  expect(texts[0]).toContain('DinnerDinner is ready.');
});

test('texts of senders have their own direction', async () => {
  service.put({ title: 'שלום', body: 'العشاء جاهز', actions: [{ label: 'פתח', id: 'open' }] });
  show(<InboxPanel />);
  for (const name of ['שלום', 'פתח'])
    expect(await screen.findByRole('button', { name })).toHaveAttribute('dir', 'auto');
  expect(screen.getByText('العشاء جاهز').closest('[dir]')).toHaveAttribute('dir', 'auto');
});

test('a long body is cut until the user asks for all of it', async () => {
  const height = jest.spyOn(HTMLElement.prototype, 'scrollHeight', 'get').mockReturnValue(200);
  try {
    service.put({ title: 'Terms', body: 'Long. '.repeat(500) });
    show(<InboxPanel />);
    const more = await screen.findByRole('button', { name: 'Show more' });
    expect(screen.getByText(/^Long\./)).toHaveAttribute('data-clamped');
    await user.click(more);
    expect(screen.getByText(/^Long\./)).not.toHaveAttribute('data-clamped');
    await user.click(screen.getByRole('button', { name: 'Show less' }));
    expect(screen.getByText(/^Long\./)).toHaveAttribute('data-clamped');
  } finally {
    height.mockRestore();
  }
});

test('an item is snoozed, listed as snoozed, and comes back', async () => {
  service.put({ id: 'tax', title: 'Tax is due' });
  show(<InboxPanel />);
  await isShown('Tax is due');
  await user.click(itemOf('Tax is due').getByRole('button', { name: 'Snooze' }));
  await user.click(screen.getByRole('button', { name: 'For an hour' }));
  await screen.findByText('No notifications');
  const seconds = service.item('tax')!.snoozed_until! - Date.now() / 1000;
  expect(Math.abs(seconds - 3_600)).toBeLessThan(60);
  await user.click(screen.getByRole('button', { name: 'Snoozed' }));
  await isShown('Tax is due');
  expect(itemOf('Tax is due').getByText(/^Until /)).toBeVisible();
  await user.click(itemOf('Tax is due').getByRole('button', { name: 'End snooze' }));
  await screen.findByText('No snoozed notifications');
  await user.click(screen.getByRole('button', { name: 'All' }));
  await isShown('Tax is due');
});

test('the page draws avatars and whole rows', async () => {
  service.put({ title: 'One' });
  const { rerender } = show(<InboxPanel renderAvatar={({ title }) => <b>{title[0]}.</b>} />);
  await isShown('One');
  expect(screen.getByText('O.')).toBeVisible();
  rerender(
    page(
      <InboxPanel
        renderItem={({ id, title }, { archive }) => (
          <button onClick={() => void archive(id)}>Done: {title}</button>
        )}
      />,
    ),
  );
  await user.click(await screen.findByRole('button', { name: 'Done: One' }));
  await screen.findByText('No notifications');
});

test('an expired token asks the page for a new one; the user never reads about credentials', async () => {
  service.put({ title: 'One' });
  const tokens: boolean[] = [];
  let isRenewed = false;
  const answer = service.fetch;
  const refusal = { error: 'Authorization: Bearer with a valid API key or identity token is needed' };
  const fetch: typeof answer = async (input, init) => {
    const sent = new Headers(init!.headers).get('authorization');
    return sent === 'Bearer new' ? answer(input, init) : Response.json(refusal, { status: 401 });
  };
  const getToken = ({ refused }: { readonly refused: boolean }) => {
    tokens.push(refused);
    return refused && isRenewed ? 'new' : 'old';
  };
  show(<InboxPanel />, { fetch, getToken });
  const note = await screen.findByRole('alert');
  expect(note).toHaveTextContent('You are signed out. Sign in again to see your notifications.');
  expect(document.body).not.toHaveTextContent(/Bearer|Authorization/);
  expect(tokens).toContain(true);
  isRenewed = true;
  await user.click(screen.getByRole('button', { name: 'Try again' }));
  await isShown('One');
});

test('preferences: everything, a channel, a category', async () => {
  show(<InboxPanel />);
  await user.click(await screen.findByRole('button', { name: 'Preferences' }));
  const everything = await screen.findByRole('checkbox', { name: 'All notifications that are not required' });
  const emails = () => screen.getAllByRole('checkbox', { name: 'E-mail' });
  expect(emails().map((box) => (box as HTMLInputElement).disabled)).toEqual([false, true, false]);
  await user.click(emails()[2]!);
  await waitFor(() => expect(emails()[2]).not.toBeChecked());
  await user.click(emails()[2]!);
  await waitFor(() => expect(emails()[2]).toBeChecked());
  await user.click(emails()[0]!);
  await waitFor(() => expect(emails()[2]).toBeDisabled());
  await user.click(everything);
  await waitFor(() => expect(everything).not.toBeChecked());
  expect(screen.getAllByRole('checkbox').filter((box) => !(box as HTMLInputElement).disabled)).toHaveLength(
    1,
  );
  service.refuse = (what) =>
    what.startsWith('PUT /v1/preferences') ? Response.json({ error: 'away' }, { status: 400 }) : undefined;
  await user.click(everything);
  expect(await screen.findByRole('alert')).toHaveTextContent('Something went wrong: away');
  expect(everything).not.toBeChecked();
  await user.click(screen.getByRole('button', { name: 'All' }));
  await screen.findByText('No notifications');
});
