// Alerts of all services for operators (docs/platform.md#alerts).
import { getRouteApi, Link } from '@tanstack/react-router';
import { isForbiddenError } from '../api/error.ts';
import { SERVICE_LABELS } from '../api/services.ts';
import { List } from '../lists/list.tsx';
import { Badge } from '../ui/badge.tsx';
import { Empty, Page, Problem } from '../ui/page.tsx';
import { rowLink } from '../ui/link.ts';
import type { Columns } from '../ui/table.tsx';
import { Tabs } from '../ui/tabs.tsx';
import { Time } from '../ui/time.tsx';
import { ALERT_STATUSES, useAcknowledge, useAlerts, type AlertStatus } from './api.ts';
import { findListsToExtend, mergeAlerts, type ListedAlert } from './merge.rules.ts';

const route = getRouteApi('/shell/alerts');

const LABELS: Readonly<Record<AlertStatus, string>> = {
  open: 'Open',
  acknowledged: 'Acknowledged',
  resolved: 'Resolved',
};
const NONE: Readonly<Record<AlertStatus, string>> = {
  open: 'No open alerts',
  acknowledged: 'No acknowledged alerts',
  resolved: 'No alert was resolved in the last 90 days',
};

export function AlertsPage() {
  const { status = 'open' } = route.useSearch();
  const lists = useAlerts(status);
  const acknowledge = useAcknowledge();
  const queried = lists.filter(({ access }) => access === 'signed_in');
  const notSignedIn = lists.filter(({ access }) => access.startsWith('not_'));
  const failed = queried.filter(({ error }) => error !== null);
  const isAllForbidden = queried.length > 0 && queried.every(({ error }) => isForbiddenError(error));
  const isLoading = queried.some((list) => list.isLoading);
  const alerts = mergeAlerts(lists);
  const more = findListsToExtend(lists);
  if (isAllForbidden)
    return (
      <Page title="Alerts">
        <Empty icon="warning" title="Alerts are for administrators">
          Alerts report problems with the platform. Sign in with a key that has the scope “admin” to see them.
        </Empty>
      </Page>
    );
  return (
    <Page title="Alerts">
      <Tabs
        label="Status"
        current={status}
        tabs={ALERT_STATUSES.map((key) => ({ key, label: LABELS[key], search: { status: key } }))}
      />
      {failed.map(({ service, error, again }) => (
        <section key={service} aria-label={SERVICE_LABELS[service]} className="flex flex-col gap-1">
          <p>This list is missing the alerts of {SERVICE_LABELS[service]}:</p>
          <Problem error={error} onRetry={again} />
        </section>
      ))}
      {notSignedIn.length > 0 && (
        <p className="text-ink-2">
          Not in this list: {notSignedIn.map(({ service }) => SERVICE_LABELS[service]).join(', ')}. Sign in
          with an administrator’s key of the service to add its alerts.
        </p>
      )}
      <List
        label="Alerts"
        columns={toColumns(status)}
        rowId={({ service, alert }) => `${service} ${alert.id}`}
        list={{
          data: isLoading || failed.length === queried.length ? undefined : { items: alerts },
          error: null,
          isLoading,
          refetch: () => queried.forEach(({ again }) => again()),
        }}
        problem={acknowledge.error}
        nameOf={({ alert: { title } }) => title}
        actions={
          status === 'open'
            ? [
                {
                  verb: 'Acknowledge',
                  scope: 'admin',
                  busy: acknowledge.isPending,
                  run: ({ service, alert: { id } }) => acknowledge.mutate({ service, id }),
                },
              ]
            : []
        }
        bulk={
          status === 'open'
            ? [
                {
                  verb: 'Acknowledge',
                  scope: 'admin',
                  done: 'acknowledged',
                  run: ({ service, alert: { id } }) => acknowledge.mutateAsync({ service, id }),
                },
              ]
            : []
        }
        more={
          more.length > 0
            ? {
                busy: more.some(({ isFetchingNextPage }) => isFetchingNextPage),
                onMore: () => more.forEach(({ showMore }) => showMore()),
              }
            : undefined
        }
        empty={{
          icon: 'warning',
          title: NONE[status],
          children:
            'An alert reports a problem with the platform: a webhook fails, storage is almost full, a provider rejects its key. It resolves by itself when the cause is gone. End users never see alerts.',
        }}
      />
    </Page>
  );
}

const toColumns = (status: AlertStatus): Columns<ListedAlert> => ({
  alert: {
    head: 'Alert',
    place: 'name',
    className: 'md:min-w-40',
    cell: ({ service, alert: { kind, severity, title, subject, message } }) => (
      <>
        <span className="flex flex-wrap items-center gap-x-2 font-medium">
          <Badge tone={severity === 'error' ? 'bad' : 'warn'}>{severity}</Badge>
          {kind.startsWith('webhook_') && service === 'voice-api' ? (
            <Link to="/webhooks/$webhookId" params={{ webhookId: subject }} className={rowLink}>
              {title}
            </Link>
          ) : (
            title
          )}
        </span>
        <span className="block max-w-xl wrap-anywhere text-ink-2">{message}</span>
      </>
    ),
  },
  service: {
    head: 'Service',
    className: 'whitespace-nowrap',
    cell: ({ service }) => SERVICE_LABELS[service],
  },
  opened: { head: 'Opened', cell: ({ alert }) => <Time at={alert.opened_at} /> },
  seen: { head: 'Last seen', minor: true, cell: ({ alert }) => <Time at={alert.last_raised_at} /> },
  ...(status === 'acknowledged' && {
    acknowledged: {
      head: LABELS.acknowledged,
      cell: ({ alert: { acknowledged_at: at, acknowledged_by: by } }: ListedAlert) =>
        at !== null && (
          <span title={`by ${by}`}>
            <Time at={at} />
          </span>
        ),
    },
  }),
  ...(status === 'resolved' && {
    resolved: {
      head: LABELS.resolved,
      cell: ({ alert: { resolved_at: at } }: ListedAlert) => at !== null && <Time at={at} />,
    },
  }),
});
