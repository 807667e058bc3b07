// The delivery log of a webhook, newest first.
import { getRouteApi } from '@tanstack/react-router';
import { useQuery } from '@tanstack/react-query';
import { getPeriodStart, ChoiceFilter, PERIOD_OPTIONS } from '../ui/filters.tsx';
import { useNowMs } from '../ui/time.tsx';
import { deliveriesQuery } from './api.ts';
import { DELIVERY_STATUSES, EVENT_TYPES } from './catalogue.ts';
import { DeliveryList } from './delivery-list.tsx';

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
  return (
    <DeliveryList
      list={log}
      filters={
        <>
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
        </>
      }
      empty={{
        icon: 'deliveries',
        title: 'No deliveries yet',
        children: 'Send a test event to see how your server responds.',
      }}
    />
  );
}
