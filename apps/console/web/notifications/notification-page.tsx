// One notification: its channels and attempts, or the fan-out of a send to a topic.
import { getRouteApi, Link } from '@tanstack/react-router';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { List } from '../lists/list.tsx';
import { May } from '../session/scopes.tsx';
import { Badge } from '../ui/badge.tsx';
import { Button } from '../ui/button.tsx';
import { CopyId } from '../ui/copy.tsx';
import { Facts } from '../ui/facts.tsx';
import { Loading, Page, Problem, Section } from '../ui/page.tsx';
import { rowLink } from '../ui/link.ts';
import { Table, type Columns } from '../ui/table.tsx';
import { formatDuration, Time } from '../ui/time.tsx';
import { attemptsQuery, isUnderWay, sentQuery, useCancel, type Attempt, type Sent } from './api.ts';
import { channelLabel, reasonOf, STATUS_TONES } from './channels.ts';
import { NotificationTabs } from './notification-tabs.tsx';
import { Recurrence } from './recurring/recurrence.tsx';
import { FanOut, Parts } from './topics/parts.tsx';
import { useAgain } from './use-again.ts';

const route = getRouteApi('/shell/notifications/sent/$notificationId');

export function NotificationPage() {
  const { notificationId } = route.useParams();
  const sent = useQuery(sentQuery(notificationId));
  const stop = useCancel();
  const underWay =
    sent.data !== undefined && (isUnderWay(sent.data) || sent.data.recurring?.status === 'active');
  return (
    <Page
      title="Notification"
      titleExtra={<CopyId>{notificationId}</CopyId>}
      actions={
        underWay && (
          <May service="notifications" scope="delete">
            <Button busy={stop.isPending} onClick={() => stop.mutate(notificationId)}>
              Cancel notification
            </Button>
          </May>
        )
      }
    >
      <NotificationTabs />
      {sent.isPending && <Loading subject="the notification" />}
      {(sent.error ?? stop.error) && (
        <Problem error={sent.error ?? stop.error} onRetry={() => void sent.refetch()} />
      )}
      {sent.data && (
        <>
          <Facts
            rows={[
              ['Accepted', <Time key="at" at={sent.data.created_at} absolute />],
              ['Send at', sent.data.send_at !== undefined && <Time at={sent.data.send_at} absolute />],
              [
                'Expires at',
                sent.data.expires_at !== undefined && <Time at={sent.data.expires_at} absolute />,
              ],
              ['Category', sent.data.category],
              ['Workflow', sent.data.workflow && <WorkflowLink key="workflow" of={sent.data.workflow} />],
              [
                'Canceled',
                sent.data.canceled_at !== undefined && <Time at={sent.data.canceled_at} absolute />,
              ],
            ]}
          />
          {sent.data.topic ? (
            <>
              <FanOut topic={sent.data.topic} />
              <Parts
                id={notificationId}
                accepted={sent.data.topic.accepted}
                title="Notifications of members"
              />
            </>
          ) : sent.data.recurring ? (
            <>
              <Recurrence of={sent.data.recurring} />
              <Parts id={notificationId} accepted={sent.data.recurring.occurrences} title="Occurrences" />
            </>
          ) : (
            <>
              <Channels sent={sent.data} />
              <Attempts sent={sent.data} />
            </>
          )}
        </>
      )}
    </Page>
  );
}

function WorkflowLink({ of: { id, version } }: { of: NonNullable<Sent['workflow']> }) {
  return (
    <Link
      to="/notifications/workflows/$workflowId"
      params={{ workflowId: id }}
      search={{ version }}
      className={rowLink}
    >
      {id}, version {version}
    </Link>
  );
}

function Channels({ sent }: { sent: Sent }) {
  return (
    <Section title="Channels">
      <Table
        label="Channels"
        columns={CHANNEL_COLUMNS}
        rowId={({ channel }) => channel}
        items={[...sent.channels, ...(sent.rejected ?? [])]}
      />
    </Section>
  );
}

type OfChannel = Sent['channels'][number];
type Skipped = NonNullable<Sent['rejected']>[number];

