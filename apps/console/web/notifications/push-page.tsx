// Web push: this browser as a device, the registered devices, and the push history of a user.
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { ApiError } from '../api/error.ts';
import { Badge } from '../ui/badge.tsx';
import { Button } from '../ui/button.tsx';
import { Filters, TextFilter } from '../ui/filters.tsx';
import { Empty, Loading, Page, Problem, Section } from '../ui/page.tsx';
import { Pager } from '../ui/pager.tsx';
import { Cell, Row, rowLink, Table, WIDE } from '../ui/table.tsx';
import { Time } from '../ui/time.tsx';
import { pushHistoryQuery, registrationsQuery } from './api.ts';
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
            <Filters>
              <TextFilter name="user" label="User" value={user} />
            </Filters>
            {registrations.isPending && <Loading subject="devices" />}
            {registrations.error && (
              <Problem error={registrations.error} onRetry={() => void registrations.refetch()} />
            )}
            {registrations.data?.items.length === 0 && (
              <p className="text-ink-2">
                {user === undefined ? 'No registered devices yet.' : `${user} has no registered devices.`}
              </p>
            )}
            {registrations.data && registrations.data.items.length > 0 && (
              <Devices devices={registrations.data.items} />
            )}
            <Pager cursor={cursor} next={registrations.data?.next_cursor ?? null} />
          </Section>
          {user !== undefined && <History user={user} />}
        </>
      )}
    </Page>
  );
}

function Devices({ devices }: { devices: readonly PushRegistration[] }) {
  const queryClient = useQueryClient();
  const here = useQuery(hereQuery).data;
  const remove = useMutation({
    mutationFn: (subId: string) =>
      here?.sub_id === subId ? unsubscribeHere(here) : removeRegistration(subId),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: ['push'] }),
  });
  return (
    <>
      {remove.error && <Problem error={remove.error} />}
      <Table
        label="Devices"
        head={['User', { label: 'Site', className: WIDE }, 'Push service', 'Registered', '']}
      >
        {devices.map((one) => (
          <Row key={one.sub_id}>
            <Cell className="max-w-48 truncate">{one.user_id ?? '–'}</Cell>
            <Cell className={WIDE}>{one.site_id ?? '–'}</Cell>
            <Cell className="max-w-48 truncate font-mono text-xs leading-5">{one.endpoint_host}</Cell>
            <Cell>
              <Time at={one.created_at} />
            </Cell>
            <Cell className="py-0! text-right">
              <Button
                kind="quiet"
                busy={remove.isPending}
                aria-label={`Remove ${one.sub_id}`}
                onClick={() => remove.mutate(one.sub_id)}
              >
                Remove
              </Button>
            </Cell>
          </Row>
        ))}
      </Table>
    </>
  );
}

function History({ user }: { user: string }) {
  const history = useQuery(pushHistoryQuery(user));
  return (
    <Section title={`Push history of ${user}`}>
      {history.error && <Problem error={history.error} onRetry={() => void history.refetch()} />}
      {history.data?.items.length === 0 && <p className="text-ink-2">No pushes yet.</p>}
      {history.data && history.data.items.length > 0 && (
        <Table label="History" head={['State', 'Push', { label: 'Devices', className: WIDE }, 'When']}>
          {history.data.items.map((one) => (
            <Row key={one.notification_id}>
              <Cell>
                <Badge tone={one.status === 'delivered' || one.status === 'broadcast' ? 'good' : 'warn'}>
                  {one.status.replace('_', ' ')}
                </Badge>
              </Cell>
              <Cell className="max-w-44 md:max-w-96">
                <Link
                  to="/notifications/sent/$notificationId"
                  params={{ notificationId: one.notification_id }}
                  className={rowLink}
                >
                  {one.title}
                </Link>
                <span className="block truncate text-ink-2">{one.body}</span>
              </Cell>
              <Cell className={`tabular-nums ${WIDE}`}>{one.delivered_count}</Cell>
              <Cell>
                <Time at={one.created_at} />
              </Cell>
            </Row>
          ))}
        </Table>
      )}
    </Section>
  );
}
