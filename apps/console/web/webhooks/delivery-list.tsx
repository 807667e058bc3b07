// A list of deliveries.
import { Link } from '@tanstack/react-router';
import type { ComponentProps } from 'react';
import { List } from '../lists/list.tsx';
import { Badge } from '../ui/badge.tsx';
import { rowLink } from '../ui/link.ts';
import type { Columns } from '../ui/table.tsx';
import { Time } from '../ui/time.tsx';
import { retry, type ListedDelivery } from './api.ts';
import { DeliveryBadge } from './status.tsx';

type Props = Omit<ComponentProps<typeof List<ListedDelivery>>, 'label' | 'columns' | 'rowId' | 'bulk'>;

interface DeliveryListProps extends Props {
  /** URLs by webhook id, when the deliveries belong to several webhooks. */
  readonly urls?: ReadonlyMap<string, string> | undefined;
}

export function DeliveryList({ urls, ...rest }: DeliveryListProps) {
  return (
    <List
      label="Deliveries"
      service="voice-api"
      columns={toColumns(urls)}
      rowId={({ id }) => id}
      bulk={[
        {
          verb: 'Retry',
          scope: 'write',
          done: 'retried',
          isFor: (one) => one.status !== 'pending' && one.webhook_id !== null,
          run: (one) => retry(one.webhook_id!, one.id),
        },
      ]}
      {...rest}
    />
  );
}

const toColumns = (urls: ReadonlyMap<string, string> | undefined): Columns<ListedDelivery> => ({
  state: {
    head: 'State',
    place: 'state',
    cell: (one) => <DeliveryBadge of={one} failure={one.last_failure} />,
  },
  event: {
    head: 'Event',
    place: 'name',
    cell: (one) =>
      one.webhook_id === null ? (
        one.event
      ) : (
        <Link
          to="/webhooks/$webhookId/deliveries/$deliveryId"
          params={{ webhookId: one.webhook_id, deliveryId: one.id }}
          className={rowLink}
        >
          {one.event}
        </Link>
      ),
  },
  ...(urls && {
    webhook: {
      head: 'Webhook',
      className: 'max-w-64 truncate',
      cell: ({ webhook_id: id }: ListedDelivery) =>
        id !== null && (
          <Link
            to="/webhooks/$webhookId"
            params={{ webhookId: id }}
            className="text-ink-2 underline-offset-2 hover:underline"
            title={urls.get(id)}
          >
            {urls.get(id) ?? id}
          </Link>
        ),
    },
  }),
  kind: {
    head: 'Kind',
    minor: true,
    cell: ({ kind }) => kind !== 'event' && <Badge>{kind.replace('_', '-')}</Badge>,
  },
  attempts: { head: 'Attempts', numeric: true, minor: true, cell: ({ attempts }) => attempts },
  created: { head: 'Created', cell: ({ created_at: at }) => <Time at={at} /> },
  next: {
    head: 'Next attempt',
    minor: true,
    cell: ({ next_attempt_at: at }) => at && <Time at={at} />,
  },
});
