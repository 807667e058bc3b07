// The audit log of a service, newest first (docs/platform.md#audit-log).
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { SERVICES } from '../api/clients.ts';
import { SERVICE_LABELS } from '../api/services.ts';
import { NoAccess, useAccess } from '../session/access.tsx';
import { Filters, TextFilter } from '../ui/filters.tsx';
import { Empty, Loading, Page, Problem } from '../ui/page.tsx';
import { Pager } from '../ui/pager.tsx';
import { Cell, Row, rowLink, Table, WIDE } from '../ui/table.tsx';
import { Tabs } from '../ui/tabs.tsx';
import { Time } from '../ui/time.tsx';
import { auditQuery } from './api.ts';

const route = getRouteApi('/shell/organization/audit-log');

export function AuditPage() {
  const { service = 'flow-builder', actor, cursor } = route.useSearch();
  const access = useAccess()(service);
  const log = useQuery({ ...auditQuery(service, { actor, cursor }), enabled: access === 'signed_in' });
  return (
    <Page title="Audit log">
      <Tabs
        label="Services"
        current={service}
        tabs={SERVICES.map((key) => ({ key, label: SERVICE_LABELS[key], search: { service: key } }))}
      />
      <Filters>
        <TextFilter name="actor" label="Actor" value={actor} />
      </Filters>
      {access !== 'signed_in' && <NoAccess service={service} access={access} icon="organization" />}
      {log.isLoading && <Loading subject="the audit log" />}
      {log.error && <Problem error={log.error} onRetry={() => void log.refetch()} />}
      {log.data?.items.length === 0 && (
        <Empty
          icon="organization"
          title={actor === undefined ? 'The audit log is empty' : 'No entries of this actor'}
        >
          The audit log records who changed what: keys, webhooks, flows and settings.
        </Empty>
      )}
      {log.data && log.data.items.length > 0 && (
        <Table
          label="Audit log"
          head={['When', 'Actor', 'Action', 'Target', { label: 'Details', className: WIDE }]}
        >
          {log.data.items.map((entry) => (
            <Row key={entry.id}>
              <Cell>
                <Time at={entry.at} />
              </Cell>
              <Cell className="max-w-28 md:max-w-44">
                <Link
                  to="/organization/audit-log"
                  search={{ service, actor: entry.actor.id }}
                  title={`${entry.actor.kind.replace('_', ' ')} ${entry.actor.id}`}
                  className={`block truncate font-mono text-xs leading-5 ${rowLink}`}
                >
                  {entry.actor.id}
                </Link>
              </Cell>
              <Cell className="whitespace-nowrap">{entry.action}</Cell>
              <Cell className="max-w-44">
                <code title={entry.target} className="block truncate font-mono text-xs leading-5 text-ink-2">
                  {entry.target}
                </code>
              </Cell>
              <Cell className={WIDE}>
                <code className="font-mono text-xs leading-5 break-all text-ink-2">
                  {Object.entries(entry.details)
                    .map(([name, value]) => `${name}: ${JSON.stringify(value)}`)
                    .join(', ')}
                </code>
              </Cell>
            </Row>
          ))}
        </Table>
      )}
      <Pager cursor={cursor} next={log.data?.next_cursor ?? null} />
    </Page>
  );
}
