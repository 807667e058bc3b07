// The addresses that get no mail.
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useState } from 'react';
import { List } from '../../lists/list.tsx';
import { ChoiceFilter, TextFilter } from '../../ui/filters.tsx';
import { rowLink } from '../../ui/link.ts';
import type { Columns } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
import { DeleteDialog } from '../delete-dialog.tsx';
import { NotificationsFrame } from '../notifications-frame.tsx';
import { AddSuppressions } from './add-suppressions.tsx';
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
  api: 'Added by API',
};

export function SuppressionsPage() {
  const query = route.useSearch();
  const list = useQuery({ ...suppressionsQuery(query), placeholderData: (before) => before });
  const [removing, setRemoving] = useState<Suppression | null>(null);
  return (
    <NotificationsFrame verb="Suppress addresses" dialog={(onClose) => <AddSuppressions onClose={onClose} />}>
      <List
        label="Suppressions"
        service="notifications"
        columns={COLUMNS}
        rowId={({ id }) => id}
        list={list}
        filters={
          <>
            <TextFilter name="email" label="Full e-mail address" value={query.email} wide />
            <ChoiceFilter
              name="reason"
              label="Reason"
              value={query.reason}
              options={SUPPRESSION_REASONS.map(
                (reason) => [reason, SUPPRESSION_REASON_LABELS[reason]] as const,
              )}
            />
          </>
        }
        nameOf={nameOf}
        actions={[{ verb: 'Delete', scope: 'delete', run: setRemoving }]}
        bulk={[
          {
            verb: 'Delete',
            scope: 'delete',
            done: 'deleted',
            warning: 'These addresses get mail again, unless they have another reason.',
            run: ({ id }) => removeSuppression(id),
          },
        ]}
        empty={{
          icon: 'notifications',
          title: 'No suppressed addresses',
          children:
            'An address that bounces, reports mail as spam or unsubscribes from all mail appears here and gets no more mail.',
        }}
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
    </NotificationsFrame>
  );
}

/** An erased address has only its digest. */
const nameOf = ({ email, email_hash: hash }: Suppression) => email ?? `Erased address ${hash}`;

const COLUMNS: Columns<Suppression> = {
  address: {
    head: 'Address',
    place: 'name',
    className: 'truncate md:max-w-64',
    cell: (one) => <span title={nameOf(one)}>{nameOf(one)}</span>,
  },
  reason: { head: 'Reason', cell: ({ reason }) => SUPPRESSION_REASON_LABELS[reason] },
  source: {
    head: 'Source',
    minor: true,
    cell: ({ source, detail }) => (
      <>
        {SOURCE_LABELS[source]}
        {detail !== null && (
          <span dir="auto" className="block text-ink-2">
            {detail}
          </span>
        )}
      </>
    ),
  },
  notification: {
    head: 'Notification',
    minor: true,
    cell: ({ notification_id: id }) =>
      id === null ? (
        '–'
      ) : (
        <Link to="/notifications/sent/$notificationId" params={{ notificationId: id }} className={rowLink}>
          Show
        </Link>
      ),
  },
  since: { head: 'Since', cell: ({ created_at: at }) => <Time at={at} /> },
};
