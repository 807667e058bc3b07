// The list of workflows.
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { List } from '../../lists/list.tsx';
import { rowLink } from '../../ui/link.ts';
import type { Columns } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
import { NotificationsFrame } from '../notifications-frame.tsx';
import { VersionState } from '../versions.tsx';
import { workflowsQuery, type WorkflowHead } from './api.ts';
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
      <List
        label="Workflows"
        columns={COLUMNS}
        rowId={({ workflow_id: id }) => id}
        list={list}
        empty={{
          icon: 'notifications',
          title: 'No workflows yet',
          children:
            'A workflow holds channels, later steps, hours and the template of a notification. A send names it and adds data.',
        }}
      />
    </NotificationsFrame>
  );
}

const COLUMNS: Columns<WorkflowHead> = {
  workflow: {
    head: 'Workflow',
    place: 'name',
    className: 'md:max-w-72',
    cell: ({ workflow_id: id }) => (
      <Link
        to="/notifications/workflows/$workflowId"
        params={{ workflowId: id }}
        className={`block truncate ${rowLink}`}
      >
        {id}
      </Link>
    ),
  },
  state: { head: 'State', place: 'state', cell: (one) => <VersionState of={one} /> },
  created: { head: 'Created', minor: true, cell: ({ created_at: at }) => <Time at={at} /> },
  updated: { head: 'Updated', cell: ({ updated_at: at }) => <Time at={at} /> },
};
