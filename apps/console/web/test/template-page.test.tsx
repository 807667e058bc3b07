import { expect, test } from '@jest/globals';
import { screen, waitFor, within } from '@testing-library/react';
import { openAt, type Answers } from './page-under-test.tsx';

const head = {
  template_id: 'order',
  created_at: 1,
  updated_at: 2,
  default_locale: 'en',
  latest_version: 2,
  published_version: 1,
};
const locales = [
  { locale: 'en', subject: 'Order', message: 'It is on its way.', email: { html: '<p>Hi {{ name }}</p>' } },
  { locale: 'de', message: 'Sie ist unterwegs.' },
];

/** The fake service has a template with two versions. */
function open(address: string, more: Answers = {}) {
  return openAt(address, {
    'GET /v1/templates/order': ({ query }) => ({
      ...head,
      version: Number(query.get('version') ?? 1),
      locales,
    }),
    'PUT /v1/templates/order': () => ({ ...head, latest_version: 3, version: 3 }),
    ...more,
  });
}

test('saves the text of a channel as an unpublished version', async () => {
  const { user, bodies, address } = open('/notifications/templates/order?language=de&channel=chat');
  await user.type(await screen.findByLabelText('Text'), 'Moin');
  await user.click(screen.getByLabelText('Data as JSON'));
  await user.paste('{"name": "Ada"}');
  await user.click(screen.getByRole('button', { name: 'Save version' }));
  await screen.findByText('Saved as version 3');
  expect(bodies('PUT /v1/templates/order')).toEqual([
    {
      default_locale: 'en',
      locales: [locales[0], { ...locales[1], chat: { text: 'Moin' } }],
      publish: false,
    },
  ]);
  expect(address()).toContain('version=3');
  expect(screen.getByLabelText('Data as JSON')).toHaveProperty('value', '{"name": "Ada"}');
});

test('adds a language as a copy of the default one and opens it', async () => {
  const { user, bodies, address } = open('/notifications/templates/order');
  await user.click(await screen.findByRole('button', { name: 'Add language' }));
  await user.type(screen.getByRole('textbox', { name: 'Language' }), 'fr');
  await user.click(within(screen.getByRole('dialog')).getByRole('button', { name: 'Add language' }));
  await user.clear(await screen.findByLabelText('Message'));
  await user.type(screen.getByLabelText('Message'), 'En route.');
  expect(address()).toContain('language=fr');
  expect(bodies('PUT /v1/templates/order')).toEqual([]);
  await user.click(screen.getByRole('button', { name: 'Save version' }));
  await screen.findByText('Saved as version 3');
  expect(bodies('PUT /v1/templates/order')).toMatchObject([
    { locales: [{}, {}, { locale: 'fr', subject: 'Order', message: 'En route.' }] },
  ]);
});

test('shows the error of the service and links it to the field', async () => {
  const { user, bodies, address } = open('/notifications/templates/order', {
    'POST /v1/templates/preview': () =>
      Response.json({ error: 'html of email: undefined variable: name, line:1, col:7' }, { status: 422 }),
  });
  await screen.findByText(/undefined variable: name/);
  expect(bodies('POST /v1/templates/preview')).toEqual([
    { default_locale: 'en', locales, data: { name: '[name]' } },
  ]);
  await user.click(screen.getByRole('link', { name: 'Show E-mail' }));
  expect(await screen.findByLabelText('HTML')).toHaveProperty('value', '<p>Hi {{ name }}</p>');
  expect(address()).toContain('channel=email');
});

test('the data is a form of the variables, and a mail is built from blocks', async () => {
  const { user, bodies } = open('/notifications/templates/order?channel=email', {
    'POST /v1/templates/preview': ({ body }) => ({
      locale: 'en',
      channels: {
        chat: { subject: 'Order', message: 'Hello' },
        web_push: { subject: 'Order', message: JSON.stringify((body as { data: object }).data) },
      },
    }),
  });
  await user.type(await screen.findByLabelText('name'), 'Ada');
  await user.click(await screen.findByRole('radio', { name: 'Push' }));
  await screen.findByText('{"name":"Ada"}');
  await user.click(screen.getByRole('radio', { name: 'Teams' }));
  expect(screen.getByText('Your app')).toBeTruthy();
  await user.clear(screen.getByLabelText('HTML'));
  await user.click(screen.getByRole('button', { name: 'Heading' }));
  await waitFor(() => expect(document.activeElement).toBe(screen.getByLabelText('Heading')));
  await user.keyboard('Hello');
  await user.click(screen.getByRole('button', { name: 'Divider' }));
  await user.click(screen.getByRole('button', { name: 'Move up block 2' }));
  await user.click(screen.getByRole('radio', { name: 'Source' }));
  const { value } = screen.getByLabelText<HTMLTextAreaElement>('HTML');
  expect(value).toMatch(/<hr[^]*Hello<\/h1>/);
  await user.click(screen.getByRole('button', { name: 'Save version' }));
  await screen.findByText('Saved as version 3');
  expect(bodies('PUT /v1/templates/order')).toMatchObject([{ locales: [{ email: { html: value } }, {}] }]);
});

test('shows HTML in a frame that runs nothing', async () => {
  open('/notifications/templates/order', {
    'POST /v1/templates/preview': () => ({
      locale: 'en',
      channels: { email: { subject: 'Order', message: 'Hi', html: '<p onclick="go()">Hi</p>' } },
    }),
  });
  const frame = await screen.findByTitle('E-mail as HTML');
  expect(frame.getAttribute('sandbox')).toBe('allow-same-origin');
  expect(frame.getAttribute('srcdoc')).toContain('<p>Hi</p>');
});

test('previews unsaved changes after a pause in typing', async () => {
  const { user, bodies } = open('/notifications/templates/order?language=de', {
    'POST /v1/templates/preview': ({ body }) => {
      const { locales: written, locale } = body as { locales: { message: string }[]; locale: string };
      return { locale, channels: { chat: { subject: 'Order', message: written[1]!.message.toUpperCase() } } };
    },
  });
  await user.type(await screen.findByLabelText('Message'), ' Bald.');
  expect(await screen.findByText('SIE IST UNTERWEGS. BALD.')).toBeTruthy();
  expect(bodies('POST /v1/templates/preview').length).toBeLessThan(4);
  expect(bodies('PUT /v1/templates/order')).toEqual([]);
  await user.clear(screen.getByLabelText('Message'));
  await screen.findByText('Language: de, last valid preview');
  expect(screen.getByText('SIE IST UNTERWEGS. BALD.')).toBeTruthy();
});

test('publishes another version', async () => {
  const { user, bodies } = open('/notifications/templates/order?version=2', {
    'POST /v1/templates/order/publish': () => ({ ...head, published_version: 2 }),
  });
  await user.click(await screen.findByRole('button', { name: 'Publish version 2' }));
  await screen.findByText('Published version 2');
  expect(bodies('POST /v1/templates/order/publish')).toEqual([{ version: 2 }]);
});

test('does not overwrite an existing template when creating one', async () => {
  const { user, bodies } = open('/notifications/templates', {
    'GET /v1/templates': () => ({ items: [], next_cursor: null }),
  });
  await user.click(await screen.findByRole('button', { name: 'Create template' }));
  await user.type(screen.getByLabelText('Id'), 'order');
  await user.type(screen.getByLabelText('Message'), 'Hello');
  await user.click(within(screen.getByRole('dialog')).getByRole('button', { name: 'Create template' }));
  await screen.findByText('The template "order" already exists. Choose another id.');
  expect(bodies('PUT /v1/templates/order')).toEqual([]);
});
