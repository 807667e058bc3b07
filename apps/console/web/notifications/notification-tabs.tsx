// The places of notifications, and the way to one that was sent.
import { Link, useNavigate } from '@tanstack/react-router';

const PLACES = [
  ['/notifications', 'Send'],
  ['/notifications/inbox', 'Inbox of a user'],
] as const;

export function NotificationTabs() {
  return (
    <nav aria-label="Notifications" className="flex gap-1 overflow-x-auto border-b border-line">
      {PLACES.map(([to, label]) => (
        <Link
          key={to}
          to={to}
          activeOptions={{ exact: true, includeSearch: false }}
          className="-mb-px border-b-2 border-transparent px-3 py-1.5 whitespace-nowrap text-ink-2 hover:text-ink"
          activeProps={{ className: 'border-accent! text-ink! font-medium' }}
        >
          {label}
        </Link>
      ))}
    </nav>
  );
}

export function FindSent() {
  const navigate = useNavigate();
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        const id = new FormData(event.currentTarget).get('id');
        if (typeof id !== 'string' || id.trim() === '') return;
        void navigate({ to: '/notifications/sent/$notificationId', params: { notificationId: id.trim() } });
      }}
    >
      <input
        name="id"
        aria-label="Id of a notification"
        placeholder="Find by id"
        className="h-8 w-44 rounded-md border border-line-strong bg-surface px-2 text-sm"
      />
    </form>
  );
}
