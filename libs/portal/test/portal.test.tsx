// The component against a service that answers from a table of requests.
import { StrictMode } from 'react';
import { beforeEach, expect, jest, test } from '@jest/globals';
import { render, screen, waitFor } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { Portal, type PortalProps } from '../src/index.ts';

interface Request {
  readonly call: string;
  readonly token: string | null;
  readonly credentials: RequestCredentials | undefined;
  readonly body: unknown;
}

const WEBHOOK = {
  id: 'wh_1',
  application_id: 'shop',
  url: 'https://shop.example/hooks',
  events: ['conversation.ended'],
  description: null,
  status: 'active',
  disabled_reason: null,
  secret_hint: '…abcd',
};
const DELIVERY = {
  id: 'dlv_1',
  event: 'conversation.ended',
  status: 'exhausted',
  attempts: 5,
  created_at: '2026-11-28T10:00:00Z',
};
const DETAIL = {
  ...DELIVERY,
  body: { id: 'evt_1', event: 'conversation.ended', data: {} },
  attempt_log: [
    { attempt: 1, at: '2026-11-28T10:00:00Z', status: 500, ms: 12, message: 'HTTP 500', answer: 'Oops' },
  ],
};
const page = (...items: object[]) => ({ items, next_cursor: null, has_more: false });

let asked: Request[] = [];
let valid = 'ptl_1';
let scopes = ['read', 'write', 'delete'];
/** By method and path; a function gets the body. */
let answers: Record<string, object | (() => object)> = {};
beforeEach(() => {
  asked = [];
  valid = 'ptl_1';
  scopes = ['read', 'write', 'delete'];
  answers = {
    'GET /v1/portal': () => ({ application: { id: 'shop', name: 'Shop' }, scopes }),
    'GET /v1/webhooks': page(WEBHOOK),
    'GET /v1/event-types': {
      items: [
        { type: 'conversation.started', summary: 'A conversation began' },
        { type: 'conversation.ended', summary: 'A conversation completed' },
      ],
    },
    'GET /v1/webhooks/wh_1': WEBHOOK,
    'GET /v1/webhooks/wh_1/deliveries': page(DELIVERY),
    'GET /v1/webhooks/wh_1/deliveries/dlv_1': DETAIL,
  };
});

const service: typeof fetch = async (to, init) => {
  const url = new URL(to as string);
  const headers = new Headers(init?.headers);
  const token = headers.get('authorization');
  const call = `${init?.method} ${url.pathname}`;
  const body = init?.body ? (JSON.parse(init.body as string) as unknown) : undefined;
  asked.push({ call, token, credentials: init?.credentials, body });
  const reply = (status: number, answer: object) =>
    new Response(JSON.stringify(answer), { status, headers: { 'content-type': 'application/json' } });
  if (token !== `Bearer ${valid}`)
    return reply(401, { success: false, error: { code: 'UNAUTHORIZED', message: 'no' } });
  const answer = answers[call];
  if (!answer) return reply(404, { success: false, error: { code: 'NOT_FOUND', message: `No ${call}.` } });
  return reply(200, {
    success: true,
    data: typeof answer === 'function' ? (answer as () => object)() : answer,
  });
};
const user = userEvent.setup();
const show = (more: Partial<PortalProps> = {}) =>
  render(
    <StrictMode>
      <Portal baseUrl="https://voice.example" token="ptl_1" fetch={service} locale="en" {...more} />
    </StrictMode>,
  );
const press = async (name: string) => user.click(await screen.findByRole('button', { name }));
const bodyOf = (call: string) => asked.findLast((one) => one.call === call)?.body;

test('a webhook is added, and its secret is shown once with help to verify', async () => {
  answers['GET /v1/webhooks'] = page();
  answers['POST /v1/webhooks'] = { ...WEBHOOK, secret: 'whsec_new' };
  show();
  await screen.findByText(/No webhooks yet/);
  await press('Add webhook');
  expect(document.activeElement).toBe(screen.getByRole('heading', { name: 'Add webhook' }));
  await user.type(screen.getByLabelText('Address'), 'https://shop.example/hooks');
  await user.click(screen.getByRole('checkbox', { name: /All events/ }));
  expect(screen.getByRole('button', { name: 'Save webhook' })).toBeDisabled();
  await user.click(await screen.findByRole('checkbox', { name: /conversation.ended/ }));
  await press('Save webhook');
  expect(bodyOf('POST /v1/webhooks')).toEqual({
    url: 'https://shop.example/hooks',
    events: ['conversation.ended'],
  });
  await screen.findByText('whsec_new');
  expect(screen.getByRole('region', { name: 'TypeScript' })).toHaveTextContent('webhooks.verify(rawBody');
  expect(screen.getByRole('region', { name: 'Python' })).toHaveTextContent('webhooks.verify(raw_body');
  answers['GET /v1/webhooks'] = page(WEBHOOK);
  await press('Back');
  await press(WEBHOOK.url);
  await screen.findByText('…abcd');
  expect(screen.queryByText('whsec_new')).toBeNull();
});

