// One topic and its members.
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useState } from 'react';
import { List } from '../../lists/list.tsx';
import { usePermissions } from '../../session/scopes.tsx';
import { useAction } from '../../ui/action.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button, buttonClass } from '../../ui/button.tsx';
import { Loading, Page, Problem, Section } from '../../ui/page.tsx';
import { rowLink } from '../../ui/link.ts';
import type { Columns } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
import { NotificationTabs } from '../notification-tabs.tsx';
import { DeleteDialog } from '../delete-dialog.tsx';
import { changeMembers, deleteTopic, membersQuery, topicQuery, TOPICS, type Change } from './api.ts';
import { ChangeMembers } from './members-dialogs.tsx';

const route = getRouteApi('/shell/notifications/topics/$topicId');

export function TopicPage() {
  const { topicId } = route.useParams();
  const { data, error, isPending, refetch } = useQuery(topicQuery(topicId));
  return (
    <Page
      title={topicId}
      titleExtra={data && <Badge>{data.members === 1 ? '1 member' : `${data.members} members`}</Badge>}
      actions={data && <Actions topicId={topicId} />}
    >
      <NotificationTabs />
      {isPending && <Loading subject="the topic" />}
      {error && <Problem error={error} onRetry={() => void refetch()} />}
      {data && <Members topicId={topicId} />}
    </Page>
  );
}

function Actions({ topicId }: { topicId: string }) {
  const [asked, setAsked] = useState<Change | 'delete' | null>(null);
  const { can } = usePermissions('notifications');
  const close = () => setAsked(null);
  return (
    <>
      {can('write') && (
        <>
          <Link to="/notifications" search={{ topic: topicId }} className={buttonClass()}>
            Send to topic
          </Link>
          <Button onClick={() => setAsked('add')}>Add members</Button>
          <Button onClick={() => setAsked('remove')}>Remove members</Button>
        </>
      )}
      {can('delete') && (
        <Button kind="danger" onClick={() => setAsked('delete')}>
          Delete topic
        </Button>
      )}
      {(asked === 'add' || asked === 'remove') && (
        <ChangeMembers topicId={topicId} change={asked} onClose={close} />
      )}
      {asked === 'delete' && (
        <DeleteDialog
          name={topicId}
          keys={TOPICS}
          remove={() => deleteTopic(topicId)}
          leadsTo="/notifications/topics"
          onClose={close}
        >
          Its members stay recipients. Sends to the topic that are in flight stop.
        </DeleteDialog>
      )}
    </>
  );
}

function Members({ topicId }: { topicId: string }) {
  const { cursor } = route.useSearch();
  const list = useQuery({
    ...membersQuery(topicId, cursor === undefined ? {} : { cursor }),
    placeholderData: (before) => before,
  });
  const remove = useAction((user: string) => changeMembers(topicId, 'remove', [user]), {
    says: (_, user) => `${user} removed from the topic`,
    reloads: TOPICS,
  });
  return (
    <Section title="Members">
      <List
        label="Members"
        service="notifications"
        columns={COLUMNS}
        rowId={({ user_id: user }) => user}
        list={list}
        problem={remove.error}
        actions={[
          {
            verb: 'Remove',
            scope: 'write',
            busy: remove.isPending,
            run: ({ user_id: user }) => remove.mutate(user),
          },
        ]}
        bulk={[
          {
            verb: 'Remove',
            scope: 'write',
            done: 'removed',
            run: ({ user_id: user }) => changeMembers(topicId, 'remove', [user]),
          },
        ]}
        empty={{
          icon: 'people',
          title: 'No members yet',
          children: 'Add members to send to this topic.',
        }}
        bare
      />
    </Section>
  );
}

const COLUMNS: Columns<{ readonly user_id: string; readonly created_at: number }> = {
  user: {
    head: 'User',
    place: 'name',
    className: 'md:max-w-96',
    cell: ({ user_id: user }) => (
      <Link
        to="/notifications/recipients/$userId"
        params={{ userId: user }}
        className={`block truncate ${rowLink}`}
      >
        {user}
      </Link>
    ),
  },
  since: { head: 'Member since', cell: ({ created_at: at }) => <Time at={at} /> },
};
