// A session that ends while a person types.
import { afterEach, expect, jest, test } from '@jest/globals';
import { act, screen, waitFor } from '@testing-library/react';
import { openAt } from './page-under-test.tsx';

const NONE = { items: [], next_cursor: null };
const answers = { 'GET /v1/categories': () => NONE, 'GET /v1/templates': () => NONE };
const inMs = (ms: number) => new Date(Date.now() + ms).toISOString();
const signedOut = { with: null, services: [], services_here: [], expires_at: null };

afterEach(() => void jest.restoreAllMocks());

/** As the small window says it. */
function signInElsewhere(): void {
  const channel = new BroadcastChannel('parley-session');
  channel.postMessage('signed in');
  channel.close();
}

test('warns before the end, keeps what was typed, and goes on after signing in again', async () => {
  let session: object = { expires_at: inMs(90_000) };
  const { user } = openAt('/notifications', answers, () => session);
  await user.type(await screen.findByLabelText('Message'), 'Your order');
  expect((await screen.findByRole('alert')).textContent).toContain('ends in less than two minutes');

  session = signedOut;
  signInElsewhere(); // a read of the session finds it ended
  await screen.findByText(/Your session has ended/);
  expect(screen.getByLabelText('Message')).toHaveProperty('value', 'Your order');

  const opened = jest.spyOn(window, 'open').mockReturnValue(window);
  await user.click(screen.getByRole('link', { name: 'Sign in again' }));
  expect(opened.mock.calls[0]?.[0]).toBe('/sign-in?next=%2Fsigned-in');
  session = { expires_at: inMs(12 * 3_600_000) };
  act(signInElsewhere);
  await waitFor(() => expect(screen.queryByRole('alert')).toBeNull());
  expect(screen.getByLabelText('Message')).toHaveProperty('value', 'Your order');
});

test('a refused request shows that the session has ended', async () => {
  let session: object = { expires_at: inMs(12 * 3_600_000) };
  const refused = () =>
    Response.json({ error: 'You are not signed in.', code: 'not_signed_in' }, { status: 401 });
  const { user } = openAt('/notifications', { ...answers, 'POST /v1/notify': refused }, () => session);
  await user.type(await screen.findByLabelText('Inbox of user'), 'ada');
  await user.type(screen.getByLabelText('Message'), 'Your order');
  session = signedOut;
  await user.click(screen.getByRole('button', { name: 'Preview' }));
  await screen.findByText(/Your session has ended/);
  expect(screen.getByLabelText('Message')).toHaveProperty('value', 'Your order');
});

test('the small window tells the page', async () => {
  const heard = new Promise((resolve) => {
    const channel = new BroadcastChannel('parley-session');
    channel.onmessage = ({ data }) => {
      channel.close();
      resolve(data);
    };
  });
  const close = jest.spyOn(window, 'close').mockReturnValue(undefined);
  openAt('/signed-in', answers);
  await screen.findByText(/You are signed in/);
  expect(await heard).toBe('signed in');
  expect(close).toHaveBeenCalled();
});