test('deliveries show their attempts, and are sent again', async () => {
  answers['POST /v1/webhooks/wh_1/deliveries/dlv_1/retry'] = { ...DELIVERY, id: 'dlv_2', status: 'pending' };
  answers['GET /v1/webhooks/wh_1/deliveries/dlv_2'] = { ...DETAIL, id: 'dlv_2', attempt_log: [] };
  answers['POST /v1/webhooks/wh_1/replay'] = { matched: 3, replayed: 3, dry_run: false };
  show();
  await press(WEBHOOK.url);
  await press('Replay missed events');
  await screen.findByText('3 events are sent again.');
  const { since, until } = bodyOf('POST /v1/webhooks/wh_1/replay') as { since: string; until: string };
  expect(Date.parse(until) - Date.parse(since)).toBe(24 * 3_600_000);
  await press('conversation.ended');
  await screen.findByText('HTTP 500');
  expect(screen.getByRole('region', { name: 'Answer' })).toHaveTextContent('Oops');
  await press('Retry delivery');
  await screen.findByText('No attempts yet.');
});

test('a webhook is tested, disabled, edited, rotated and deleted', async () => {
  const attempt = { status: 204, ms: 7, message: null };
  answers['POST /v1/webhooks/wh_1/test'] = { delivered: true, attempt };
  answers['PATCH /v1/webhooks/wh_1'] = WEBHOOK;
  answers['POST /v1/webhooks/wh_1/rotate-secret'] = { ...WEBHOOK, secret: 'whsec_rotated' };
  answers['DELETE /v1/webhooks/wh_1'] = { id: 'wh_1', deleted: true };
  show();
  await press(WEBHOOK.url);
  await press('Send test event');
  await screen.findByText('Your server answered 204 in 7 ms.');
  await press('Disable webhook');
  await waitFor(() => expect(bodyOf('PATCH /v1/webhooks/wh_1')).toEqual({ status: 'disabled' }));
  await press('Rotate secret');
  await screen.findByText('whsec_rotated');
  await press('Edit webhook');
  await user.type(await screen.findByLabelText('Description'), 'Orders');
  await press('Save webhook');
  await waitFor(() => expect(bodyOf('PATCH /v1/webhooks/wh_1')).toMatchObject({ description: 'Orders' }));
  await press('Delete webhook');
  await press('Delete it with all deliveries');
  await screen.findByRole('button', { name: 'Add webhook' });
});

test('a link that only reads offers no change', async () => {
  scopes = ['read'];
  show();
  await press(WEBHOOK.url);
  await screen.findByRole('button', { name: 'conversation.ended' });
  const names = screen.getAllByRole('button').map(({ textContent }) => textContent);
  expect(names).toEqual(['Back', 'conversation.ended']);
});

test('a refused address is explained', async () => {
  show({
    fetch: async (to, init) =>
      init?.method === 'POST'
        ? new Response(
            JSON.stringify({
              success: false,
              error: {
                code: 'INVALID_REQUEST',
                message: 'the request is not valid',
                details: { fields: [{ path: '/url', message: 'must not be private' }] },
              },
            }),
            { status: 400, headers: { 'content-type': 'application/json' } },
          )
        : service(to, init),
  });
  await press('Add webhook');
  await user.type(screen.getByLabelText('Address'), 'https://10.0.0.1');
  await press('Save webhook');
  expect(await screen.findByRole('alert')).toHaveTextContent('url must not be private');
});

test('an expired token is renewed once, and no cookie is sent', async () => {
  valid = 'ptl_2';
  const onTokenExpired = jest.fn(async () => 'ptl_2');
  show({ onTokenExpired });
  await press(WEBHOOK.url);
  await screen.findByText('…abcd');
  // StrictMode mounts twice, and both requests share the renewal.
  expect(onTokenExpired).toHaveBeenCalledTimes(1);
  expect(new Set(asked.map(({ credentials }) => credentials))).toEqual(new Set(['omit']));
});

test('without a new token the page says so, and goes on with one that is passed later', async () => {
  valid = 'ptl_2';
  const { rerender } = show();
  expect(await screen.findByRole('alert')).toHaveTextContent('Your session has ended');
  expect(screen.queryByRole('button')).toBeNull();
  rerender(
    <StrictMode>
      <Portal baseUrl="https://voice.example" token="ptl_2" fetch={service} />
    </StrictMode>,
  );
  await screen.findByRole('button', { name: WEBHOOK.url });
});

test('its texts can be replaced', async () => {
  show({ localization: { title: 'Benachrichtigungen' } });
  await screen.findByRole('heading', { name: 'Benachrichtigungen' });
});
