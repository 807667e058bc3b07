// The senders that e-mail of the organisation may have. The operator sets them.
import { useQuery } from '@tanstack/react-query';
import { List } from '../lists/list.tsx';
import { Badge } from '../ui/badge.tsx';
import { Page } from '../ui/page.tsx';
import type { Columns } from '../ui/table.tsx';
import { sendersQuery } from './api.ts';
import { NotificationTabs } from './notification-tabs.tsx';

export function SendersPage() {
  const list = useQuery(sendersQuery);
  return (
    <Page title="Notifications">
      <NotificationTabs />
      <List
        label="Senders"
        columns={COLUMNS}
        rowId={({ sender }) => sender}
        list={list}
        empty={{
          icon: 'notifications',
          title: 'No senders yet',
          children:
            'E-mail needs a sender. Ask your operator to set email_from, and email_senders for more than one.',
        }}
        bare
      />
      <p className="text-ink-2">
        A notification or a template names its sender under “From”. Your operator lists the senders, because
        the mail provider must have verified them.
      </p>
    </Page>
  );
}

type Sender = NonNullable<Awaited<ReturnType<NonNullable<typeof sendersQuery.queryFn>>>>['items'][number];

const COLUMNS: Columns<Sender> = {
  sender: { head: 'Sender', place: 'name', className: 'font-medium', cell: ({ sender }) => sender },
  use: {
    head: 'Use',
    cell: ({ kind, is_default: isDefault }) =>
      isDefault ? (
        <Badge tone="good">default</Badge>
      ) : kind === 'domain' ? (
        'Any address of this domain'
      ) : (
        'On request of a send'
      ),
  },
};
