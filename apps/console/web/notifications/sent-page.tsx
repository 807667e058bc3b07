// The sent notifications, newest first, with the state of each channel.
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { Button } from '../ui/button.tsx';
import { getPeriodStart, ChoiceFilter, Filters, PERIOD_OPTIONS, TextFilter } from '../ui/filters.tsx';
import { Empty, Loading, Page, Problem } from '../ui/page.tsx';
import { Pager } from '../ui/pager.tsx';
import { Cell, Row, rowLink, Table, WIDE } from '../ui/table.tsx';
import { Time, useNowMs } from '../ui/time.tsx';
import { isUnderWay, sendsQuery, useCancel, type SendHead, type SendQuery } from './api.ts';
import { channelLabel, CHANNELS, SEND_STATUSES } from './channels.ts';
import { NotificationTabs } from './notification-tabs.tsx';
import { ChannelsCell, SubjectCell } from './sent-row.tsx';

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
  const filtered = Object.keys(query).length > 0;
  const list = useQuery({ ...sendsQuery(query), placeholderData: (before) => before });
  const cancel = useCancel();
  return (
    <Page title="Notifications">
      <NotificationTabs />
      <Filters>
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
        {filtered && (
          <Link to="/notifications/sent" search={{}} className={rowLink}>
            Clear filters
          </Link>
        )}
      </Filters>
      {list.isPending && <Loading subject="notifications" />}
      {(list.error ?? cancel.error) && (
        <Problem error={list.error ?? cancel.error} onRetry={() => void list.refetch()} />
      )}
      {list.data?.items.length === 0 && (
        <Empty icon="notifications" title={filtered ? 'No matching notifications' : 'No notifications yet'}>
          {filtered
            ? 'Change or clear the filters to see more.'
            : 'Notifications of the last 90 days appear here. Send the first one from the Send tab or the API.'}
        </Empty>
      )}
      {list.data && list.data.items.length > 0 && (
        <Table
          label="Notifications"
          head={[
            'Notification',
            'Channels',
            { label: 'Source', className: WIDE },
            { label: 'Send at', className: WIDE },
            'Accepted',
            '',
          ]}
        >
          {list.data.items.map((one) => (
            <SendRow
              key={one.notification_id}
              one={one}
              busy={cancel.isPending}
              onCancel={() => cancel.mutate(one.notification_id)}
            />
          ))}
        </Table>
      )}
      <Pager cursor={cursor} next={list.data?.next_cursor ?? null} />
    </Page>
  );
}

interface SendRowProps {
  readonly one: SendHead;
  readonly busy: boolean;
  readonly onCancel: () => void;
}

function SendRow({ one, busy, onCancel }: SendRowProps) {
  return (
    <Row>
      <SubjectCell of={one} />
      <ChannelsCell of={one} />
      <Cell className={WIDE}>{one.source}</Cell>
      <Cell className={WIDE}>{one.send_at !== undefined && <Time at={one.send_at} absolute />}</Cell>
      <Cell>
        <Time at={one.created_at} />
      </Cell>
      <Cell className="py-0! text-right">
        {isUnderWay(one) && (
          <Button kind="quiet" busy={busy} aria-label={`Cancel ${one.subject}`} onClick={onCancel}>
            Cancel
          </Button>
        )}
      </Cell>
    </Row>
  );
}
