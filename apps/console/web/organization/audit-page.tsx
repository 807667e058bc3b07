// Who did what, newest first (docs/platform.md#audit-log).
import { useQuery } from '@tanstack/react-query';
import { SERVICES } from '../api/clients.ts';
import { SERVICE_LABELS } from '../api/services.ts';
import { NoAccess, useAccess } from '../shell/access.tsx';
import { Id } from '../ui/copy.tsx';
import { Filters, Words } from '../ui/filters.tsx';
import { Empty, Loading, Page, Problem } from '../ui/page.tsx';
import { Pager } from '../ui/pager.tsx';
import { Cell, Row, Table } from '../ui/table.tsx';
import { Tabs } from '../ui/tabs.tsx';
import { Time } from '../ui/time.tsx';
import { auditQuery } from './api.ts';
import { auditRoute } from './routes.tsx';

export function AuditPage() {
  const { service = 'flow-builder', actor, cursor } = auditRoute.useSearch();
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
        <Words name="actor" label="Actor" value={actor} />
      </Filters>
      {access !== 'signed_in' && <NoAccess service={service} access={access} icon="organization" />}
      {log.isLoading && <Loading what="the audit log" />}
      {log.error && <Problem error={log.error} again={() => void log.refetch()} />}
      {log.data?.items.length === 0 && <Empty icon="organization" title="Nothing was done" />}
      {log.data && log.data.items.length > 0 && (
        <Table label="Audit log" head={['When', 'Who', 'Did', 'To', 'Details']}>
          {log.data.items.map((entry) => (
            <Row key={entry.id}>
              <Cell>
                <Time at={entry.at} />
              </Cell>
              <Cell>
                <Id>{entry.actor.id}</Id>
              </Cell>
              <Cell className="whitespace-nowrap">{entry.action}</Cell>
              <Cell>
                <Id>{entry.target}</Id>
              </Cell>
              <Cell>
                <code className="font-mono text-xs break-all text-ink-2">
                  {JSON.stringify(entry.details)}
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
