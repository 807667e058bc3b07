// A table of deliveries.
import { Link } from '@tanstack/react-router';
import { Badge } from '../ui/badge.tsx';
import { Cell, Row, rowLink, Table, WIDE } from '../ui/table.tsx';
import { Time } from '../ui/time.tsx';
import type { ListedDelivery } from './api.ts';
import { DeliveryBadge } from './status.tsx';

interface DeliveryTableProps {
  readonly deliveries: readonly ListedDelivery[];
  /** URLs by webhook id, when the deliveries belong to several webhooks. */
  readonly urls?: ReadonlyMap<string, string>;
}

export function DeliveryTable({ deliveries, urls }: DeliveryTableProps) {
  return (
    <Table
      label="Deliveries"
      head={[
        'State',
        'Event',
        ...(urls ? [{ label: 'Webhook', className: WIDE }] : []),
        { label: 'Kind', className: WIDE },
        { label: 'Attempts', className: WIDE },
        'Created',
        { label: 'Next attempt', className: WIDE },
      ]}
    >
      {deliveries.map((one) => (
        <DeliveryRow key={one.id} one={one} urls={urls} />
      ))}
    </Table>
  );
}

function DeliveryRow({ one, urls }: { one: ListedDelivery } & Pick<DeliveryTableProps, 'urls'>) {
  return (
    <Row>
      <Cell>
        <DeliveryBadge of={one} failure={one.last_failure} />
      </Cell>
      <Cell>
        {one.webhook_id === null ? (
          one.event
        ) : (
          <Link
            to="/webhooks/$webhookId/deliveries/$deliveryId"
            params={{ webhookId: one.webhook_id, deliveryId: one.id }}
            className={rowLink}
          >
            {one.event}
          </Link>
        )}
      </Cell>
      {urls && (
        <Cell className={`max-w-64 truncate ${WIDE}`}>
          {one.webhook_id && (
            <Link
              to="/webhooks/$webhookId"
              params={{ webhookId: one.webhook_id }}
              className="text-ink-2 underline-offset-2 hover:underline"
              title={urls.get(one.webhook_id)}
            >
              {urls.get(one.webhook_id) ?? one.webhook_id}
            </Link>
          )}
        </Cell>
      )}
      <Cell className={WIDE}>{one.kind === 'event' ? '' : <Badge>{one.kind.replace('_', '-')}</Badge>}</Cell>
      <Cell className={`tabular-nums ${WIDE}`}>{one.attempts}</Cell>
      <Cell>
        <Time at={one.created_at} />
      </Cell>
      <Cell className={WIDE}>{one.next_attempt_at && <Time at={one.next_attempt_at} />}</Cell>
    </Row>
  );
}
