// The URL parameters of the delivery list.
import { z } from 'zod';
import { listSearch, text } from '../lists/list-search.ts';
import { PERIODS } from '../ui/filters.tsx';
import { DELIVERY_STATUSES, ERROR_CLASSES, EVENT_TYPES } from '../webhooks/catalogue.ts';

export const deliveriesSearch = z.object({
  conversation_id: text,
  event_id: text,
  webhook_id: text,
  event: z.enum(EVENT_TYPES).optional().catch(undefined),
  status: z.enum(DELIVERY_STATUSES).optional().catch(undefined),
  /** The response of any attempt. */
  http_status: z.coerce.number().int().min(100).max(599).optional().catch(undefined),
  /** The failure of any attempt. */
  error_class: z.enum(ERROR_CLASSES).optional().catch(undefined),
  last: z.enum(PERIODS).optional().catch(undefined),
  since: text,
  until: text,
  ...listSearch,
});
export type DeliveriesSearch = z.output<typeof deliveriesSearch>;
