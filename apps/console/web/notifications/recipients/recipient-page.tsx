// One recipient: addresses, preferences, and links to their notifications, inbox and devices.
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useState } from 'react';
import { May } from '../../session/scopes.tsx';
import { Button, buttonClass } from '../../ui/button.tsx';
import { Json } from '../../ui/copy.tsx';
import { Facts } from '../../ui/facts.tsx';
import { Loading, Page, Problem } from '../../ui/page.tsx';
import { rowLink } from '../../ui/link.ts';
import { Time } from '../../ui/time.tsx';
import { DeleteDialog } from '../delete-dialog.tsx';
import { NotificationTabs } from '../notification-tabs.tsx';
import { deleteRecipient, recipientQuery, RECIPIENTS, type Recipient } from './api.ts';
import { PreferencesOf } from './preferences.tsx';
import { RecipientDialog } from './recipient-dialog.tsx';

const route = getRouteApi('/shell/notifications/recipients/$userId');

export function RecipientPage() {
  const { userId } = route.useParams();
  const { data, error, isPending, refetch } = useQuery(recipientQuery(userId));
  return (
    <Page title={userId} actions={data && <Actions recipient={data} />}>
      <NotificationTabs />
      {isPending && <Loading subject="the recipient" />}
      {error && <Problem error={error} onRetry={() => void refetch()} />}
      {data && (
        <>
          <About recipient={data} />
          <PreferencesOf userId={userId} />
        </>
      )}
    </Page>
  );
}

function Actions({ recipient }: { recipient: Recipient }) {
  const { user_id: user } = recipient;
  const [asked, setAsked] = useState<'change' | 'delete' | null>(null);
  const close = () => setAsked(null);
  return (
    <>
      <May service="notifications" scope="write">
        <Link to="/notifications" search={{ user }} className={buttonClass()}>
          Send notification
        </Link>
        <Button onClick={() => setAsked('change')}>Edit</Button>
      </May>
      <May service="notifications" scope="delete">
        <Button kind="danger" onClick={() => setAsked('delete')}>
          Delete recipient
        </Button>
      </May>
      {asked === 'change' && <RecipientDialog known={recipient} onClose={close} />}
      {asked === 'delete' && (
        <DeleteDialog
          name={user}
          keys={RECIPIENTS}
          remove={() => deleteRecipient(user)}
          leadsTo="/notifications/recipients"
          onClose={close}
        >
          This deletes addresses, preferences, links and topic memberships. Inbox items and registered devices
          stay.
        </DeleteDialog>
      )}
    </>
  );
}

function About({ recipient }: { recipient: Recipient }) {
  const { user_id: user, chat_webhook: chat, attributes } = recipient;
  return (
    <>
      <Facts
        rows={[
          ['E-mail', recipient.email ?? 'none'],
          [
            'Chat',
            chat ? (
              <>
                {chat.host} <code className="font-mono text-xs break-all text-ink-2">{chat.hash}</code>
              </>
            ) : (
              'none'
            ),
          ],
          ['Language', recipient.language],
          ['Time zone', recipient.time_zone],
          ['Created', <Time key="at" at={recipient.created_at} absolute />],
          ['Updated', <Time key="at" at={recipient.updated_at} />],
        ]}
      />
      {Object.keys(attributes).length > 0 && <Json value={attributes} label="attributes" />}
      <p className="flex flex-wrap gap-x-4 gap-y-1">
        <Link to="/people" search={{ who: user }} className={rowLink}>
          View timeline
        </Link>
        <Link to="/notifications/sent" search={{ user }} className={rowLink}>
          View notifications
        </Link>
        <Link to="/notifications/inbox" search={{ user }} className={rowLink}>
          View inbox
        </Link>
        <Link to="/notifications/push" search={{ user }} className={rowLink}>
          View devices
        </Link>
      </p>
    </>
  );
}
