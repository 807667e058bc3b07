// Alerts of all services for operators (docs/platform.md#alerts).
import { getRouteApi, Link } from '@tanstack/react-router';
import { isForbiddenError } from '../api/error.ts';
import { SERVICE_LABELS } from '../api/services.ts';
import { Badge } from '../ui/badge.tsx';
import { Button } from '../ui/button.tsx';
import { Empty, Loading, Page, Problem } from '../ui/page.tsx';
import { Cell, Row, rowLink, Table, WIDE } from '../ui/table.tsx';
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
  const notSignedIn = lists.filter(({ access }) => access === 'not_signed_in');
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
          with a key of the service to add its alerts.
        </p>
      )}
      {acknowledge.error && <Problem error={acknowledge.error} />}
      {isLoading && <Loading subject="alerts" />}
      {!isLoading && alerts.length === 0 && failed.length < queried.length && (
        <Empty icon="warning" title={NONE[status]}>
          An alert reports a problem with the platform: a webhook fails, storage is almost full, a provider
          rejects its key. It resolves by itself when the cause is gone. End users never see alerts.
        </Empty>
      )}
      {alerts.length > 0 && (
        <Table
          label="Alerts"
          head={[
            'Alert',
            { label: 'Service', className: WIDE },
            'Opened',
            { label: 'Last seen', className: WIDE },
            ...(status === 'open' ? [''] : [LABELS[status]]),
          ]}
        >
          {alerts.map((one) => (
            <AlertRow
              key={`${one.service} ${one.alert.id}`}
              of={one}
              busy={acknowledge.isPending && acknowledge.variables.id === one.alert.id}
              onAcknowledge={() => acknowledge.mutate({ service: one.service, id: one.alert.id })}
            />
          ))}
        </Table>
      )}
      {more.length > 0 && (
        <Button
          busy={more.some(({ isFetchingNextPage }) => isFetchingNextPage)}
          onClick={() => more.forEach(({ showMore }) => showMore())}
        >
          Show older alerts
        </Button>
      )}
    </Page>
  );
}

interface AlertRowProps {
  readonly of: ListedAlert;
  readonly busy: boolean;
  readonly onAcknowledge: () => void;
}

function AlertRow({ of: { service, alert }, busy, onAcknowledge }: AlertRowProps) {
  const { kind, severity, title, subject, message, status } = alert;
  return (
    <Row>
      <Cell className="min-w-40">
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
        <span className="block text-xs text-ink-2 md:hidden">{SERVICE_LABELS[service]}</span>
      </Cell>
      <Cell className={`whitespace-nowrap ${WIDE}`}>{SERVICE_LABELS[service]}</Cell>
      <Cell>
        <Time at={alert.opened_at} />
      </Cell>
      <Cell className={WIDE}>
        <Time at={alert.last_raised_at} />
      </Cell>
      <Cell className={status === 'open' ? 'py-0! text-right' : ''}>
        {status === 'open' && (
          <Button kind="quiet" busy={busy} aria-label={`Acknowledge ${title}`} onClick={onAcknowledge}>
            Acknowledge
          </Button>
        )}
        {status === 'acknowledged' && alert.acknowledged_at !== null && (
          <span title={`by ${alert.acknowledged_by}`}>
            <Time at={alert.acknowledged_at} />
          </span>
        )}
        {status === 'resolved' && alert.resolved_at !== null && <Time at={alert.resolved_at} />}
      </Cell>
    </Row>
  );
}
