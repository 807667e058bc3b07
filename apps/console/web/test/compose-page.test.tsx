import { expect, test } from '@jest/globals';
import { screen, waitFor, within } from '@testing-library/react';
import { openAt, type Answers } from './page-under-test.tsx';

const NONE = { items: [], next_cursor: null };

/** The fake service accepts everything. */
function open(address: string, more: Answers = {}) {
  return openAt(address, {
    'GET /v1/categories': () => NONE,
    'GET /v1/templates': () => NONE,
    'POST /v1/notify': ({ body }) =>
      (body as { dry_run: boolean }).dry_run
        ? { dry_run: true, accepted_channels: ['in_app'], preview: { in_app: { title: 'Hello' } } }
        : { notification_id: 'ntf_1', accepted_channels: ['in_app'] },
    ...more,
  });
}

test('sends what the preview showed', async () => {
  const { user, bodies, address } = open('/notifications?user=ada&template=order');
  expect(await screen.findByLabelText('Recipient')).toHaveProperty('value', 'ada');
  await user.click(screen.getByLabelText('Data as JSON'));
  await user.paste('{"number": 7}');
  expect(screen.getByRole('button', { name: 'Send notification' })).toHaveProperty('disabled', true);
  await user.click(screen.getByRole('button', { name: 'Preview' }));
  await screen.findByRole('region', { name: 'in_app body' });
  await user.click(screen.getByRole('button', { name: 'Send notification' }));
  const request = { template: { id: 'order', data: { number: 7 } }, target: { user_id: 'ada' } };
  expect(bodies('POST /v1/notify')).toEqual([
    { ...request, dry_run: true },
    { ...request, dry_run: false },
  ]);
  expect(address()).toBe('/notifications/sent/ntf_1');
});

test('the preview shows skipped and suppressed channels and the number of members', async () => {
  const { user } = open('/notifications?topic=kitchen', {
    'POST /v1/notify': () => ({
      dry_run: true,
      accepted_channels: ['in_app'],
      members: 2,
      preview: {},
      rejected: [{ channel: 'email', reason: 'no provider is set' }],
      suppressed: [{ channel: 'chat', reason: 'the recipient switched it off' }],
    }),
  });
  await user.type(await screen.findByLabelText('Message'), 'Tea');
  await user.click(screen.getByRole('button', { name: 'Preview' }));
  const shown = await screen.findByRole('region', { name: 'Preview' });
  expect(shown.textContent).toContain('To 2 members');
  expect(shown.textContent).toContain('E-mail is skipped: no provider is set');
  expect(shown.textContent).toContain('Chat is suppressed: the recipient switched it off');
});

test('shows an e-mail as the text that its provider receives', async () => {
  const { user } = open('/notifications', {
    'POST /v1/notify': () => ({
      dry_run: true,
      accepted_channels: ['email'],
      preview: { email: { providers: [{ provider: 'smtp', body: 'Subject: Tea\r\n\r\nServed.' }] } },
    }),
  });
  await user.type(await screen.findByLabelText('Inbox of user'), 'ada');
  await user.type(screen.getByLabelText('Message'), 'Tea');
  await user.click(screen.getByRole('button', { name: 'Preview' }));
  const mail = await screen.findByRole('region', { name: 'email body by smtp' });
  expect(mail.textContent).toContain('Subject: Tea\r\n\r\nServed.');
});

