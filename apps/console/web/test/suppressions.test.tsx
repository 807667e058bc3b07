import { expect, test } from '@jest/globals';
import { screen, within } from '@testing-library/react';
import { openAt } from './page-under-test.tsx';

const suppressions = {
  items: [
    {
      id: 'sup_2',
      email: 'ada@customer.example',
      email_hash: 'a1b2',
      reason: 'hard_bounce',
      source: 'smtp',
      detail: '5.1.1',
      notification_id: 'ntf_1',
      created_at: 2,
    },
    {
      id: 'sup_1',
      email: null,
      email_hash: 'c3d4',
      reason: 'unsubscribe',
      source: 'link',
      detail: 'news',
      notification_id: null,
      created_at: 1,
    },
  ],
  next_cursor: null,
};

test('lists suppressed addresses and removes one', async () => {
  const { user, bodies } = openAt('/notifications/suppressions', {
    'GET /v1/suppressions': () => suppressions,
    'DELETE /v1/suppressions/sup_2': () => ({}),
  });
  const table = await screen.findByRole('region', { name: 'Suppressions' });
  expect(table.textContent).toContain('Bounced');
  expect(table.textContent).toContain('Mail server5.1.1');
  expect(table.textContent).toContain('Erased address c3d4');
  await user.click(within(table).getByRole('button', { name: 'Delete ada@customer.example' }));
  const dialog = await screen.findByRole('alertdialog');
  await user.click(within(dialog).getByRole('button', { name: 'Delete' }));
  await screen.findByText('ada@customer.example deleted');
  expect(bodies('DELETE /v1/suppressions/sup_2')).toHaveLength(1);
});
