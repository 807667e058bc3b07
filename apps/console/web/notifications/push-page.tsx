// Web push: this browser as a device, the registered devices, and the push history of a user.
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import type { ComponentProps } from 'react';
import { ApiError } from '../api/error.ts';
import { List } from '../lists/list.tsx';
import { useAction } from '../ui/action.ts';
import { Badge } from '../ui/badge.tsx';
import { TextFilter } from '../ui/filters.tsx';
import { Empty, Page, Section } from '../ui/page.tsx';
import { rowLink } from '../ui/link.ts';
import type { Columns } from '../ui/table.tsx';
import { Time } from '../ui/time.tsx';
import { pushHistoryQuery, registrationsQuery, type Pushed } from './api.ts';
import { NotificationTabs } from './notification-tabs.tsx';
import { hereQuery, removeRegistration, unsubscribeHere, type PushRegistration } from './push-here.ts';
import { ThisBrowser } from './this-browser.tsx';

const route = getRouteApi('/shell/notifications/push');

export function PushPage() {
  const { user, cursor } = route.useSearch();
  const registrations = useQuery({
    ...registrationsQuery({ ...(user ? { user_id: user } : {}), ...(cursor ? { cursor } : {}) }),
    placeholderData: (before) => before,
  });
  // The service returns 404 while web push is off.
  const isOff = registrations.error instanceof ApiError && registrations.error.status === 404;
  return (
    <Page title="Notifications">
      <NotificationTabs />
      {isOff ? (
        <Empty icon="notifications" title="Web push is off">
          Web push sends notifications to browsers. Ask your operator to set NOTIFICATIONS_WEB_PUSH_ENABLED
          and a key pair.
        </Empty>
      ) : (
        <>
          <ThisBrowser />
          <Section title="Devices">
            <Devices list={registrations} user={user} />
          </Section>
          {user !== undefined && <History user={user} />}
        </>
      )}
    </Page>
  );
}

interface DevicesProps {
  readonly list: Pick<ComponentProps<typeof List<PushRegistration>>, 'list'>['list'];
  readonly user: string | undefined;
}

function Devices({ list, user }: DevicesProps) {
  const here = useQuery(hereQuery).data;
  const remove = useAction(
    (subId: string) => (here?.sub_id === subId ? unsubscribeHere(here) : removeRegistration(subId)),
    { says: 'Device removed', reloads: ['push'] },
  );
  return (
    <List
      label="Devices"
      service="notifications"
      columns={DEVICES}
      rowId={({ sub_id: id }) => id}
      list={list}
      problem={remove.error}
      filters={<TextFilter name="user" label="User" value={user} />}
      actions={[
        {
          verb: 'Remove',
          scope: 'delete',
          busy: remove.isPending,
          run: ({ sub_id: id }) => remove.mutate(id),
        },
      ]}
      empty={{ icon: 'notifications', title: 'No registered devices yet' }}
      bare
    />
  );
}

const DEVICES: Columns<PushRegistration> = {
  user: { head: 'User', place: 'name', className: 'truncate md:max-w-48', cell: (one) => one.user_id ?? '–' },
  site: { head: 'Site', minor: true, cell: (one) => one.site_id ?? '–' },
  service: {
    head: 'Push service',
    className: 'max-w-48 truncate font-mono text-xs leading-5',
    cell: (one) => one.endpoint_host,
  },
  registered: { head: 'Registered', cell: ({ created_at: at }) => <Time at={at} /> },
};

function History({ user }: { user: string }) {
  const history = useQuery(pushHistoryQuery(user));
  return (
    <Section title={`Push history of ${user}`}>
      <List
        label="History"
        columns={HISTORY}
        rowId={({ notification_id: id }) => id}
        list={{ ...history, data: history.data && { items: history.data.items } }}
        empty={{ icon: 'notifications', title: 'No pushes yet' }}
        bare
      />
    </Section>
  );
}

const HISTORY: Columns<Pushed> = {
  state: {
    head: 'State',
    place: 'state',
    cell: ({ status }) => (
      <Badge tone={status === 'delivered' || status === 'broadcast' ? 'good' : 'warn'}>
        {status.replace('_', ' ')}
      </Badge>
    ),
  },
  push: {
    head: 'Push',
    place: 'name',
    className: 'md:max-w-96',
    cell: ({ notification_id: id, title, body }) => (
      <>
        <Link to="/notifications/sent/$notificationId" params={{ notificationId: id }} className={rowLink}>
          {title}
        </Link>
        <span className="block truncate text-ink-2">{body}</span>
      </>
    ),
  },
  devices: { head: 'Devices', numeric: true, minor: true, cell: (one) => one.delivered_count },
  when: { head: 'When', cell: ({ created_at: at }) => <Time at={at} /> },
};
