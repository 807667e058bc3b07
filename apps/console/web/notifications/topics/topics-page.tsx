// The topics: lists of users, each of which one send goes to.
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { Button } from '../../ui/button.tsx';
import { Empty, Loading, Page, Problem } from '../../ui/page.tsx';
import { Pager } from '../../ui/pager.tsx';
import { Cell, Row, rowLink, Table, WIDE } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
import { NotificationTabs } from '../notification-tabs.tsx';
import { topicsQuery } from './api.ts';
import { NewTopic } from './members-dialogs.tsx';
import { topicsRoute } from './routes.tsx';

export function TopicsPage() {
  const { cursor } = topicsRoute.useSearch();
  const [creating, setCreating] = useState(false);
  const list = useQuery({
    ...topicsQuery(cursor === undefined ? {} : { cursor }),
    placeholderData: (before) => before,
  });
  return (
    <Page
      title="Notifications"
      actions={
        <Button kind="primary" icon="plus" onClick={() => setCreating(true)}>
          New topic
        </Button>
      }
    >
      <NotificationTabs />
      {list.isPending && <Loading what="topics" />}
      {list.error && <Problem error={list.error} again={() => void list.refetch()} />}
      {list.data?.items.length === 0 && (
        <Empty icon="notifications" title="There is no topic yet">
          A topic is a list of users. One send goes to all of them, each with their own address, language and
          preferences.
        </Empty>
      )}
      {list.data && list.data.items.length > 0 && (
        <Table label="Topics" head={['Topic', 'Members', { words: 'Made', className: WIDE }, 'Changed']}>
          {list.data.items.map((one) => (
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
          ))}
        </Table>
      )}
      <Pager cursor={cursor} next={list.data?.next_cursor ?? null} />
      {creating && <NewTopic onClose={() => setCreating(false)} />}
    </Page>
  );
}
