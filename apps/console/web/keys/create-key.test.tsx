import { afterEach, expect, test } from '@jest/globals';
import { QueryClientProvider } from '@tanstack/react-query';
import { render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { makeQueryClient } from '../api/query-client.ts';
import { CreateKey } from './key-dialogs.tsx';

const realFetch = globalThis.fetch;
afterEach(() => void (globalThis.fetch = realFetch));

test('a key is taken from the addresses that are written a line each', async () => {
  const asked: unknown[] = [];
  globalThis.fetch = (async (request: Request) => {
    asked.push(await request.json());
    return Response.json({ id: 'key_1', key: 'fb_test_secret' });
  }) as typeof fetch;
  render(
    <QueryClientProvider client={makeQueryClient()}>
      <CreateKey service="flow-builder" onClose={() => undefined} />
    </QueryClientProvider>,
  );
  const user = userEvent.setup();
  await user.type(screen.getByLabelText('Name'), 'CI');
  await user.type(screen.getByLabelText('It is taken from'), '203.0.113.0/24{Enter}2001:db8::1, ');
  await user.click(screen.getByRole('button', { name: 'Create' }));
  await screen.findByTestId('secret');
  expect(asked).toEqual([
    { name: 'CI', scopes: ['read'], allowed_ips: ['203.0.113.0/24', '2001:db8::1'], expires_at: null },
  ]);
});
