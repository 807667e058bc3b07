// The live inbox of a user, built with the components that applications use.
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { InboxPanel, InboxProvider, useInbox } from '@parley/inbox/react';
import { useMemo } from 'react';
import { Badge } from '../ui/badge.tsx';
import { Filters, useFilter, TextFilter } from '../ui/filters.tsx';
import { Empty, Page } from '../ui/page.tsx';
import { rowLink } from '../ui/link.ts';
import { NotificationTabs } from './notification-tabs.tsx';
import type { Item } from './api.ts';

const route = getRouteApi('/shell/notifications/inbox');

export function InboxPage() {
  const { user } = route.useSearch();
  return (
    <Page title="Inbox">
      <NotificationTabs />
      <Filters>
        <TextFilter name="user" label="User" value={user} />
      </Filters>
      {user === undefined ? (
        <Empty icon="inbox" title="Choose a user">
          Enter the user id that your application uses to see the user’s inbox.
        </Empty>
      ) : (
        <InboxOf key={user} user={user} />
      )}
    </Page>
  );
}

/** The session cookie authenticates the inbox. */
const SERVICE = `${location.origin}/api/notifications`;

function InboxOf({ user }: { user: string }) {
  const { view } = route.useSearch();
  const filter = useFilter();
  const navigate = useNavigate();
  const words = useMemo(() => ({ title: user, nothing: `The inbox of ${user} is empty` }), [user]);
  return (
    <InboxProvider url={SERVICE} userId={user} localization={words} locale="en-GB">
      <Counts />
      <div className="max-w-2xl overflow-hidden rounded-lg border border-line">
        <InboxPanel
          view={view ?? 'all'}
          onViewChange={(next) => filter({ view: next === 'all' ? undefined : next })}
          // Links lead into the user's application, and buttons are for the user.
          onNotificationClick={({ notification_id: notificationId }, event) => {
            event.preventDefault();
            void navigate({ to: '/notifications/sent/$notificationId', params: { notificationId } });
          }}
          onActionClick={(_item, _action, event) => event.preventDefault()}
          renderBody={(item) => <Body item={item} />}
        />
      </div>
    </InboxProvider>
  );
}

function Counts() {
  const { unreadCount, unseenCount } = useInbox();
  return (
    <p>
      <strong className="tabular-nums">{unreadCount}</strong> unread,{' '}
      <strong className="tabular-nums">{unseenCount}</strong> unseen
    </p>
  );
}

function Body({ item }: { item: Item }) {
  return (
    <>
      {item.title && <p>{item.body}</p>}
      <p className="flex flex-wrap items-center gap-x-3 text-xs">
        {item.user_id === null && <Badge>to everyone</Badge>}
        {item.url !== null && <span className="break-all">links to {item.url}</span>}
        <Link
          to="/notifications/sent/$notificationId"
          params={{ notificationId: item.notification_id }}
          className={rowLink}
        >
          View notification
        </Link>
      </p>
    </>
  );
}
