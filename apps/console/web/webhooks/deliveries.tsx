// The delivery log of a webhook, newest first.
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { beginOf, Choice, Filters, STRETCH_OPTIONS } from '../ui/filters.tsx';
import { Badge } from '../ui/badge.tsx';
import { Empty, Loading, Problem } from '../ui/page.tsx';
import { Pager } from '../ui/pager.tsx';
import { Cell, Row, rowLink, Table, WIDE } from '../ui/table.tsx';
import { Time, useNowMs } from '../ui/time.tsx';
import { deliveriesQuery, type Delivery } from './api.ts';
import { DELIVERY_STATUSES, EVENT_TYPES } from './catalogue.ts';
import { webhookRoute } from './routes.tsx';
import { DeliveryBadge } from './status.tsx';

export function Deliveries({ webhookId }: { webhookId: string }) {
  const { status, event, last, cursor } = webhookRoute.useSearch();
  const nowMs = useNowMs();
  const log = useQuery({
    ...deliveriesQuery(webhookId, {
      ...(status ? { status } : {}),
      ...(event ? { event } : {}),
      ...(last ? { since: beginOf(last, nowMs) } : {}),
      ...(cursor ? { cursor } : {}),
    }),
    placeholderData: (before) => before,
  });
  const filtered = Boolean(status ?? event ?? last ?? cursor);
  return (
    <div className="flex flex-col gap-3">
      <Filters>
        <Choice
          name="status"
          label="State"
          value={status}
          options={DELIVERY_STATUSES.map((one) => [one, one])}
        />
        <Choice name="event" label="Event" value={event} options={EVENT_TYPES.map((one) => [one, one])} />
        <Choice name="last" label="Written" value={last} options={STRETCH_OPTIONS} />
      </Filters>
      {log.isPending && <Loading what="deliveries" />}
      {log.error && <Problem error={log.error} again={() => void log.refetch()} />}
      {log.data?.items.length === 0 && (
        <Empty icon="deliveries" title={filtered ? 'No delivery is like that' : 'Nothing was delivered yet'}>
          {!filtered && 'Send a test: it is made now, and tells what your receiver answered.'}
        </Empty>
      )}
      {log.data && log.data.items.length > 0 && (
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
          {log.data.items.map((one) => (
            <DeliveryRow key={one.id} webhookId={webhookId} one={one} />
          ))}
        </Table>
      )}
      <Pager cursor={cursor} next={log.data?.next_cursor ?? null} />
    </div>
  );
}

function DeliveryRow({ webhookId, one }: { webhookId: string; one: Delivery }) {
  return (
    <Row>
      <Cell>
        <DeliveryBadge status={one.status} />
      </Cell>
      <Cell>
        <Link
          to="/webhooks/$webhookId/deliveries/$deliveryId"
          params={{ webhookId, deliveryId: one.id }}
          className={rowLink}
        >
          {one.event}
        </Link>
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
