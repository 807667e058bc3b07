import { afterEach, expect, test } from '@jest/globals';
import { QueryClientProvider } from '@tanstack/react-query';
import { render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import type { Service } from '../api/clients.ts';
import { makeQueryClient } from '../api/query-client.ts';
import { CreateKey } from './key-dialogs.tsx';

const realFetch = globalThis.fetch;
afterEach(() => void (globalThis.fetch = realFetch));

/** Renders the dialog of a service and returns the request bodies. */
function open(service: Service): unknown[] {
  const asked: unknown[] = [];
  globalThis.fetch = (async (request: Request) => {
    asked.push(await request.json());
    const issued = { id: 'key_1', key: 'fb_test_secret' };
    return Response.json(service === 'voice-api' ? { success: true, data: issued } : issued);
  }) as typeof fetch;
  render(
    <QueryClientProvider client={makeQueryClient()}>
      <CreateKey service={service} onClose={() => undefined} />
    </QueryClientProvider>,
  );
  return asked;
}

test('restricts a key to the addresses, one per line', async () => {
  const asked = open('flow-builder');
  const user = userEvent.setup();
  await user.type(screen.getByLabelText('Name'), 'CI');
  await user.type(screen.getByLabelText('Allowed IP addresses'), '203.0.113.0/24{Enter}2001:db8::1, ');
  expect(screen.queryByLabelText('Agents')).toBeNull();
  await user.click(screen.getByRole('button', { name: 'Create key' }));
  await screen.findByTestId('secret');
  expect(asked).toEqual([
    { name: 'CI', scopes: ['read'], allowed_ips: ['203.0.113.0/24', '2001:db8::1'], expires_at: null },
  ]);
});

test('binds a key of the voice API to the bots, one per line', async () => {
  const asked = open('voice-api');
  const user = userEvent.setup();
  await user.type(screen.getByLabelText('Name'), 'Clinic');
  await user.type(screen.getByLabelText('Agents'), 'bot_1{Enter}bot_2, bot_1');
  await user.click(screen.getByRole('button', { name: 'Create key' }));
  await screen.findByTestId('secret');
  expect(asked).toEqual([
    { name: 'Clinic', scopes: ['read'], allowed_ips: [], bot_ids: ['bot_1', 'bot_2'], expires_at: null },
  ]);
});
