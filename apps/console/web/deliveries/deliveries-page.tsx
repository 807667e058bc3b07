// The deliveries of all webhooks, newest first.
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { ExportButton } from '../exports/export-button.tsx';
import { ChoiceFilter, PERIOD_OPTIONS, TimeFilter, TextFilter } from '../ui/filters.tsx';
import { Page } from '../ui/page.tsx';
import { useNowMs } from '../ui/time.tsx';
import { allDeliveriesQuery, webhooksQuery } from '../webhooks/api.ts';
import { DELIVERY_STATUSES, ERROR_CLASSES, EVENT_TYPES } from '../webhooks/catalogue.ts';
import { DeliveryList } from '../webhooks/delivery-list.tsx';
import { toDeliveryQuery } from '../filters/delivery-query.ts';

const route = getRouteApi('/shell/deliveries');

export function DeliveriesPage() {
  const search = route.useSearch();
  const nowMs = useNowMs();
  const log = useQuery({
    ...allDeliveriesQuery(toDeliveryQuery(search, nowMs)),
    placeholderData: (before) => before,
  });
  const webhooks = useQuery(webhooksQuery());
  const urls = new Map(webhooks.data?.items.map(({ id, url }) => [id, url]));
  return (
    <Page title="Deliveries" actions={<ExportButton source={{ of: 'deliveries', search }} />}>
      <DeliveryList
        list={log}
        urls={urls}
        filters={<DeliveryFilters urls={urls} />}
        empty={{
          icon: 'deliveries',
          title: 'No deliveries in the last 30 days',
          children: 'Every event that Parley sends to a webhook is listed here. Create a webhook to start.',
        }}
      />
    </Page>
  );
}

function DeliveryFilters({ urls }: { urls: ReadonlyMap<string, string> }) {
  const search = route.useSearch();
  const { conversation_id, event_id, webhook_id, http_status, error_class, status, event } = search;
  // The chosen webhook may be beyond the first page of webhooks.
  const known = webhook_id === undefined || urls.has(webhook_id) ? [] : [[webhook_id, webhook_id] as const];
  return (
    <>
      <TextFilter name="conversation_id" label="Conversation" value={conversation_id} wide />
      <TextFilter name="event_id" label="Event id" value={event_id} />
      <ChoiceFilter name="event" label="Event" value={event} options={EVENT_TYPES.map((one) => [one, one])} />
      <ChoiceFilter
        name="status"
        label="State"
        value={status}
        options={DELIVERY_STATUSES.map((one) => [one, one])}
      />
      <TextFilter name="http_status" label="HTTP status" value={http_status?.toString()} />
      <ChoiceFilter
        name="error_class"
        label="Failure"
        value={error_class}
        options={ERROR_CLASSES.map((one) => [one, one.replaceAll('_', ' ')])}
      />
      <ChoiceFilter name="webhook_id" label="Webhook" value={webhook_id} options={[...known, ...urls]} />
      <ChoiceFilter name="last" label="Created" value={search.last} options={PERIOD_OPTIONS} />
      <TimeFilter name="since" label="Created after" value={search.since} />
      <TimeFilter name="until" label="Created before" value={search.until} />
    </>
  );
}
