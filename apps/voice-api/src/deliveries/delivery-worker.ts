// What the queue `webhook-deliveries` carries, and how it is worked off. Called by worker.ts.
import { onJob, type Inbox, type Route } from '@parley/queues';
import type { Deps } from '../deps.ts';
import { acceptOneOff } from './accept-one-off.ts';
import { attemptJob } from './delivery-bell.ts';
import type { DeliverySender } from './send-deliveries.ts';

export { createDeliverySender } from './send-deliveries.ts';
export { webhookRepeats } from './sweep-deliveries.ts';

/** Jobs claim and hand over: more at once would only wait for the same connections. */
export const DELIVERY_JOBS_AT_ONCE = 6;

export function webhookRoutes(deps: Deps, inbox: Inbox, sender: DeliverySender): Route[] {
  return [
    onJob(attemptJob, ({ batches }, { signal }) => sender.take(batches, signal)),
    inbox.consume('webhook.deliver', (sql, payload, context) => acceptOneOff(deps, sql, payload, context)),
  ];
}
