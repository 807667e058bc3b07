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

test('suppresses pasted addresses for a reason', async () => {
  const { user, bodies } = openAt('/notifications/suppressions', {
    'GET /v1/suppressions': () => ({ items: [], next_cursor: null }),
    'POST /v1/suppressions': () => ({ added: 1, known: 1 }),
  });
  await user.click(await screen.findByRole('button', { name: 'Suppress addresses' }));
  const dialog = await screen.findByRole('dialog');
  const emails = 'ada@customer.example\n\n bob@customer.example \nada@customer.example';
  await user.type(within(dialog).getByLabelText('E-mail addresses'), emails);
  await user.selectOptions(within(dialog).getByLabelText('Reason'), 'Bounced');
  await user.click(within(dialog).getByRole('button', { name: 'Suppress 2 addresses' }));
  await screen.findByText('1 added, 1 were suppressed before');
  expect(bodies('POST /v1/suppressions')).toEqual([
    { emails: ['ada@customer.example', 'bob@customer.example'], reason: 'hard_bounce' },
  ]);
});

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
