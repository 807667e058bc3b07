// The addresses that get no mail.
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useState } from 'react';
import { Button } from '../../ui/button.tsx';
import { ChoiceFilter, Filters, TextFilter } from '../../ui/filters.tsx';
import { Page } from '../../ui/page.tsx';
import { Cell, Row, rowLink, WIDE, type Head } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
import { DeleteDialog } from '../delete-dialog.tsx';
import { ListOf } from '../list-page.tsx';
import { NotificationTabs } from '../notification-tabs.tsx';
import {
  removeSuppression,
  SUPPRESSION_REASON_LABELS,
  SUPPRESSION_REASONS,
  SUPPRESSIONS,
  suppressionsQuery,
  type Suppression,
} from './api.ts';

const route = getRouteApi('/shell/notifications/suppressions');

const SOURCE_LABELS: Readonly<Record<Suppression['source'], string>> = {
  sendgrid: 'SendGrid',
  smtp: 'Mail server',
  ses: 'Amazon SES',
  mailgun: 'Mailgun',
  postmark: 'Postmark',
  resend: 'Resend',
  link: 'Unsubscribe page',
};

const HEAD: readonly Head[] = [
  'Address',
  'Reason',
  { label: 'Source', className: WIDE },
  { label: 'Notification', className: WIDE },
  'Since',
  '',
];

export function SuppressionsPage() {
  const query = route.useSearch();
  const list = useQuery({ ...suppressionsQuery(query), placeholderData: (before) => before });
  const [removing, setRemoving] = useState<Suppression | null>(null);
  return (
    <Page title="Notifications">
      <NotificationTabs />
      <Filters>
        <TextFilter name="email" label="Full e-mail address" value={query.email} wide />
        <ChoiceFilter
          name="reason"
          label="Reason"
          value={query.reason}
          options={SUPPRESSION_REASONS.map((reason) => [reason, SUPPRESSION_REASON_LABELS[reason]] as const)}
        />
      </Filters>
      <ListOf
        label="Suppressions"
        list={list}
        cursor={query.cursor}
        empty={{
          title: 'No suppressed addresses',
          words:
            'An address that bounces, reports mail as spam or unsubscribes from all mail appears here and gets no more mail.',
        }}
        head={HEAD}
        row={(one) => <SuppressionRow key={one.id} one={one} onRemove={() => setRemoving(one)} />}
      />
      {removing !== null && (
        <DeleteDialog
          name={nameOf(removing)}
          keys={SUPPRESSIONS}
          remove={() => removeSuppression(removing.id)}
          onClose={() => setRemoving(null)}
        >
          The address gets mail again, unless it has another reason. Your mail provider may have a list of its
          own: remove the address there too.
        </DeleteDialog>
      )}
    </Page>
  );
}

/** An erased address has only its digest. */
const nameOf = ({ email, email_hash: hash }: Suppression) => email ?? `Erased address ${hash}`;

function SuppressionRow({ one, onRemove }: { one: Suppression; onRemove: () => void }) {
  const { notification_id: notificationId } = one;
  return (
    <Row>
      <Cell className="max-w-40 truncate md:max-w-64" title={nameOf(one)}>
        {nameOf(one)}
      </Cell>
      <Cell>{SUPPRESSION_REASON_LABELS[one.reason]}</Cell>
      <Cell className={WIDE}>
        {SOURCE_LABELS[one.source]}
        {one.detail !== null && <span className="block text-ink-2">{one.detail}</span>}
      </Cell>
      <Cell className={WIDE}>
        {notificationId === null ? (
          '–'
        ) : (
          <Link to="/notifications/sent/$notificationId" params={{ notificationId }} className={rowLink}>
            Show
          </Link>
        )}
      </Cell>
      <Cell>
        <Time at={one.created_at} />
      </Cell>
      <Cell className="py-0! text-right whitespace-nowrap">
        <Button kind="quiet" aria-label={`Delete ${nameOf(one)}`} onClick={onRemove}>
          Delete
        </Button>
      </Cell>
    </Row>
  );
}
