// The list of recipients.
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { ApiError } from '../../api/error.ts';
import { List } from '../../lists/list.tsx';
import { TextFilter } from '../../ui/filters.tsx';
import { rowLink } from '../../ui/link.ts';
import type { Columns } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
import { NotificationsFrame } from '../notifications-frame.tsx';
import { deleteRecipient, recipientQuery, recipientsQuery, type Recipient } from './api.ts';
import { RecipientDialog } from './recipient-dialog.tsx';

const route = getRouteApi('/shell/notifications/recipients');

export function RecipientsPage() {
  const { user, cursor } = route.useSearch();
  const all = useQuery({
    ...recipientsQuery(cursor === undefined ? {} : { cursor }),
    placeholderData: (before) => before,
    enabled: user === undefined,
  });
  const found = useQuery({ ...recipientQuery(user ?? ''), enabled: user !== undefined });
  const isNobody = found.error instanceof ApiError && found.error.status === 404;
  const one = {
    ...found,
    data: isNobody ? { items: [] } : found.data && { items: [found.data] },
    error: isNobody ? null : found.error,
  };
  return (
    <NotificationsFrame
      verb="Create recipient"
      dialog={(onClose) => <RecipientDialog userId={user} onClose={onClose} />}
    >
      <List
        label="Recipients"
        service="notifications"
        columns={COLUMNS}
        rowId={({ user_id: id }) => id}
        list={user === undefined ? all : one}
        filters={<TextFilter name="user" label="Full user id" value={user} wide />}
        bulk={[
          {
            verb: 'Delete',
            scope: 'delete',
            done: 'deleted',
            warning: 'This deletes addresses, preferences, links and topic memberships.',
            run: ({ user_id: id }) => deleteRecipient(id),
          },
        ]}
        empty={{
          icon: 'people',
          title: 'No recipients yet',
          children:
            'A recipient is a person with addresses and preferences. Create one, then sends can name the user id.',
        }}
      />
    </NotificationsFrame>
  );
}

const COLUMNS: Columns<Recipient> = {
  recipient: {
    head: 'Recipient',
    place: 'name',
    className: 'md:max-w-64',
    cell: ({ user_id: id }) => (
      <Link
        to="/notifications/recipients/$userId"
        params={{ userId: id }}
        className={`block truncate ${rowLink}`}
        title={id}
      >
        {id}
      </Link>
    ),
  },
  email: { head: 'E-mail', className: 'max-w-64 truncate', cell: ({ email }) => email ?? '–' },
  chat: { head: 'Chat', minor: true, cell: ({ chat_webhook: chat }) => chat?.host ?? '–' },
  language: { head: 'Language', minor: true, cell: ({ language }) => language ?? '–' },
  zone: { head: 'Time zone', minor: true, cell: ({ time_zone: zone }) => zone ?? '–' },
  created: { head: 'Created', optional: true, cell: ({ created_at: at }) => <Time at={at} /> },
  updated: { head: 'Updated', cell: ({ updated_at: at }) => <Time at={at} /> },
};
