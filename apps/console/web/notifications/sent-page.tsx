// The sent notifications, newest first, with the state of each channel.
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import type { Bulk } from '../lists/bulk.tsx';
import { List } from '../lists/list.tsx';
import { getPeriodStart, ChoiceFilter, PERIOD_OPTIONS, TextFilter } from '../ui/filters.tsx';
import { Page } from '../ui/page.tsx';
import { useNowMs } from '../ui/time.tsx';
import { cancelSend, isUnderWay, sendsQuery, useCancel, type SendHead, type SendQuery } from './api.ts';
import { channelLabel, CHANNELS, SEND_STATUSES } from './channels.ts';
import { NotificationTabs } from './notification-tabs.tsx';
import { SEND_COLUMNS } from './send-columns.tsx';

const route = getRouteApi('/shell/notifications/sent');

export function SentPage() {
  const { q, channel, status, user, last, cursor } = route.useSearch();
  const nowMs = useNowMs();
  const query: SendQuery = {
    ...(q ? { q } : {}),
    ...(channel ? { channel } : {}),
    ...(status ? { status } : {}),
    ...(user ? { user_id: user } : {}),
    ...(last ? { since: Date.parse(getPeriodStart(last, nowMs)) / 1000 } : {}),
    ...(cursor ? { cursor } : {}),
  };
  const list = useQuery({ ...sendsQuery(query), placeholderData: (before) => before });
  const cancel = useCancel();
  return (
    <Page title="Notifications">
      <NotificationTabs />
      <List
        label="Notifications"
        service="notifications"
        columns={SEND_COLUMNS}
        rowId={({ notification_id: id }) => id}
        list={list}
        problem={cancel.error}
        filters={
          <>
            <TextFilter name="q" label="Id, subject or message" value={q} wide />
            <TextFilter name="user" label="User" value={user} />
            <ChoiceFilter
              name="channel"
              label="Channel"
              value={channel}
              options={CHANNELS.map((one) => [one, channelLabel(one)])}
            />
            <ChoiceFilter
              name="status"
              label="State"
              value={status}
              options={SEND_STATUSES.map((one) => [one, one.replace('_', ' ')])}
            />
            <ChoiceFilter name="last" label="Accepted" value={last} options={PERIOD_OPTIONS} />
          </>
        }
        nameOf={({ subject }) => subject}
        actions={[
          {
            verb: 'Cancel',
            scope: 'delete',
            isFor: isUnderWay,
            busy: cancel.isPending,
            run: ({ notification_id: id }) => cancel.mutate(id),
          },
        ]}
        bulk={[CANCEL]}
        empty={{
          icon: 'notifications',
          title: 'No notifications yet',
          children:
            'Notifications of the last 90 days appear here. Send the first one from the Send tab or the API.',
        }}
      />
    </Page>
  );
}

const CANCEL: Bulk<SendHead> = {
  verb: 'Cancel',
  scope: 'delete',
  done: 'canceled',
  isFor: isUnderWay,
  run: ({ notification_id: id }) => cancelSend(id),
};
