// The delivery log of a webhook, newest first.
import { getRouteApi } from '@tanstack/react-router';
import { useQuery } from '@tanstack/react-query';
import { getPeriodStart, ChoiceFilter, Filters, PERIOD_OPTIONS } from '../ui/filters.tsx';
import { Empty, Loading, Problem } from '../ui/page.tsx';
import { Pager } from '../ui/pager.tsx';
import { useNowMs } from '../ui/time.tsx';
import { deliveriesQuery } from './api.ts';
import { DELIVERY_STATUSES, EVENT_TYPES } from './catalogue.ts';
import { DeliveryTable } from './delivery-table.tsx';

const route = getRouteApi('/shell/webhooks/$webhookId');

export function Deliveries({ webhookId }: { webhookId: string }) {
  const { status, event, last, cursor } = route.useSearch();
  const nowMs = useNowMs();
  const log = useQuery({
    ...deliveriesQuery(webhookId, {
      ...(status ? { status } : {}),
      ...(event ? { event } : {}),
      ...(last ? { since: getPeriodStart(last, nowMs) } : {}),
      ...(cursor ? { cursor } : {}),
    }),
    placeholderData: (before) => before,
  });
  const filtered = Boolean(status ?? event ?? last ?? cursor);
  return (
    <div className="flex flex-col gap-3">
      <Filters>
        <ChoiceFilter
          name="status"
          label="State"
          value={status}
          options={DELIVERY_STATUSES.map((one) => [one, one])}
        />
        <ChoiceFilter
          name="event"
          label="Event"
          value={event}
          options={EVENT_TYPES.map((one) => [one, one])}
        />
        <ChoiceFilter name="last" label="Created" value={last} options={PERIOD_OPTIONS} />
      </Filters>
      {log.isPending && <Loading subject="deliveries" />}
      {log.error && <Problem error={log.error} onRetry={() => void log.refetch()} />}
      {log.data?.items.length === 0 && (
        <Empty icon="deliveries" title={filtered ? 'No matching deliveries' : 'No deliveries yet'}>
          {filtered
            ? 'Change or clear the filters to see more.'
            : 'Send a test event to see how your server responds.'}
        </Empty>
      )}
      {log.data && log.data.items.length > 0 && <DeliveryTable deliveries={log.data.items} />}
      <Pager cursor={cursor} next={log.data?.next_cursor ?? null} />
    </div>
  );
}