/** A cell that a skipped channel does not have. */
const ifSent = (cell: (one: OfChannel) => ReactNode) => (one: OfChannel | Skipped) =>
  'status' in one && cell(one);

const CHANNEL_COLUMNS: Columns<OfChannel | Skipped> = {
  channel: {
    head: 'Channel',
    place: 'name',
    className: 'font-medium',
    cell: ({ channel }) => channelLabel(channel),
  },
  state: {
    head: 'State',
    cell: (one) =>
      'status' in one ? (
        <>
          <Badge tone={STATUS_TONES[one.status]}>{one.status.replace('_', ' ')}</Badge>{' '}
          {one.last_error_class && (
            <span className={STATUS_TONES[one.status] === 'neutral' ? 'text-ink-2' : 'text-bad'}>
              {reasonOf(one.last_error_class)}
            </span>
          )}
        </>
      ) : (
        <>
          <Badge tone="warn">skipped</Badge> {one.reason}
        </>
      ),
  },
  attempts: { head: 'Attempts', numeric: true, cell: ifSent(({ attempts }) => attempts) },
  sent: { head: 'Sent', cell: ifSent(({ sent_at: at }) => at !== null && <Time at={at} />) },
  next: {
    head: 'Next attempt',
    cell: ifSent(({ next_attempt_at: at }) => at !== undefined && <Time at={at} />),
  },
  devices: {
    head: 'Devices',
    className: 'whitespace-nowrap tabular-nums',
    cell: ifSent(({ counts }) => counts && devices(counts)),
  },
  engagement: { head: 'Engagement', cell: ifSent((one) => <Readers channel={one} />) },
};

/** Opens, clicks and dismissals, each with its first time. */
function Readers({ channel }: { channel: Sent['channels'][number] }) {
  const { opened_at: openedAt, clicked_at: clickedAt, dismissed_at: dismissedAt, clicks = 0 } = channel;
  const done = [
    ['opened', openedAt],
    [clicks > 1 ? `clicked by ${clicks}` : 'clicked', clickedAt],
    ['dismissed', dismissedAt],
  ] as const;
  return done.map(
    ([what, at]) =>
      at !== undefined && (
        <div key={what} className="whitespace-nowrap">
          {what} <Time at={at} />
        </div>
      ),
  );
}

type Counts = NonNullable<Sent['channels'][number]['counts']>;

const devices = ({ targeted, sent, gone, failed }: Counts): string =>
  [`${sent} of ${targeted}`, gone > 0 && `${gone} unsubscribed`, failed > 0 && `${failed} failed`]
    .filter(Boolean)
    .join(', ');

function Attempts({ sent }: { sent: Sent }) {
  const attempts = useQuery(attemptsQuery(sent.notification_id));
  useAgain(attempts.refetch, sent.channels.map((one) => `${one.status} ${one.attempts}`).join());
  return (
    <Section title="Attempts">
      <List
        label="Attempts"
        columns={ATTEMPTS}
        rowId={({ channel, attempt }) => `${channel} ${attempt}`}
        list={{ ...attempts, data: attempts.data && { items: attempts.data.items } }}
        empty={{
          icon: 'notifications',
          title: 'No attempts',
          children: 'Inbox notifications need none, and scheduled ones have none yet.',
        }}
        bare
      />
    </Section>
  );
}

const ATTEMPTS: Columns<Attempt> = {
  channel: { head: 'Channel', place: 'name', cell: ({ channel }) => channelLabel(channel) },
  attempt: { head: 'Attempt', numeric: true, cell: ({ attempt }) => attempt },
  time: { head: 'Time', cell: ({ started_at: at }) => <Time at={at} /> },
  duration: { head: 'Duration', numeric: true, cell: ({ ms }) => formatDuration(ms) },
  outcome: {
    head: 'Outcome',
    place: 'state',
    cell: ({ error_class: failure, outcome }) => (
      <Badge tone={failure === null ? 'good' : 'bad'}>{outcome.replaceAll('_', ' ')}</Badge>
    ),
  },
  response: {
    head: 'Response',
    className: 'break-words',
    cell: ({ http_status: status, error, error_class: failure }) =>
      [status, error ?? (failure && reasonOf(failure))].filter(Boolean).join(' · '),
  },
};
