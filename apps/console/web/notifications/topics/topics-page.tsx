// The list of topics.
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { List } from '../../lists/list.tsx';
import { rowLink } from '../../ui/link.ts';
import type { Columns } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
import { NotificationsFrame } from '../notifications-frame.tsx';
import { deleteTopic, topicsQuery, type Topic } from './api.ts';
import { NewTopic } from './members-dialogs.tsx';

const route = getRouteApi('/shell/notifications/topics');

export function TopicsPage() {
  const { cursor } = route.useSearch();
  const list = useQuery({
    ...topicsQuery(cursor === undefined ? {} : { cursor }),
    placeholderData: (before) => before,
  });
  return (
    <NotificationsFrame verb="Create topic" dialog={(onClose) => <NewTopic onClose={onClose} />}>
      <List
        label="Topics"
        service="notifications"
        columns={COLUMNS}
        rowId={({ topic_id: id }) => id}
        list={list}
        bulk={[
          {
            verb: 'Delete',
            scope: 'delete',
            done: 'deleted',
            warning: 'Their members stay recipients. Sends to these topics that are in flight stop.',
            run: ({ topic_id: id }) => deleteTopic(id),
          },
        ]}
        empty={{
          icon: 'notifications',
          title: 'No topics yet',
          children:
            'A topic is a list of users. One send reaches all of them, with their own addresses, languages and preferences.',
        }}
      />
    </NotificationsFrame>
  );
}

const COLUMNS: Columns<Topic> = {
  topic: {
    head: 'Topic',
    place: 'name',
    className: 'md:max-w-96',
    cell: ({ topic_id: id }) => (
      <Link
        to="/notifications/topics/$topicId"
        params={{ topicId: id }}
        className={`block truncate ${rowLink}`}
      >
        {id}
      </Link>
    ),
  },
  members: { head: 'Members', numeric: true, cell: ({ members }) => members },
  created: { head: 'Created', minor: true, cell: ({ created_at: at }) => <Time at={at} /> },
  updated: { head: 'Updated', cell: ({ updated_at: at }) => <Time at={at} /> },
};
