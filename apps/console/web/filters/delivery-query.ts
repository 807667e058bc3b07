// Turns the URL parameters of the delivery list into a query of the voice API. Pure.
import { getPeriodStart } from '../ui/filters.tsx';
import type { AllDeliveriesQuery } from '../webhooks/api.ts';
import type { DeliveriesSearch } from './delivery-search.ts';

export function toDeliveryQuery(
  { last, since, ...same }: DeliveriesSearch,
  nowMs: number,
): AllDeliveriesQuery {
  return { ...same, since: last ? getPeriodStart(last, nowMs) : since };
}
