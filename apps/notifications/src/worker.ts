// Starts the workers of a process: messages of other services, deliveries, fan-outs and sweepers.
// Runs unless ROLE is `http`.
import { startInbox, startWorkerSide } from '@parley/platform';
import { onJob } from '@parley/jobs';
import { createEvery, type Lifecycle } from '@parley/server/runtime';
import { sendCallbacks } from './callbacks/send-callbacks.ts';
import { CHANNEL_QUEUES } from './channels/channels.ts';
import type { Deps } from './deps.ts';
import { deleteOldEvents } from './channels/email/events/accept-mail-events.ts';
import { watchReputation } from './channels/email/watch-reputation.ts';
import { endSnoozes } from './inbox/end-snoozes.ts';
import { cleanInbox } from './inbox/clean-inbox.ts';
import { acceptMessage, acceptOwnAlerts } from './accept/accept-message.ts';
import { deleteOldNotifications, deleteOldThrottles } from './housekeeping.ts';
import { deliveryJob } from './deliver/delivery-table.ts';
import { createDeliverySender } from './deliver/send-deliveries.ts';
import { watchWaiting } from './deliver/watch-waiting.ts';
import { cleanContents } from './deliver/shared-content.ts';
import { erasePerson } from './recipients/erase-person.ts';
import { createJournal } from './recipients/replay-journal.ts';
import { sendOccurrences } from './recurring/send-occurrences.ts';
import { startTopicWorker, sweepTopicSends } from './topic-sends/topic-worker.ts';
import { startPushRepeats, startPushWorker } from './channels/web-push/push-worker.ts';

/** Shutdown waits this long for a round. The next process repeats the rest. */
const ROUND_STOP_MS = 3_000;
/** Each round reads an index that is mostly empty. */
const CALLBACKS_EVERY_MS = 1_000;
const RECURRING_EVERY_MS = 1_000;
/** Deletes run in batches of thousands; one round covers an hour of rows. */
const HOUSEKEEPING_EVERY_MS = 60 * 60_000;
/** Reads already skip expired items and tickets, so late deletion costs only space. */
const INBOX_HOUSEKEEPING_EVERY_MS = 60_000;

/** A third of the time after which the alert resolves. */
const REPUTATION_EVERY_MS = 5 * 60_000;

export function startWorker(deps: Deps, life: Lifecycle): void {
  const { queues, log, config } = deps;
  startWorkerSide(deps, 'notifications', life, {
    send: (sql, alerts) => acceptOwnAlerts(deps, sql, alerts),
    journal: createJournal(deps),
  });

  const inbox = startInbox(deps, 'notifications', life);
  const messages = inbox.consume('notification.send', (sql, payload, context) =>
    acceptMessage(deps, sql, payload, context),
  );
  const erasing = inbox.consume('person.erased', (sql, payload, { organizationId }) =>
    erasePerson(deps, sql, organizationId, payload),
  );
  const deliveries = createDeliverySender(deps);
  watchWaiting(deps);
  const workers = [
    queues.worker('notification-sends', [messages, erasing]),
    ...CHANNEL_QUEUES.map((queue) =>
      queues.worker(queue, [
        onJob(deliveryJob(queue), ({ id }, { signal }) => deliveries.accept(id, signal)),
      ]),
    ),
  ];
  const stopPush = startPushWorker(deps);
  const stopTopics = startTopicWorker(deps);
  const stopDeliveries = async () => {
    await Promise.all(workers.map((worker) => worker.close()));
    await deliveries.close();
  };
  // Together and before the inbox: each may have work in flight, and shutdown has 25 s.
  life.onStop('workers', () => Promise.all([stopDeliveries(), stopPush(), stopTopics()]));

  const every = createEvery(life, log, ROUND_STOP_MS);
  startPushRepeats(deps, life, every);
  every('deliveries.sweep', deps.sweepMs, () => deliveries.sweep());
  every('topics.sweep', deps.sweepMs, () => sweepTopicSends(deps));
  every('recurring.send', RECURRING_EVERY_MS, () => sendOccurrences(deps));
  every('callbacks.tell', CALLBACKS_EVERY_MS, () => sendCallbacks(deps));
  every('notifications.housekeeping', HOUSEKEEPING_EVERY_MS, () =>
    Promise.all([
      deleteOldNotifications(deps.sql, deps.clock(), config.RETENTION_DAYS),
      deleteOldThrottles(deps.sql, deps.clock()),
      cleanContents(deps.sql, deps.clock(), Math.max(config.RETENTION_DAYS, config.INBOX_RETENTION_DAYS)),
    ]),
  );
  every('mail.reputation', REPUTATION_EVERY_MS, () => watchReputation(deps));
  every('inbox.housekeeping', INBOX_HOUSEKEEPING_EVERY_MS, () =>
    Promise.all([cleanInbox(deps, config.INBOX_RETENTION_DAYS), endSnoozes(deps), deleteOldEvents(deps)]),
  );
}
