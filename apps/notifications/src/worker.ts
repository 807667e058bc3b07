// The queue side of a worker process: messages of other services, this service's own sends, the sweeper. It runs unless ROLE is
// `http`.
import { startWorkerSide } from '@parley/platform';
import { createInbox, onJob, repeat, type Route } from '@parley/queues';
import type { Lifecycle } from '@parley/runtime';
import type { ChannelQueue } from './channels/channel.ts';
import type { Deps } from './deps.ts';
import { forgetOldEvents } from './email/take-sendgrid-events.ts';
import { tendInbox } from './inbox/tend-inbox.ts';
import { acceptMessage } from './notify/accept-message.ts';
import { deliverChannel } from './notify/deliver-channel.ts';
import { deleteOldNotifications } from './notify/delete-old.ts';
import { deliveryJob } from './notify/ring-deliveries.ts';
import { sweepDeliveries } from './notify/sweep-deliveries.ts';
import { startPushRepeats, startPushWorkers } from './push/push-worker.ts';

/** Deliveries at once in a process, by queue. Each waits for a provider most of its time, and holds no connection then. */
const CONCURRENCY: Readonly<Record<ChannelQueue, number>> = {
  'chat-sends': 20,
  'email-jobs': 20,
  'webhook-sends': 20,
  'push-sends': 8,
};
/** A message is one transaction of a few statements; more of them would take the pool from the deliveries. */
const MESSAGES_AT_ONCE = 4;
/** Old rows go in batches of thousands; an hour's worth is one of them. */
const HOUSEKEEPING_EVERY_MS = 60 * 60_000;
/** Expired items and tickets are not shown any more; they only take room. */
const INBOX_TENDED_EVERY_MS = 60_000;

/** Every kind of job that a queue carries: a worker gets whatever comes next. */
function routesOf(deps: Deps, queue: ChannelQueue): Route[] {
  return [onJob(deliveryJob(queue), ({ id }, { signal }) => deliverChannel(deps, id, signal))];
}

export function startWorker(deps: Deps, life: Lifecycle): void {
  const { queues, log, config } = deps;
  startWorkerSide(deps, 'notifications', life);

  const inbox = createInbox({ ...deps, service: 'notifications', sealer: deps.queueSealer });
  life.onStop('inbox', () => inbox.close());
  const messages = inbox.consume('notification.send', (sql, payload, context) =>
    acceptMessage(deps, sql, payload, context),
  );
  const workers = [
    queues.worker('notification-sends', [messages], { concurrency: MESSAGES_AT_ONCE }),
    ...(Object.keys(CONCURRENCY) as ChannelQueue[]).map((queue) =>
      queues.worker(queue, routesOf(deps, queue), { concurrency: CONCURRENCY[queue] }),
    ),
    ...startPushWorkers(deps),
  ];
  // All at once, and before the inbox: each may have a job in hand, and the process has 25 s in all.
  life.onStop('workers', () => Promise.all(workers.map((worker) => worker.close())));

  startPushRepeats(deps, life);
  const everyMs = config.DELIVERY_SWEEP_MS;
  const sweeper = repeat({ everyMs, firstAfterMs: everyMs, name: 'deliveries.sweep', log }, () =>
    sweepDeliveries(deps),
  );
  life.onStop('delivery sweeper', () => sweeper.close());
  const housekeeping = repeat(
    {
      everyMs: HOUSEKEEPING_EVERY_MS,
      firstAfterMs: HOUSEKEEPING_EVERY_MS,
      name: 'notifications.housekeeping',
      log,
    },
    () => deleteOldNotifications(deps.sql, deps.clock(), config.NOTIFICATIONS_KEPT_DAYS),
  );
  life.onStop('notification housekeeping', () => housekeeping.close());
  const inboxTending = repeat(
    { everyMs: INBOX_TENDED_EVERY_MS, firstAfterMs: INBOX_TENDED_EVERY_MS, name: 'inbox.housekeeping', log },
    () => Promise.all([tendInbox(deps, config.INBOX_KEPT_DAYS), forgetOldEvents(deps)]),
  );
  life.onStop('inbox housekeeping', () => inboxTending.close());
}
