// Starts the background work of voice-api: queue workers and periodic tasks. Nothing else starts
// queue workers; ROLE=http skips it.
import { raiseQuarantined } from '@parley/platform/alerts';
import { startWorkerSide } from '@parley/platform';
import { createInbox, onJob } from '@parley/jobs';
import { repeat, type Lifecycle } from '@parley/server/runtime';
import { startAnalyticsTasks } from './analytics/background-tasks.ts';
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
  for (const repeating of startAnalyticsTasks(deps)) life.onStop('analytics', () => repeating.close());

  const inbox = createInbox({
    ...deps,
    service: 'voice-api',
    sealer: deps.queueSealer,
    onQuarantine: (sql, { id, organizationId, contract }) =>
      raiseQuarantined(sql, 'inbox_suspects', [{ organizationId, what: `message ${id} (${contract})` }]),
  });
  life.onStop('inbox', () => inbox.close());
  const sender = createDeliverySender(deps);
  life.onStop('deliveries in hand', () => sender.close());
  const deliveries = deps.queues.worker('webhook-deliveries', [
    onJob(attemptJob, ({ batches }, { signal }) => sender.accept(batches, signal)),
    inbox.consume('webhook.deliver', (sql, payload, context) => acceptOneOff(deps, sql, payload, context)),
  ]);
  life.onStop('delivery jobs', () => deliveries.close());
  for (const repeating of startDeliveryTasks(deps)) life.onStop('webhooks', () => repeating.close());

  const events = deps.queues.worker('conversation-events', [
    inbox.consumeGathered('conversation.event', (sql, messages) => acceptMessages(deps, sql, messages)),
  ]);
  life.onStop('conversation events', () => events.close());
  const { log } = deps;
  const settling = repeat(
    { everyMs: SETTLE_EVERY_MS, firstAfterMs: SETTLE_EVERY_MS, name: 'conversations.settle', log },
    () => settleDue(deps),
  );
  life.onStop('settling', () => settling.close());
  const suspects = repeat(
    { everyMs: SUSPECTS_EVERY_MS, firstAfterMs: SUSPECTS_EVERY_MS, name: 'conversations.suspects', log },
    () => settleSuspects(deps),
  );
  life.onStop('settling alone', () => suspects.close());
  const searchable = repeat(
    { everyMs: DOCUMENTS_EVERY_MS, firstAfterMs: DOCUMENTS_EVERY_MS, name: 'conversations.search', log },
    () => buildDocuments(deps),
  );
  life.onStop('search documents', () => searchable.close());
  const removing = repeat(
    { everyMs: RETENTION_EVERY_MS, firstAfterMs: RETENTION_EVERY_MS, name: 'retention.sweep', log },
    () => sweepRetention(deps),
  );
  life.onStop('retention', () => removing.close());
  startCopying(deps, life);
  const purging = repeat(
    { everyMs: PURGE_EVERY_MS, firstAfterMs: PURGE_EVERY_MS, name: 'bots.purge', log },
    () => resumePurges(deps),
  );
  life.onStop('purging', () => purging.close());
  const exporting = repeat(
    { everyMs: EXPORTS_EVERY_MS, firstAfterMs: EXPORTS_EVERY_MS, name: 'exports', log },
    () => runExports(deps),
  );
  life.onStop('exports', () => exporting.close());
}

/** Each slot is a task of its own, so that a long file delays no other. */
function startCopying(deps: Deps, life: Lifecycle): void {
  const copier = createRecordingCopier(deps);
  const slots = Array.from({ length: COPY_SLOTS }, () =>
    repeat(
      {
        everyMs: COPIES_EVERY_MS,
        firstAfterMs: COPIES_EVERY_MS,
        name: 'recordings.copy',
        log: deps.log,
      },
      () => copier.work(),
    ),
  );
  life.onStop('copies of recordings', async () => {
    copier.close();
    await Promise.all(slots.map((slot) => slot.close()));
  });
}
