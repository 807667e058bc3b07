// The senders that e-mail of the organisation may have. The operator sets them.
import { useQuery } from '@tanstack/react-query';
import { Badge } from '../ui/badge.tsx';
import { Page } from '../ui/page.tsx';
import { Cell, Row } from '../ui/table.tsx';
import { sendersQuery } from './api.ts';
import { ListOf } from './list-page.tsx';
import { NotificationTabs } from './notification-tabs.tsx';

export function SendersPage() {
  const list = useQuery(sendersQuery);
  return (
    <Page title="Notifications">
      <NotificationTabs />
      <ListOf
        label="Senders"
        list={list}
        cursor={undefined}
        empty={{
          title: 'No senders yet',
          words:
            'E-mail needs a sender. Ask your operator to set email_from, and email_senders for more than one.',
        }}
        head={['Sender', 'Use']}
        row={({ sender, kind, is_default: isDefault }) => (
          <Row key={sender}>
            <Cell className="font-medium">{sender}</Cell>
            <Cell>
              {isDefault && <Badge tone="good">default</Badge>}
              {!isDefault && (kind === 'domain' ? 'Any address of this domain' : 'On request of a send')}
            </Cell>
          </Row>
        )}
      />
      <p className="text-ink-2">
        A notification or a template names its sender under “From”. Your operator lists the senders, because
        the mail provider must have verified them.
      </p>
    </Page>
  );
}
