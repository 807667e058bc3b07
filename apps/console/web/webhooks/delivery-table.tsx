// Deliveries in a table: of one webhook, or of all that were told of a conversation.
import { Link } from '@tanstack/react-router';
import { Badge } from '../ui/badge.tsx';
import { Cell, Row, rowLink, Table, WIDE } from '../ui/table.tsx';
import { Time } from '../ui/time.tsx';
import type { Delivery } from './api.ts';
import { DeliveryBadge } from './status.tsx';

export function DeliveryTable({ deliveries }: { deliveries: readonly Delivery[] }) {
  return (
    <Table
      label="Deliveries"
      head={[
        'State',
        'Event',
        { words: 'Kind', className: WIDE },
        { words: 'Attempts', className: WIDE },
        'Written',
        { words: 'Next', className: WIDE },
      ]}
    >
      {deliveries.map((one) => (
        <DeliveryRow key={one.id} one={one} />
      ))}
    </Table>
  );
}

function DeliveryRow({ one }: { one: Delivery }) {
  return (
    <Row>
      <Cell>
        <DeliveryBadge status={one.status} />
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
      <Cell className={WIDE}>{one.kind === 'event' ? '' : <Badge>{one.kind.replace('_', '-')}</Badge>}</Cell>
      <Cell className={`tabular-nums ${WIDE}`}>{one.attempts}</Cell>
      <Cell>
        <Time at={one.created_at} />
      </Cell>
      <Cell className={WIDE}>{one.next_attempt_at && <Time at={one.next_attempt_at} />}</Cell>
    </Row>
  );
}
