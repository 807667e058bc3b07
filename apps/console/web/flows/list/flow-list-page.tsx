// The list of flows.
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { Link, getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { Actor } from '../../organization/actor.tsx';
import { readOrganizationId } from '../../organization/api.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { ChoiceFilter, Filters, TextFilter } from '../../ui/filters.tsx';
import { Empty, Loading, Page, Problem } from '../../ui/page.tsx';
import { Cell, Row, Table, rowLink, WIDE } from '../../ui/table.tsx';
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
  const rows = flows.data?.pages.flatMap(({ items }) => items) ?? [];
  const isFiltered = filters.q !== undefined || filters.published !== undefined;
  const unsaved = new Set(drafts.data?.map(({ flowId }) => flowId));
  return (
    <Page
      title="Flows"
      actions={
        <Button kind="primary" icon="plus" onClick={() => setNew(true)}>
          Create flow
        </Button>
      }
    >
      <Filters>
        <TextFilter name="q" label="Name or id" value={filters.q} wide />
        <ChoiceFilter name="published" label="State" value={filters.published} options={STATES} />
      </Filters>
      {flows.error !== null && <Problem error={flows.error} onRetry={() => void flows.refetch()} />}
      {flows.isLoading && <Loading subject="flows" />}
      {flows.isSuccess && rows.length === 0 && (
        <Empty icon="flows" title={isFiltered ? 'No matching flows' : 'No flows yet'}>
          {isFiltered ? (
            'Change or clear the filters to see more.'
          ) : (
            <>
              <p>A flow defines what a bot says, asks and does. Start from scratch or from an example.</p>
              <Button icon="plus" onClick={() => setNew(true)}>
                Create flow
              </Button>
            </>
          )}
        </Empty>
      )}
      {rows.length > 0 && (
        <Table
          label="Flows"
          head={[
            'Name',
            'State',
            'Problems',
            { label: 'Last publication', className: WIDE },
            ...(recent ? [{ label: 'Conversations in 24 h', className: 'text-right' }] : []),
            { label: 'Updated', className: WIDE },
          ]}
        >
          {rows.map((flow) => (
            <FlowRow key={flow.flow_id} flow={flow} isUnsaved={unsaved.has(flow.flow_id)} recent={recent} />
          ))}
        </Table>
      )}
      {flows.hasNextPage && (
        <Button
          className="self-center"
          busy={flows.isFetchingNextPage}
          onClick={() => void flows.fetchNextPage()}
        >
          Load more
        </Button>
      )}
      {isNew && <NewFlowDialog onClose={() => setNew(false)} />}
    </Page>
  );
}

interface FlowRowProps {
  readonly flow: ListedFlow;
  readonly isUnsaved: boolean;
  readonly recent: Recent | null;
}

function FlowRow({ flow, isUnsaved, recent }: FlowRowProps) {
  const { flow_id, name, latest_version, updated_at, published_at, published_by, problems } = flow;
  const published = flow.published_version ?? null;
  return (
    <Row>
      <Cell>
        <Link to="/flows/$flowId" params={{ flowId: flow_id }} className={rowLink}>
          {name}
        </Link>
        <span className="block font-mono text-xs text-ink-2">{flow_id}</span>
      </Cell>
      <Cell>
        <span className="flex flex-wrap items-center gap-1.5">
          {published !== null && <Badge tone="good">published v{published}</Badge>}
          {published !== latest_version && <Badge>draft v{latest_version}</Badge>}
          {isUnsaved && (
            <Badge tone="warn" title="This browser has unsaved changes">
              unsaved
            </Badge>
          )}
        </span>
      </Cell>
      <Cell>{problems && <Counts {...problems} />}</Cell>
      <Cell className={`text-ink-2 ${WIDE}`}>
        {published_at == null ? (
          '–'
        ) : (
          <>
            <Time at={published_at} />
            {published_by != null && (
              <span className="block max-w-48 truncate text-xs">
                <Actor service="flow-builder" id={published_by} />
              </span>
            )}
          </>
        )}
      </Cell>
      {recent && (
        <Cell className="text-right tabular-nums">
          <RecentCount flowId={flow_id} recent={recent} />
        </Cell>
      )}
      <Cell className={`text-ink-2 ${WIDE}`}>
        <Time at={updated_at} />
      </Cell>
    </Row>
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
