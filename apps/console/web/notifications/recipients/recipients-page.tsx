// The list of recipients.
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { ApiError } from '../../api/error.ts';
import { Filters, TextFilter } from '../../ui/filters.tsx';
import { Empty, Loading, Problem } from '../../ui/page.tsx';
import { Cell, Row, rowLink, Table, WIDE, type Head } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
import { ListOf, NotificationsFrame } from '../list-page.tsx';
import { recipientQuery, recipientsQuery, type Recipient } from './api.ts';
import { RecipientDialog } from './recipient-dialog.tsx';

const route = getRouteApi('/shell/notifications/recipients');

export function RecipientsPage() {
  const { user } = route.useSearch();
  return (
    <NotificationsFrame
      verb="Create recipient"
      dialog={(onClose) => <RecipientDialog userId={user} onClose={onClose} />}
    >
      <Filters>
        <TextFilter name="user" label="Full user id" value={user} wide />
      </Filters>
      {user === undefined ? <All /> : <Found user={user} />}
    </NotificationsFrame>
  );
}

const HEAD: readonly Head[] = [
  'Recipient',
  'E-mail',
  { label: 'Chat', className: WIDE },
  { label: 'Language', className: WIDE },
  { label: 'Time zone', className: WIDE },
  'Updated',
];

function All() {
  const { cursor } = route.useSearch();
  const list = useQuery({
    ...recipientsQuery(cursor === undefined ? {} : { cursor }),
    placeholderData: (before) => before,
  });
  return (
    <ListOf
      label="Recipients"
      list={list}
      cursor={cursor}
      empty={{
        title: 'No recipients yet',
        words:
          'A recipient is a person with addresses and preferences. Create one, then sends can name the user id.',
      }}
      head={HEAD}
      row={rowOf}
    />
  );
}

function Found({ user }: { user: string }) {
  const found = useQuery(recipientQuery(user));
  const isNobody = found.error instanceof ApiError && found.error.status === 404;
  return (
    <>
      {found.isPending && <Loading subject="the recipient" />}
      {isNobody && <Empty icon="search" title={`No recipient with the id ${user}`} />}
      {found.error && !isNobody && <Problem error={found.error} onRetry={() => void found.refetch()} />}
      {found.data && (
        <Table label="Recipients" head={HEAD}>
          {rowOf(found.data)}
        </Table>
      )}
    </>
  );
}

const rowOf = (one: Recipient) => (
  <Row key={one.user_id}>
    <Cell className="max-w-40 md:max-w-64">
      <Link
        to="/notifications/recipients/$userId"
        params={{ userId: one.user_id }}
        className={`block truncate ${rowLink}`}
        title={one.user_id}
      >
        {one.user_id}
      </Link>
    </Cell>
    <Cell className="max-w-40 truncate md:max-w-64">{one.email ?? '–'}</Cell>
    <Cell className={WIDE}>{one.chat_webhook?.host ?? '–'}</Cell>
    <Cell className={WIDE}>{one.language ?? '–'}</Cell>
    <Cell className={WIDE}>{one.time_zone ?? '–'}</Cell>
    <Cell>
      <Time at={one.updated_at} />
    </Cell>
  </Row>
);
