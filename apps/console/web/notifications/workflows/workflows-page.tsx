// The list of workflows.
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { Cell, Row, rowLink, WIDE } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
import { ListOf, NotificationsFrame } from '../list-page.tsx';
import { VersionState } from '../versions.tsx';
import { workflowsQuery } from './api.ts';
import { NewWorkflow } from './new-workflow.tsx';

const route = getRouteApi('/shell/notifications/workflows');

export function WorkflowsPage() {
  const { cursor } = route.useSearch();
  const list = useQuery({
    ...workflowsQuery(cursor === undefined ? {} : { cursor }),
    placeholderData: (before) => before,
  });
  return (
    <NotificationsFrame verb="Create workflow" dialog={(onClose) => <NewWorkflow onClose={onClose} />}>
      <ListOf
        label="Workflows"
        list={list}
        cursor={cursor}
        empty={{
          title: 'No workflows yet',
          words:
            'A workflow holds channels, later steps, hours and the template of a notification. A send names it and adds data.',
        }}
        head={['Workflow', 'State', { label: 'Created', className: WIDE }, 'Updated']}
        row={(one) => (
          <Row key={one.workflow_id}>
            <Cell className="max-w-72">
              <Link
                to="/notifications/workflows/$workflowId"
                params={{ workflowId: one.workflow_id }}
                className={`block truncate ${rowLink}`}
              >
                {one.workflow_id}
              </Link>
            </Cell>
            <Cell>
              <VersionState of={one} />
            </Cell>
            <Cell className={WIDE}>
              <Time at={one.created_at} />
            </Cell>
            <Cell>
              <Time at={one.updated_at} />
            </Cell>
          </Row>
        )}
      />
    </NotificationsFrame>
  );
}
