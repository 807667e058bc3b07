// One notification: its channels and attempts, or the fan-out of a send to a topic.
import { getRouteApi, Link } from '@tanstack/react-router';
import { useQuery } from '@tanstack/react-query';
import { Badge } from '../ui/badge.tsx';
import { Button } from '../ui/button.tsx';
import { CopyId } from '../ui/copy.tsx';
import { Facts } from '../ui/facts.tsx';
import { Loading, Page, Problem, Section } from '../ui/page.tsx';
import { Cell, Row, rowLink, Table } from '../ui/table.tsx';
import { formatDuration, Time } from '../ui/time.tsx';
import { attemptsQuery, isUnderWay, sentQuery, useCancel, type Sent } from './api.ts';
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
          <Button busy={stop.isPending} onClick={() => stop.mutate(notificationId)}>
            Cancel notification
          </Button>
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
        head={['Channel', 'State', 'Attempts', 'Sent', 'Next attempt', 'Devices', 'Engagement']}
      >
        {sent.channels.map((one) => (
          <Row key={one.channel}>
            <Cell className="font-medium">{channelLabel(one.channel)}</Cell>
            <Cell>
              <Badge tone={STATUS_TONES[one.status]}>{one.status.replace('_', ' ')}</Badge>{' '}
              {one.last_error_class && (
                <span className={STATUS_TONES[one.status] === 'neutral' ? 'text-ink-2' : 'text-bad'}>
                  {reasonOf(one.last_error_class)}
                </span>
              )}
            </Cell>
            <Cell className="tabular-nums">{one.attempts}</Cell>
            <Cell>{one.sent_at !== null && <Time at={one.sent_at} />}</Cell>
            <Cell>{one.next_attempt_at !== undefined && <Time at={one.next_attempt_at} />}</Cell>
            <Cell className="whitespace-nowrap tabular-nums">{one.counts && devices(one.counts)}</Cell>
            <Cell>
              <Readers channel={one} />
            </Cell>
          </Row>
        ))}
        {sent.rejected?.map(({ channel, reason }) => (
          <Row key={channel}>
            <Cell className="font-medium">{channelLabel(channel)}</Cell>
            <Cell colSpan={6}>
              <Badge tone="warn">skipped</Badge> {reason}
            </Cell>
          </Row>
        ))}
      </Table>
    </Section>
  );
}

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
      {attempts.isPending && <Loading subject="attempts" />}
      {attempts.error && <Problem error={attempts.error} />}
      {attempts.data?.items.length === 0 && (
        <p className="text-ink-2">
          No attempts. Inbox notifications need none, and scheduled ones have none yet.
        </p>
      )}
      {attempts.data && attempts.data.items.length > 0 && (
        <Table label="Attempts" head={['Channel', 'Attempt', 'Time', 'Duration', 'Outcome', 'Response']}>
          {attempts.data.items.map((one) => (
            <Row key={`${one.channel} ${one.attempt}`}>
              <Cell>{channelLabel(one.channel)}</Cell>
              <Cell className="tabular-nums">{one.attempt}</Cell>
              <Cell>
                <Time at={one.started_at} />
              </Cell>
              <Cell className="whitespace-nowrap tabular-nums">{formatDuration(one.ms)}</Cell>
              <Cell>
                <Badge tone={one.error_class === null ? 'good' : 'bad'}>
                  {one.outcome.replaceAll('_', ' ')}
                </Badge>
              </Cell>
              <Cell className="break-words">
                {[one.http_status, one.error ?? (one.error_class && reasonOf(one.error_class))]
                  .filter(Boolean)
                  .join(' · ')}
              </Cell>
            </Row>
          ))}
        </Table>
      )}
    </Section>
  );
}
