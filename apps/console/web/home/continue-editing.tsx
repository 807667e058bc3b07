// Flows with unsaved changes in this browser, and those that were changed last.
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { flowsQuery } from '../flows/api.ts';
import { listDrafts } from '../flows/document/drafts.ts';
import { readOrganizationId } from '../api/organization.ts';
import { Badge } from '../ui/badge.tsx';
import { Icon } from '../ui/icon.tsx';
import { Empty, Loading, Problem, Section } from '../ui/page.tsx';
import { rowLink } from '../ui/link.ts';
import { Time } from '../ui/time.tsx';

const SHOWN_MAX = 6;

export function ContinueEditing() {
  const flows = useInfiniteQuery(flowsQuery({}));
  const drafts = useQuery({
    queryKey: ['drafts'],
    queryFn: async ({ client }) => listDrafts(await readOrganizationId(client)),
    staleTime: 0,
    retry: false,
  });
  const listed = flows.data?.pages[0]?.items ?? [];
  const unsaved = new Set(drafts.data?.map(({ flowId }) => flowId));
  const rows = [...listed]
    .sort((a, b) => Number(unsaved.has(b.flow_id)) - Number(unsaved.has(a.flow_id)))
    .slice(0, SHOWN_MAX);
  return (
    <Section
      title="Continue editing"
      actions={
        <Link to="/flows" className={rowLink}>
          All flows
        </Link>
      }
    >
      {flows.isLoading && <Loading subject="flows" />}
      {flows.error && <Problem error={flows.error} onRetry={() => void flows.refetch()} />}
      {flows.isSuccess && rows.length === 0 && (
        <Empty icon="flows" title="No flows yet">
          <p>A flow defines what a bot says, asks and does.</p>
          <Link to="/flows" className={rowLink}>
            Create the first flow
          </Link>
        </Empty>
      )}
      {rows.length > 0 && (
        <ul aria-label="Flows" className="divide-y divide-line rounded-lg border border-line">
          {rows.map(({ flow_id, name, latest_version, published_version, updated_at }) => (
            <li key={flow_id} className="flex items-center gap-2.5 px-3 py-2">
              <Icon name="flows" className="text-ink-2" />
              <Link
                to="/flows/$flowId"
                params={{ flowId: flow_id }}
                className={`min-w-0 truncate ${rowLink}`}
              >
                {name}
              </Link>
              {unsaved.has(flow_id) && <Badge tone="warn">unsaved</Badge>}
              {published_version !== latest_version && <Badge>draft v{latest_version}</Badge>}
              <span className="ml-auto text-xs text-ink-2">
                <Time at={updated_at} />
              </span>
            </li>
          ))}
        </ul>
      )}
    </Section>
  );
}
