// What the queue `webhook-deliveries` carries, and how it is worked off.
import { onJob, type Inbox, type Route } from '@parley/queues';
import type { Deps } from '../deps.ts';
import { acceptOneOff } from './accept-one-off.ts';
import { attemptJob } from './delivery-batches.ts';
import type { DeliverySender } from './send-deliveries.ts';

export function deliveryRoutes(deps: Deps, inbox: Inbox, sender: DeliverySender): Route[] {
  return [
    onJob(attemptJob, ({ batches }, { signal }) => sender.take(batches, signal)),
    inbox.consume('webhook.deliver', (sql, payload, context) => acceptOneOff(deps, sql, payload, context)),
  ];
}
