// The queue side of a worker process: messages of other services, this service's own sends, the sweeper. It runs unless ROLE is
// `http`.
import { setTimeout as delay } from 'node:timers/promises';
import { raiseQuarantined } from '@parley/alerts';
import { startWorkerSide } from '@parley/platform';
import { createInbox, onJob, repeat } from '@parley/queues';
import type { Lifecycle } from '@parley/runtime';
import { tellSettled } from './callbacks/tell-settled.ts';
import { CHANNEL_QUEUES } from './channels/channels.ts';
import type { Deps } from './deps.ts';
import { forgetOldEvents } from './email/take-sendgrid-events.ts';
import { endSnoozes } from './inbox/end-snoozes.ts';
import { tendInbox } from './inbox/tend-inbox.ts';
import { acceptMessage, acceptOwnAlerts } from './notify/accept-message.ts';
import { deleteOldNotifications, deleteOldThrottles } from './notify/delete-old.ts';
import { deliveryJob } from './notify/delivery-table.ts';
import { createDeliverySender } from './notify/send-deliveries.ts';
import { tendContents } from './topics/shared-content.ts';
import { startTopicWorker, sweepTopicSends } from './topics/topic-worker.ts';
import { startPushRepeats, startPushWorker, type Every } from './push/push-worker.ts';

/** What a round has not done when the process stops comes again: nobody waits longer for a push service that hangs. */
const ROUND_ENDS_MS = 3_000;
/** One look into an index that is mostly empty. */
const CALLBACKS_EVERY_MS = 1_000;
/** Old rows go in batches of thousands; an hour's worth is one of them. */
const HOUSEKEEPING_EVERY_MS = 60 * 60_000;
/** Expired items and tickets are not shown any more; they only take room. */
const INBOX_TENDED_EVERY_MS = 60_000;

export function startWorker(deps: Deps, life: Lifecycle): void {
  const { queues, log, config } = deps;
  startWorkerSide(deps, 'notifications', life, {
    send: (sql, notices) => acceptOwnAlerts(deps, sql, notices),
  });

  const inbox = createInbox({
    ...deps,
    service: 'notifications',
    sealer: deps.queueSealer,
    onQuarantine: (sql, { id, organizationId, contract }) =>
      raiseQuarantined(sql, 'inbox_suspects', [{ organizationId, what: `message ${id} (${contract})` }]),
  });
  life.onStop('inbox', () => inbox.close());
  const messages = inbox.consume('notification.send', (sql, payload, context) =>
    acceptMessage(deps, sql, payload, context),
  );
  const deliveries = createDeliverySender(deps);
  const workers = [
    queues.worker('notification-sends', [messages]),
    ...CHANNEL_QUEUES.map((queue) =>
      queues.worker(queue, [onJob(deliveryJob(queue), ({ id }, { signal }) => deliveries.take(id, signal))]),
    ),
  ];
  const stopPush = startPushWorker(deps);
  const stopTopics = startTopicWorker(deps);
  const stopDeliveries = async () => {
    await Promise.all(workers.map((worker) => worker.close()));
    await deliveries.close();
  };
  // At once, and before the inbox: each may have work in hand, and the process has 25 s in all.
  life.onStop('workers', () => Promise.all([stopDeliveries(), stopPush(), stopTopics()]));

  const every: Every = (name, everyMs, round) => {
    const repeating = repeat({ everyMs, firstAfterMs: everyMs, name, log }, round);
    life.onStop(name, () =>
      Promise.race([repeating.close(), delay(ROUND_ENDS_MS, undefined, { ref: false })]),
    );
  };
  startPushRepeats(deps, life, every);
  every('deliveries.sweep', config.DELIVERY_SWEEP_MS, () => deliveries.sweep());
  every('topics.sweep', config.DELIVERY_SWEEP_MS, () => sweepTopicSends(deps));
  every('callbacks.tell', CALLBACKS_EVERY_MS, () => tellSettled(deps));
  every('notifications.housekeeping', HOUSEKEEPING_EVERY_MS, () =>
    Promise.all([
      deleteOldNotifications(deps.sql, deps.clock(), config.NOTIFICATIONS_KEPT_DAYS),
      deleteOldThrottles(deps.sql, deps.clock()),
      tendContents(deps.sql, deps.clock(), Math.max(config.NOTIFICATIONS_KEPT_DAYS, config.INBOX_KEPT_DAYS)),
    ]),
  );
  every('inbox.housekeeping', INBOX_TENDED_EVERY_MS, () =>
    Promise.all([tendInbox(deps, config.INBOX_KEPT_DAYS), endSnoozes(deps), forgetOldEvents(deps)]),
  );
}
