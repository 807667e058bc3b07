// Tests of the delivery settings of a webhook and of the facts of an attempt.
import { afterEach, expect, test } from '@jest/globals';
import { QueryClientProvider } from '@tanstack/react-query';
import { render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { useState, type ReactNode } from 'react';
import { makeQueryClient } from '../api/query-client.ts';
import { AttemptFacts } from './attempts.tsx';
import { HeadersField, toHeaders } from './custom-headers.tsx';
import { toForm, toMembers, readFilter } from './sending.rules.ts';
import { DeliverySettingsFields } from './sending.tsx';
import { FilterFields } from './filter-fields.tsx';
import { toFilterForm, toFilterText } from './filter.rules.ts';

const realFetch = globalThis.fetch;
afterEach(() => void (globalThis.fetch = realFetch));

test('an empty form leaves everything to the service', () => {
  expect(toMembers(toForm())).toEqual({
    bot_ids: [],
    timeout_ms: null,
    rate_per_second: null,
    ordered: false,
    asymmetric: false,
    disable: 'after_failures',
  });
  expect(readFilter(' ')).toBeUndefined();
});

test.each([
  ['{', 'The filter must be valid JSON.'],
  ['{"op":"eq"}', /must name a variable/],
  ['null', /must name a variable/],
])('refuses the filter %s', (text, why) => {
  expect(readFilter(text)).toEqual(typeof why === 'string' ? why : expect.stringMatching(why));
});

test.each([
  [{ variable: 'end_reason', op: 'eq', value: 'user_hangup' }, ['user_hangup']],
  [{ variable: 'metadata.plan', op: 'in', value: ['gold', 7] }, ['gold, 7']],
  [{ variable: 'duration_seconds', op: 'between', value: [1, 2.5] }, ['1', '2.5']],
  [{ variable: 'metadata.vip', op: 'eq', value: true }, ['true']],
  [{ variable: 'from', op: 'eq', value: '4930123' }, ['4930123']],
  [{ variable: 'language', op: 'exists' }, ['']],
])('the form shows the filter %j and writes it again', (filter, values) => {
  const form = toFilterForm(JSON.stringify(filter))!;
  expect(form).toEqual({ variable: filter.variable, op: filter.op, values });
  expect(JSON.parse(toFilterText(form))).toEqual(filter);
  expect(readFilter(toFilterText(form))).toEqual(filter);
});

test.each([
  { variable: 'text', op: 'eq', value: 'Tea', case_sensitive: true },
  { variable: 'error.code', op: 'eq', value: 'x' },
  { variable: 'metadata.list', op: 'in', value: ['a, b'] },
  { variable: 'metadata.plan', op: 'eq', value: '7' },
  { variable: 'metadata.object', op: 'eq', value: { a: 1 } },
  { variable: 'text', op: 'sounds_like', value: 'x' },
])('the filter %j stays JSON', (filter) => expect(toFilterForm(JSON.stringify(filter))).toBeNull());

/** Renders a field that starts empty; returns how to read its value. */
function renderHeld(
  Field: (props: { value: string; onChange: (value: string) => void }) => ReactNode,
): () => string {
  let held = '';
  function Held() {
    const [value, setValue] = useState(held);
    held = value;
    return <Field value={value} onChange={setValue} />;
  }
  render(<Held />);
  return () => held;
}

test('a person builds a filter without JSON', async () => {
  const held = renderHeld(FilterFields);
  const user = userEvent.setup();
  await user.selectOptions(screen.getByLabelText('Deliver events where'), 'Metadata');
  expect(screen.getByLabelText('Value')).toHaveAccessibleDescription(
    'Enter the name of the metadata to compare.',
  );
  await user.type(screen.getByLabelText('Name in the metadata'), 'plan');
  expect(screen.getByLabelText('Value')).toHaveAccessibleDescription('Enter the value to compare with.');
  await user.selectOptions(screen.getByLabelText('Comparison'), 'in');
  await user.type(screen.getByLabelText('Values'), 'gold, silver');
  expect(JSON.parse(held())).toEqual({ variable: 'metadata.plan', op: 'in', value: ['gold', 'silver'] });
  await user.selectOptions(screen.getByLabelText('Deliver events where'), 'No filter: all events');
  expect(held()).toBe('');
});

test('headers are rows; pasted lines become rows', async () => {
  const held = renderHeld(HeadersField);
  const user = userEvent.setup();
  await user.click(screen.getByRole('button', { name: 'Add header' }));
  await user.type(screen.getByLabelText('Name of header 1'), 'x tenant');
  expect(screen.getByText('A header cannot be called “x tenant”.')).toBeVisible();
  await user.clear(screen.getByLabelText('Name of header 1'));
  await user.click(screen.getByLabelText('Name of header 1'));
  await user.paste('x-tenant: acme\nx-url: https://example.com:8443\n');
  await user.type(screen.getByLabelText('Value of header 1'), ' inc');
  expect(toHeaders(held())).toEqual({ 'x-tenant': 'acme inc', 'x-url': 'https://example.com:8443' });
  await user.click(screen.getByRole('button', { name: 'Remove header 1' }));
  expect(toHeaders(held())).toEqual({ 'x-url': 'https://example.com:8443' });
});

test('reads one header per line', () =>
  expect(toHeaders('X-Tenant: acme\nauthorization: secret://crm\n')).toEqual({
    'x-tenant': 'acme',
    authorization: 'secret://crm',
  }));

test('turns settings into members, and lets a deleted bot be deselected', async () => {
  globalThis.fetch = async () =>
    Response.json({
      success: true,
      data: { items: [{ id: 'bot_1', name: 'Tea' }], next_cursor: null },
      meta: { request_id: 'r', timestamp: '' },
    });
  let held = { ...toForm(), bots: ['bot_gone'] as readonly string[] };
  function Held() {
    const [value, setValue] = useState(held);
    held = value;
    return <DeliverySettingsFields value={value} onChange={(next) => setValue(next)} />;
  }
  render(
    <QueryClientProvider client={makeQueryClient()}>
      <Held />
    </QueryClientProvider>,
  );
  const user = userEvent.setup();
  await user.click(await screen.findByLabelText('Tea'));
  await user.click(screen.getByLabelText('bot_gone'));
  await user.type(screen.getByLabelText('Timeout in seconds'), '2.5');
  await user.type(screen.getByLabelText('Attempts per second'), '10');
  await user.click(screen.getByLabelText('In order'));
  await user.click(screen.getByLabelText('Tolerate single events that fail'));
  await user.click(screen.getByLabelText('Also sign with a key pair'));
  expect(toMembers(held)).toEqual({
    bot_ids: ['bot_1'],
    timeout_ms: 2500,
    rate_per_second: 10,
    ordered: true,
    asymmetric: true,
    disable: 'when_failing',
  });
});

test('shows request, response and timings of an attempt', () => {
  render(
    <AttemptFacts
      attempt={{
        attempt: 2,
        at: '2026-01-01T00:00:00.000Z',
        status: 503,
        error_class: 'http_status',
        ms: 840,
        message: null,
        answer: 'busy',
        url: 'https://example.com/hook',
        request_headers: { 'webhook-id': 'evt_1', 'webhook-signature': '•••' },
        response_headers: { 'retry-after': '120' },
        timings: { dns_ms: null, connect_ms: 12, tls_ms: 30, first_byte_ms: 800 },
      }}
    />,
  );
  expect(screen.getByLabelText('the request of attempt 2').textContent).toBe(
    'POST https://example.com/hook\nwebhook-id: evt_1\nwebhook-signature: •••',
  );
  expect(screen.getByLabelText('response headers of attempt 2').textContent).toBe('retry-after: 120');
  expect(screen.getByText('connection').parentElement?.textContent).toBe('connection12 ms');
  expect(screen.queryByText('DNS')).toBeNull();
});