test('an e-mail has copies, reply-to and attachments, and the preview names those fetched later', async () => {
  const { user, bodies } = open('/notifications', {
    'POST /v1/notify': () => ({
      dry_run: true,
      accepted_channels: ['email'],
      preview: {
        email: {
          fetched_attachments: [{ filename: 'terms.pdf', url: { host: 'example.com', hash: 'x' } }],
          providers: [{ provider: 'sendgrid', body: { personalizations: [] } }],
        },
      },
    }),
  });
  await user.click(await screen.findByLabelText('Inbox'));
  await user.click(screen.getByLabelText('E-mail'));
  await user.type(screen.getByLabelText('E-mail address'), 'ada@example.com');
  await user.type(screen.getByLabelText('Cc'), 'ann@example.com, ben@example.com');
  await user.type(screen.getByLabelText('Reply to'), 'desk@example.com');
  await user.upload(screen.getByLabelText('Files'), new File(['Tea'], 'note.txt', { type: 'text/plain' }));
  await screen.findByText('note.txt');
  await user.click(screen.getByRole('button', { name: 'Add address' }));
  await user.type(screen.getByLabelText('File name 2'), 'terms.pdf');
  await user.type(screen.getByLabelText('Address 2'), 'https://example.com/terms.pdf');
  await user.upload(screen.getByLabelText('Files'), new File([new Uint8Array(720_000)], 'film.mp4'));
  await screen.findByText(/Add the address of a larger file/);
  await user.type(screen.getByLabelText('Message'), 'Tea');
  await user.click(screen.getByRole('button', { name: 'Preview' }));
  await screen.findByText('terms.pdf is fetched from example.com at the time of sending.');
  await screen.findByRole('region', { name: 'email body by sendgrid' });
  expect(bodies('POST /v1/notify')).toMatchObject([
    {
      target: {
        email: {
          email: 'ada@example.com',
          reply_to: 'desk@example.com',
          cc: ['ann@example.com', 'ben@example.com'],
          attachments: [
            { filename: 'note.txt', content: 'VGVh', content_type: 'text/plain' },
            { filename: 'terms.pdf', url: 'https://example.com/terms.pdf' },
          ],
        },
      },
    },
  ]);
});

test('a change needs a new preview before sending', async () => {
  const { user } = open('/notifications');
  await user.type(await screen.findByLabelText('Inbox of user'), 'ada');
  await user.type(screen.getByLabelText('Message'), 'Tea');
  await user.click(screen.getByRole('button', { name: 'Preview' }));
  await screen.findByRole('region', { name: 'in_app body' });
  await user.type(screen.getByLabelText('Message'), ' is served');
  expect(screen.queryByRole('region', { name: 'in_app body' })).toBeNull();
  expect(screen.getByRole('button', { name: 'Send notification' })).toHaveProperty('disabled', true);
});

test('a message without a recipient is not sent to anybody', async () => {
  const { user, bodies } = open('/notifications');
  await user.type(await screen.findByLabelText('Message'), 'Tea');
  expect(screen.getByLabelText('Inbox of user')).toBeRequired();
  await user.click(screen.getByRole('button', { name: 'Preview' }));
  expect(bodies('POST /v1/notify')).toEqual([]);
});

test('a message to everyone shows the number of users and needs a confirmation', async () => {
  const message = 'Goes to every user of the organisation: 1,204 people.';
  const { user, bodies, address } = open('/notifications', {
    'POST /v1/notify': ({ body }) =>
      (body as { dry_run: boolean }).dry_run
        ? {
            dry_run: true,
            accepted_channels: ['in_app'],
            preview: { web_push: { devices: 311 } },
            everyone: { users: 1204, exact: true, message },
          }
        : { notification_id: 'ntf_1', accepted_channels: ['in_app'] },
  });
  await user.selectOptions(await screen.findByLabelText('To'), 'Everyone in the organisation');
  await user.click(screen.getByLabelText('Web push'));
  expect(screen.queryByLabelText('E-mail')).toBeNull();
  await user.type(screen.getByLabelText('Message'), 'Tea');
  await user.click(screen.getByRole('button', { name: 'Preview' }));
  await screen.findByText(`${message} Goes to every device of the organisation: 311 devices.`);
  await user.click(screen.getByRole('button', { name: 'Send notification' }));
  const question = await screen.findByRole('alertdialog');
  expect(question.textContent).toContain(message);
  await user.click(within(question).getByRole('button', { name: 'Cancel' }));
  await waitFor(() => expect(screen.queryByRole('alertdialog')).toBeNull());
  expect(bodies('POST /v1/notify')).toHaveLength(1); // the dry run
  await user.click(screen.getByRole('button', { name: 'Send notification' }));
  await user.click(await screen.findByRole('button', { name: 'Send to everyone' }));
  await waitFor(() => expect(address()).toBe('/notifications/sent/ntf_1'));
  expect(bodies('POST /v1/notify')).toHaveLength(2);
});
