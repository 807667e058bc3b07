// The list of recurring sends.
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { List } from '../../lists/list.tsx';
import { Badge } from '../../ui/badge.tsx';
import { ChoiceFilter } from '../../ui/filters.tsx';
import { Page } from '../../ui/page.tsx';
import { rowLink } from '../../ui/link.ts';
import type { Columns } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
import { recurringQuery, type RecurringSend } from '../api.ts';
import { RECURRING_STATUSES, RECURRING_TONES } from '../channels.ts';
import { NotificationTabs } from '../notification-tabs.tsx';

const route = getRouteApi('/shell/notifications/recurring');

export function RecurringPage() {
  const { status, cursor } = route.useSearch();
  const list = useQuery({
    ...recurringQuery({ ...(status && { status }), ...(cursor && { cursor }) }),
    placeholderData: (before) => before,
  });
  return (
    <Page title="Notifications">
      <NotificationTabs />
      <List
        label="Recurring notifications"
        columns={COLUMNS}
        rowId={({ notification_id: id }) => id}
        list={list}
        filters={
          <ChoiceFilter
            name="status"
            label="State"
            value={status}
            options={RECURRING_STATUSES.map((one) => [one, one] as const)}
          />
        }
        empty={{
          icon: 'notifications',
          title: 'No recurring notifications',
          children:
            'A notification with a rule is sent again and again, for example each Monday at 9:00. Enter the rule under “Repeat” when you send one.',
        }}
      />
    </Page>
  );
}

const COLUMNS: Columns<RecurringSend> = {
  notification: {
    head: 'Notification',
    place: 'name',
    className: 'md:max-w-72',
    cell: ({ notification_id: id, subject }) => (
      <Link
        to="/notifications/sent/$notificationId"
        params={{ notificationId: id }}
        className={`block truncate ${rowLink}`}
      >
        {subject}
      </Link>
    ),
  },
  state: {
    head: 'State',
    place: 'state',
    cell: ({ status, last_error: error }) => (
      <>
        <Badge tone={RECURRING_TONES[status]}>{status}</Badge>
        {error !== null && <span className="block text-bad">{error}</span>}
      </>
    ),
  },
  rule: {
    head: 'Rule',
    minor: true,
    cell: ({ rrule, timezone }) => (
      <>
        {rrule}
        <span className="block text-ink-2">{timezone}</span>
      </>
    ),
  },
  next: { head: 'Next', cell: ({ next_at: at }) => at !== null && <Time at={at} absolute /> },
  occurrences: {
    head: 'Occurrences',
    numeric: true,
    cell: ({ occurrences }) => occurrences.toLocaleString('en'),
  },
};
