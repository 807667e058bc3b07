// The list of flows.
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { Link, getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { List } from '../../lists/list.tsx';
import { usePermissions } from '../../session/scopes.tsx';
import { Actor } from '../../organization/actor.tsx';
import { readOrganizationId } from '../../api/organization.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { ChoiceFilter, TextFilter } from '../../ui/filters.tsx';
import { Page } from '../../ui/page.tsx';
import { rowLink } from '../../ui/link.ts';
import type { Columns } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
import { flowsQuery, type ListedFlow } from '../api.ts';
import { listDrafts } from '../document/drafts.ts';
import { Sign } from '../problems/finding-list.tsx';
import { NewFlowDialog } from './new-flow-dialog.tsx';
import { useRecent, type Recent } from './recent.ts';

const route = getRouteApi('/shell/flows');
const STATES = [
  ['true', 'Published'],
  ['false', 'Drafts only'],
] as const;

export function FlowListPage() {
  const filters = route.useSearch();
  const flows = useInfiniteQuery(flowsQuery(filters));
  const drafts = useQuery({
    queryKey: ['drafts'],
    queryFn: async ({ client }) => listDrafts(await readOrganizationId(client)),
    staleTime: 0,
    retry: false,
  });
  const recent = useRecent();
  const [isNew, setNew] = useState(false);
  const { can } = usePermissions('flow-builder');
  const unsaved = new Set(drafts.data?.map(({ flowId }) => flowId));
  const create = can('write') && (
    <Button kind="primary" icon="plus" onClick={() => setNew(true)}>
      Create flow
    </Button>
  );
  return (
    <Page title="Flows" actions={create}>
      <List
        label="Flows"
        columns={toColumns(unsaved, recent)}
        rowId={({ flow_id: id }) => id}
        list={{ ...flows, data: flows.data && { items: flows.data.pages.flatMap(({ items }) => items) } }}
        filters={
          <>
            <TextFilter name="q" label="Name or id" value={filters.q} wide />
            <ChoiceFilter name="published" label="State" value={filters.published} options={STATES} />
          </>
        }
        more={
          flows.hasNextPage
            ? { busy: flows.isFetchingNextPage, onMore: () => void flows.fetchNextPage() }
            : undefined
        }
        empty={{
          icon: 'flows',
          title: 'No flows yet',
          children: (
            <>
              <p>A flow defines what an agent says, asks and does. Start from scratch or from an example.</p>
              {create}
            </>
          ),
        }}
      />
      {isNew && <NewFlowDialog onClose={() => setNew(false)} />}
    </Page>
  );
}

const toColumns = (unsaved: ReadonlySet<string>, recent: Recent | null): Columns<ListedFlow> => ({
  name: {
    head: 'Name',
    place: 'name',
    cell: ({ flow_id: id, name }) => (
      <>
        <Link to="/flows/$flowId" params={{ flowId: id }} className={rowLink}>
          {name}
        </Link>
        <span className="block font-mono text-xs text-ink-2">{id}</span>
      </>
    ),
  },
  state: {
    head: 'State',
    place: 'state',
    cell: (flow) => <State flow={flow} isUnsaved={unsaved.has(flow.flow_id)} />,
  },
  problems: { head: 'Problems', cell: ({ problems }) => problems && <Counts {...problems} /> },
  publication: {
    head: 'Last publication',
    minor: true,
    className: 'text-ink-2',
    cell: ({ published_at: at, published_by: by }) =>
      at == null ? (
        '–'
      ) : (
        <>
          <Time at={at} />
          {by != null && (
            <span className="block max-w-48 truncate text-xs">
              <Actor service="flow-builder" id={by} />
            </span>
          )}
        </>
      ),
  },
  ...(recent && {
    conversations: {
      head: 'Conversations in 24 h',
      numeric: true,
      cell: ({ flow_id: id }: ListedFlow) => <RecentCount flowId={id} recent={recent} />,
    },
  }),
  updated: {
    head: 'Updated',
    minor: true,
    className: 'text-ink-2',
    cell: ({ updated_at: at }) => <Time at={at} />,
  },
});

function State({ flow, isUnsaved }: { readonly flow: ListedFlow; readonly isUnsaved: boolean }) {
  const published = flow.published_version ?? null;
  return (
    <span className="flex flex-wrap items-center gap-1.5">
      {published !== null && <Badge tone="good">published v{published}</Badge>}
      {published !== flow.latest_version && <Badge>draft v{flow.latest_version}</Badge>}
      {isUnsaved && (
        <Badge tone="warn" title="This browser has unsaved changes">
          unsaved
        </Badge>
      )}
    </span>
  );
}

function RecentCount({ flowId, recent }: { readonly flowId: string; readonly recent: Recent }) {
  const count = recent.countOf(flowId);
  if (count === null || count === 0) return <span className="text-ink-2">{count ?? ''}</span>;
  return (
    <Link
      to="/conversations"
      search={{ flow_id: flowId, started_after: recent.from }}
      className={rowLink}
      aria-label={`${count} conversations with ${flowId} in the last 24 hours`}
    >
      {count}
    </Link>
  );
}

function Counts({ errors, warnings }: { readonly errors: number; readonly warnings: number }) {
  if (errors + warnings === 0) return <span className="text-ink-2">none</span>;
  return (
    <span className="flex gap-2 tabular-nums">
      {errors > 0 && (
        <span>
          <Sign severity="error" /> {errors}
        </span>
      )}
      {warnings > 0 && (
        <span>
          <Sign severity="warning" /> {warnings}
        </span>
      )}
    </span>
  );
}
