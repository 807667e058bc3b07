// The list of topics.
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { Cell, Row, rowLink, WIDE } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
import { ListOf, NotificationsFrame } from '../list-page.tsx';
import { topicsQuery } from './api.ts';
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
      <ListOf
        label="Topics"
        list={list}
        cursor={cursor}
        empty={{
          title: 'No topics yet',
          words:
            'A topic is a list of users. One send reaches all of them, with their own addresses, languages and preferences.',
        }}
        head={['Topic', 'Members', { label: 'Created', className: WIDE }, 'Updated']}
        row={(one) => (
          <Row key={one.topic_id}>
            <Cell className="max-w-48 md:max-w-96">
              <Link
                to="/notifications/topics/$topicId"
                params={{ topicId: one.topic_id }}
                className={`block truncate ${rowLink}`}
              >
                {one.topic_id}
              </Link>
            </Cell>
            <Cell className="tabular-nums">{one.members}</Cell>
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
