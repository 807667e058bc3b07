import { expect, test } from '@jest/globals';
import { screen } from '@testing-library/react';
import { openAt } from './page-under-test.tsx';

const NONE = { items: [], next_cursor: null };
const recurring = {
  rrule: 'FREQ=DAILY;BYHOUR=9',
  timezone: 'Europe/Berlin',
  status: 'active',
  next_at: 1_800_000_000,
  occurrences: 3,
  last_error: null,
};

test('lists recurring notifications, and cancels one on its page', async () => {
  const { user, bodies, address } = openAt('/notifications/recurring', {
    'GET /v1/recurring': () => ({
      items: [{ notification_id: 'ntf_1', subject: 'Report', created_at: 1, ...recurring }],
      next_cursor: null,
    }),
    'GET /v1/notify/ntf_1': () => ({
      notification_id: 'ntf_1',
      created_at: 1,
      channels: [],
      workflow: { id: 'report', version: 2 },
      recurring,
    }),
    'GET /v1/notify': ({ query }) => (query.get('parent_id') === 'ntf_1' ? NONE : Response.error()),
    'DELETE /v1/notify/ntf_1': () => ({ notification_id: 'ntf_1', created_at: 1, channels: [] }),
  });
  const rule = await screen.findByText('FREQ=DAILY;BYHOUR=9');
  expect(rule.textContent).toContain('Europe/Berlin');
  await user.click(screen.getByRole('link', { name: 'Report' }));
  await screen.findByRole('heading', { name: 'Occurrences' });
  expect(address()).toBe('/notifications/sent/ntf_1');
  expect(screen.getByRole('link', { name: 'report, version 2' })).toBeTruthy();
  await user.click(screen.getByRole('button', { name: 'Cancel notification' }));
  await screen.findByText('Canceled what was not sent yet');
  expect(bodies('DELETE /v1/notify/ntf_1')).toHaveLength(1);
});
