// The list of recurring sends.
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { Badge } from '../../ui/badge.tsx';
import { ChoiceFilter, Filters } from '../../ui/filters.tsx';
import { Page } from '../../ui/page.tsx';
import { Cell, Row, rowLink, WIDE } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
import { recurringQuery } from '../api.ts';
import { RECURRING_STATUSES, RECURRING_TONES } from '../channels.ts';
import { ListOf } from '../list-page.tsx';
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
      <Filters>
        <ChoiceFilter
          name="status"
          label="State"
          value={status}
          options={RECURRING_STATUSES.map((one) => [one, one] as const)}
        />
      </Filters>
      <ListOf
        label="Recurring notifications"
        list={list}
        cursor={cursor}
        empty={{
          title: 'No recurring notifications',
          words:
            'A notification with a rule is sent again and again, for example each Monday at 9:00. Enter the rule under “Repeat” when you send one.',
        }}
        head={['Notification', 'State', { label: 'Rule', className: WIDE }, 'Next', 'Occurrences']}
        row={(one) => (
          <Row key={one.notification_id}>
            <Cell className="max-w-72">
              <Link
                to="/notifications/sent/$notificationId"
                params={{ notificationId: one.notification_id }}
                className={`block truncate ${rowLink}`}
              >
                {one.subject}
              </Link>
            </Cell>
            <Cell>
              <Badge tone={RECURRING_TONES[one.status]}>{one.status}</Badge>
              {one.last_error !== null && <span className="block text-bad">{one.last_error}</span>}
            </Cell>
            <Cell className={WIDE}>
              {one.rrule}
              <span className="block text-ink-2">{one.timezone}</span>
            </Cell>
            <Cell>{one.next_at !== null && <Time at={one.next_at} absolute />}</Cell>
            <Cell className="tabular-nums">{one.occurrences.toLocaleString('en')}</Cell>
          </Row>
        )}
      />
    </Page>
  );
}
