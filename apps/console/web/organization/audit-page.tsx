// The audit log of a service, newest first (docs/platform.md#audit-log).
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { SERVICES } from '../api/clients.ts';
import { SERVICE_LABELS } from '../api/services.ts';
import { NoAccess, useAccess } from '../session/access.tsx';
import { Filters, TextFilter } from '../ui/filters.tsx';
import { Empty, Loading, Page, Problem } from '../ui/page.tsx';
import { Pager } from '../ui/pager.tsx';
import { Cell, Row, Table, WIDE } from '../ui/table.tsx';
import { Tabs } from '../ui/tabs.tsx';
import { Time } from '../ui/time.tsx';
import { Actor } from './actor.tsx';
import { auditQuery } from './api.ts';
import { Target } from './audit-target.tsx';
import { describeAction } from './audit-words.ts';

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
              <Cell className="max-w-28 truncate md:max-w-44">
                <Actor service={service} id={entry.actor.id} />
              </Cell>
              <Cell title={entry.action}>{describeAction(entry.action)}</Cell>
              <Cell className="max-w-44 truncate">
                <Target service={service} entry={entry} />
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
