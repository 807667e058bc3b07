// The audit log of a service, newest first (docs/platform.md#audit-log).
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { SERVICES, type Service } from '../api/clients.ts';
import { SERVICE_LABELS } from '../api/services.ts';
import { List } from '../lists/list.tsx';
import { NoAccess, NotAllowed, useAccess } from '../session/access.tsx';
import { useMayOpen } from '../session/scopes.tsx';
import { TextFilter } from '../ui/filters.tsx';
import { Page } from '../ui/page.tsx';
import type { Columns } from '../ui/table.tsx';
import { Tabs } from '../ui/tabs.tsx';
import { Time } from '../ui/time.tsx';
import { Actor } from './actor.tsx';
import { auditQuery, type AuditEntry } from './api.ts';
import { Target } from './audit-target.tsx';
import { describeAction } from './audit-words.ts';

const route = getRouteApi('/shell/organization/audit-log');

export function AuditPage() {
  const { service = 'flow-builder', actor, cursor } = route.useSearch();
  const access = useAccess()(service);
  const mayOpen = useMayOpen();
  const isAllowed = mayOpen({ service, scope: 'admin' });
  const isOpen = access === 'signed_in' && isAllowed === true;
  const log = useQuery({ ...auditQuery(service, { actor, cursor }), enabled: isOpen });
  return (
    <Page title="Audit log">
      <Tabs
        label="Services"
        current={service}
        tabs={SERVICES.map((key) => ({ key, label: SERVICE_LABELS[key], search: { service: key } }))}
      />
      {isOpen ? (
        <List
          label="Audit log"
          columns={toColumns(service)}
          rowId={({ id }) => id}
          list={log}
          filters={<TextFilter name="actor" label="Actor" value={actor} />}
          empty={{
            icon: 'organization',
            title: 'The audit log is empty',
            children: 'The audit log records who changed what: keys, webhooks, flows and settings.',
          }}
        />
      ) : access === 'signed_in' ? (
        isAllowed === false && <NotAllowed scope="admin" icon="log" />
      ) : (
        <NoAccess service={service} access={access} icon="organization" />
      )}
    </Page>
  );
}

const toColumns = (service: Service): Columns<AuditEntry> => ({
  when: { head: 'When', cell: ({ at }) => <Time at={at} /> },
  actor: {
    head: 'Actor',
    className: 'max-w-44 truncate',
    cell: ({ actor: { id } }) => <Actor service={service} id={id} />,
  },
  action: {
    head: 'Action',
    place: 'name',
    cell: ({ action }) => <span title={action}>{describeAction(action)}</span>,
  },
  target: {
    head: 'Target',
    className: 'max-w-44 truncate',
    cell: (entry) => <Target service={service} entry={entry} />,
  },
  details: {
    head: 'Details',
    minor: true,
    cell: ({ details }) => (
      <code className="font-mono text-xs leading-5 break-all text-ink-2">
        {Object.entries(details)
          .map(([name, value]) => `${name}: ${JSON.stringify(value)}`)
          .join(', ')}
      </code>
    ),
  },
});
