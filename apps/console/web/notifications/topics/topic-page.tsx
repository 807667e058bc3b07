// One topic and its members.
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useState } from 'react';
import { Badge } from '../../ui/badge.tsx';
import { Button, buttonClass } from '../../ui/button.tsx';
import { Loading, Page, Problem, Section } from '../../ui/page.tsx';
import { Pager } from '../../ui/pager.tsx';
import { Cell, Row, rowLink, Table } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
import { NotificationTabs } from '../notification-tabs.tsx';
import { DeleteDialog } from '../delete-dialog.tsx';
import { useChange } from '../use-change.ts';
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
  const close = () => setAsked(null);
  return (
    <>
      <Link to="/notifications" search={{ topic: topicId }} className={buttonClass()}>
        Send to topic
      </Link>
      <Button onClick={() => setAsked('add')}>Add members</Button>
      <Button onClick={() => setAsked('remove')}>Remove members</Button>
      <Button kind="danger" onClick={() => setAsked('delete')}>
        Delete topic
      </Button>
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
  const remove = useChange(TOPICS, (user: string) => changeMembers(topicId, 'remove', [user]));
  return (
    <Section title="Members">
      {list.isPending && <Loading subject="members" />}
      {(list.error ?? remove.error) && (
        <Problem error={list.error ?? remove.error} onRetry={() => void list.refetch()} />
      )}
      {list.data?.items.length === 0 && (
        <p className="text-ink-2">No members yet. Add members to send to this topic.</p>
      )}
      {list.data && list.data.items.length > 0 && (
        <Table label="Members" head={['User', 'Member since', '']}>
          {list.data.items.map(({ user_id: user, created_at: since }) => (
            <Row key={user}>
              <Cell className="max-w-40 md:max-w-96">
                <Link
                  to="/notifications/recipients/$userId"
                  params={{ userId: user }}
                  className={`block truncate ${rowLink}`}
                >
                  {user}
                </Link>
              </Cell>
              <Cell>
                <Time at={since} />
              </Cell>
              <Cell className="py-0! text-right">
                <Button
                  kind="quiet"
                  busy={remove.isPending}
                  aria-label={`Remove ${user}`}
                  onClick={() => remove.mutate(user)}
                >
                  Remove
                </Button>
              </Cell>
            </Row>
          ))}
        </Table>
      )}
      <Pager cursor={cursor} next={list.data?.next_cursor ?? null} />
    </Section>
  );
}
