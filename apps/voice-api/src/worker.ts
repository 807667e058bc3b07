// Starts the background work of voice-api: queue workers and periodic tasks. Nothing else starts
// queue workers; ROLE=http skips it.
import { startInbox, startWorkerSide } from '@parley/platform';
import { onJob } from '@parley/jobs';
import { createEvery, repeat, type Lifecycle } from '@parley/server/runtime';
import { startFolding } from './analytics/background-tasks.ts';
import { PURGE_EVERY_MS, resumePurges } from './bots/purge-bot.ts';
import { SETTLE_EVERY_MS, settleDue, settleSuspects, SUSPECTS_EVERY_MS } from './conversations/settle-due.ts';
import { RETENTION_EVERY_MS, sweepRetention } from './conversations/changes/sweep-retention.ts';
import { buildDocuments, DOCUMENTS_EVERY_MS } from './conversations/search-documents.ts';
import { acceptMessages } from './conversations/accept-events.ts';
import type { Deps } from './deps.ts';
import { acceptOneOff } from './deliveries/accept-one-off.ts';
import { attemptJob } from './deliveries/delivery-batches.ts';
import { createDeliverySender } from './deliveries/send-deliveries.ts';
import { startDeliveryTasks } from './deliveries/sweep-deliveries.ts';
import { COPIES_EVERY_MS, COPY_SLOTS, createRecordingCopier } from './recordings/copy-recordings.ts';
import { EXPORTS_EVERY_MS, runExports } from './exports/run-exports.ts';
import { createJournal } from './conversations/changes/replay-journal.ts';
import { ALERT_ENDINGS } from './webhooks/disable-webhooks.ts';

export function startWorkers(deps: Deps, life: Lifecycle): void {
  startWorkerSide(deps, 'voice-api', life, { endings: ALERT_ENDINGS, journal: createJournal(deps) });
  startFolding(deps, life);

  const inbox = startInbox(deps, 'voice-api', life);
  const sender = createDeliverySender(deps);
  life.onStop('deliveries in hand', () => sender.close());
  const deliveries = deps.queues.worker('webhook-deliveries', [
    onJob(attemptJob, ({ batches }, { signal }) => sender.accept(batches, signal)),
    inbox.consume('webhook.deliver', (sql, payload, context) => acceptOneOff(deps, sql, payload, context)),
  ]);
  life.onStop('delivery jobs', () => deliveries.close());

  const events = deps.queues.worker('conversation-events', [
    inbox.consumeGathered('conversation.event', (sql, messages) => acceptMessages(deps, sql, messages)),
  ]);
  life.onStop('conversation events', () => events.close());
  const every = createEvery(life, deps.log);
  startDeliveryTasks(deps, every);
  every('conversations.settle', SETTLE_EVERY_MS, () => settleDue(deps));
  every('conversations.suspects', SUSPECTS_EVERY_MS, () => settleSuspects(deps));
  every('conversations.search', DOCUMENTS_EVERY_MS, () => buildDocuments(deps));
  every('retention.sweep', RETENTION_EVERY_MS, () => sweepRetention(deps));
  startCopying(deps, life);
  every('bots.purge', PURGE_EVERY_MS, () => resumePurges(deps));
  every('exports', EXPORTS_EVERY_MS, () => runExports(deps));
}

/** Each slot is a task of its own, so that a long file delays no other. */
function startCopying(deps: Deps, life: Lifecycle): void {
  const copier = createRecordingCopier(deps);
  const slots = Array.from({ length: COPY_SLOTS }, () =>
    repeat({ everyMs: COPIES_EVERY_MS, name: 'recordings.copy', log: deps.log }, () => copier.work()),
  );
  life.onStop('copies of recordings', async () => {
    copier.close();
    await Promise.all(slots.map((slot) => slot.close()));
  });
}
