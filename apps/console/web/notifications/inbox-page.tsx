// The inbox of a user, as their application shows it: live.
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useEffect } from 'react';
import { Badge } from '../ui/badge.tsx';
import { Button } from '../ui/button.tsx';
import { Choice, Filters, Words } from '../ui/filters.tsx';
import { Empty, Loading, Page, Problem } from '../ui/page.tsx';
import { Pager } from '../ui/pager.tsx';
import { rowLink } from '../ui/table.tsx';
import { Time } from '../ui/time.tsx';
import { inboxQuery, inboxStream, markAllRead, markRead, type Item } from './api.ts';
import { NotificationTabs } from './notification-tabs.tsx';
import { inboxRoute } from './routes.tsx';

export function InboxPage() {
  const { user } = inboxRoute.useSearch();
  return (
    <Page title="Inbox">
      <NotificationTabs />
      <Filters>
        <Words name="user" label="User" value={user} />
        {user !== undefined && <StatusChoice />}
      </Filters>
      {user === undefined ? (
        <Empty icon="inbox" title="Whose inbox?">
          Give the id of a user, as your application names them.
        </Empty>
      ) : (
        <InboxOf key={user} user={user} />
      )}
    </Page>
  );
}

function StatusChoice() {
  const { status } = inboxRoute.useSearch();
  return (
    <Choice
      name="status"
      label="State"
      value={status}
      options={[
        ['unread', 'unread'],
        ['read', 'read'],
      ]}
    />
  );
}

/** What the stream tells of; `ready` and signs of life change nothing. */
const CHANGES = ['created', 'read', 'deleted', 'unread_count', 'reset'];

function InboxOf({ user }: { user: string }) {
  const { status, cursor } = inboxRoute.useSearch();
  const queryClient = useQueryClient();
  const inbox = useQuery(
    inboxQuery({ user_id: user, ...(status ? { status } : {}), ...(cursor ? { cursor } : {}) }),
  );
  useEffect(() => {
    const stream = inboxStream(user);
    const again = () => void queryClient.invalidateQueries({ queryKey: ['inbox'] });
    for (const name of CHANGES) stream.addEventListener(name, again);
    return () => stream.close();
  }, [user, queryClient]);
  const readAll = useMutation({ mutationFn: () => markAllRead(user) });
  return (
    <>
      {inbox.isPending && <Loading what="the inbox" />}
      {(inbox.error ?? readAll.error) && (
        <Problem error={inbox.error ?? readAll.error} again={() => void inbox.refetch()} />
      )}
      {inbox.data && (
        <div className="flex items-center gap-3">
          <p>
            <strong className="tabular-nums">{inbox.data.unread_count}</strong> unread,{' '}
            <strong className="tabular-nums">{inbox.data.unseen_count}</strong> not seen
          </p>
          <Button
            kind="quiet"
            busy={readAll.isPending}
            disabled={inbox.data.unread_count === 0}
            onClick={() => readAll.mutate()}
          >
            Mark all read
          </Button>
        </div>
      )}
      {inbox.data?.items.length === 0 && <Empty icon="inbox" title={`Nothing in the inbox of ${user}`} />}
      {inbox.data && inbox.data.items.length > 0 && (
        <ul className="flex flex-col divide-y divide-line rounded-lg border border-line">
          {inbox.data.items.map((item) => (
            <InboxItem key={item.id} item={item} user={user} />
          ))}
        </ul>
      )}
      <Pager cursor={cursor} next={inbox.data?.next_cursor ?? null} />
    </>
  );
}

function InboxItem({ item, user }: { item: Item; user: string }) {
  const read = useMutation({ mutationFn: () => markRead(item.id, user) });
  const unread = item.status === 'unread';
  return (
    <li className="flex gap-3 px-4 py-3">
      <span
        aria-hidden="true"
        className={`mt-1.5 size-2 shrink-0 rounded-full ${unread ? 'bg-accent' : ''}`}
      />
      <div className="min-w-0 flex-1">
        <p className={`break-words ${unread ? 'font-semibold' : ''}`}>{item.title}</p>
        <p className="break-words whitespace-pre-wrap text-ink-2">{item.body}</p>
        <p className="mt-1 flex flex-wrap items-center gap-x-3 text-xs text-ink-2">
          <Time at={item.created_at} />
          {item.user_id === null && <Badge>to everybody</Badge>}
          <Link
            to="/notifications/sent/$notificationId"
            params={{ notificationId: item.notification_id }}
            className={rowLink}
          >
            How it was sent
          </Link>
        </p>
      </div>
      {unread && (
        <Button kind="quiet" busy={read.isPending} onClick={() => read.mutate()}>
          Mark read
        </Button>
      )}
    </li>
  );
}
