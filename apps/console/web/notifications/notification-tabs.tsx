// The tabs of the notification pages.
import { Link } from '@tanstack/react-router';
import { usePermissions } from '../session/scopes.tsx';

/** Needs the scope `write`. */
const SEND = '/notifications';
const PLACES = [
  [SEND, 'Send'],
  ['/notifications/sent', 'Sent'],
  ['/notifications/recurring', 'Recurring'],
  ['/notifications/templates', 'Templates'],
  ['/notifications/workflows', 'Workflows'],
  ['/notifications/recipients', 'Recipients'],
  ['/notifications/topics', 'Topics'],
  ['/notifications/categories', 'Categories'],
  ['/notifications/suppressions', 'Suppressions'],
  ['/notifications/senders', 'Senders'],
  ['/notifications/inbox', 'User inbox'],
  ['/notifications/push', 'Web push'],
] as const;

export function NotificationTabs() {
  const { can } = usePermissions('notifications');
  return (
    <nav aria-label="Notifications" className="flex flex-wrap gap-x-1 border-b border-line">
      {PLACES.filter(([to]) => to !== SEND || can('write')).map(([to, label]) => (
        <Link
          key={to}
          to={to}
          // A tab includes the pages below it, except the first: its path is a prefix of all
          // others.
          activeOptions={{ exact: to === SEND, includeSearch: false }}
          className="-mb-px border-b-2 border-transparent px-3 py-1.5 whitespace-nowrap text-ink-2 hover:text-ink"
          activeProps={{ className: 'border-accent! text-ink! font-medium' }}
        >
          {label}
        </Link>
      ))}
    </nav>
  );
}
