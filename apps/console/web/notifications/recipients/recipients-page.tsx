// The recipients: whom sends can name by the id that the organisation has for them.
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { ApiError } from '../../api/error.ts';
import { Button } from '../../ui/button.tsx';
import { Filters, Words } from '../../ui/filters.tsx';
import { Empty, Loading, Page, Problem } from '../../ui/page.tsx';
import { Pager } from '../../ui/pager.tsx';
import { Cell, Row, rowLink, Table, WIDE } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
import { NotificationTabs } from '../notification-tabs.tsx';
import { recipientQuery, recipientsQuery, type Recipient } from './api.ts';
import { RecipientDialog } from './recipient-dialog.tsx';
import { recipientsRoute } from './routes.tsx';

export function RecipientsPage() {
  const { user } = recipientsRoute.useSearch();
  const [creating, setCreating] = useState(false);
  return (
    <Page
      title="Notifications"
      actions={
        <Button kind="primary" icon="plus" onClick={() => setCreating(true)}>
          New recipient
        </Button>
      }
    >
      <NotificationTabs />
      <Filters>
        <Words name="user" label="User id, in full" value={user} wide />
      </Filters>
      {user === undefined ? <All /> : <Found user={user} />}
      {creating && <RecipientDialog userId={user} onClose={() => setCreating(false)} />}
    </Page>
  );
}

function All() {
  const { cursor } = recipientsRoute.useSearch();
  const list = useQuery({
    ...recipientsQuery(cursor === undefined ? {} : { cursor }),
    placeholderData: (before) => before,
  });
  return (
    <>
      {list.isPending && <Loading what="recipients" />}
      {list.error && <Problem error={list.error} again={() => void list.refetch()} />}
      {list.data?.items.length === 0 && (
        <Empty icon="notifications" title="Nobody is put down yet">
          Put people down once, with where they are reached, and sends name them from then on.
        </Empty>
      )}
      {list.data && list.data.items.length > 0 && <Recipients recipients={list.data.items} />}
      <Pager cursor={cursor} next={list.data?.next_cursor ?? null} />
    </>
  );
}

function Found({ user }: { user: string }) {
  const found = useQuery(recipientQuery(user));
  const isNobody = found.error instanceof ApiError && found.error.status === 404;
  return (
    <>
      {found.isPending && <Loading what="the recipient" />}
      {isNobody && <Empty icon="search" title={`Nobody is put down as ${user}`} />}
      {found.error && !isNobody && <Problem error={found.error} again={() => void found.refetch()} />}
      {found.data && <Recipients recipients={[found.data]} />}
    </>
  );
}

function Recipients({ recipients }: { recipients: readonly Recipient[] }) {
  return (
    <Table
      label="Recipients"
      head={[
        'Recipient',
        'E-mail',
        { words: 'Chat', className: WIDE },
        { words: 'Language', className: WIDE },
        { words: 'Time zone', className: WIDE },
        'Changed',
      ]}
    >
      {recipients.map((one) => (
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
      ))}
    </Table>
  );
}
