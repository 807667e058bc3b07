// The worker side of topics: their queue and their sweeper.
import { raiseQuarantined } from '@parley/platform/alerts';
import type { Sql } from '@parley/server/postgres';
import { onJob, type WorkRow } from '@parley/jobs';
import type { Deps } from '../deps.ts';
import { createTopicSender } from './send-topic.ts';
import { topicJob, topicTable } from './topic-table.ts';

/** Returns the function that stops it. */
export function startTopicWorker(deps: Deps): () => Promise<void> {
  const sender = createTopicSender(deps);
  const route = onJob(topicJob, ({ id }, { signal }) => sender.accept([id], signal));
  const worker = deps.queues.worker(topicJob.queue, [route]);
  return async () => {
    await worker.close();
    await sender.close();
  };
}

/** Re-enqueues due sends that no worker claimed, and quarantines those that workers died with. */
export async function sweepTopicSends(deps: Deps): Promise<void> {
  const onQuarantine = (sql: Sql, rows: readonly WorkRow[]) => alertOperators(deps, sql, rows);
  await topicTable(deps, { onQuarantine }).sweep();
}

async function alertOperators(deps: Deps, sql: Sql, rows: readonly WorkRow[]): Promise<void> {
  const sends = await sql<{ id: string; organization_id: string; topic_id: string }>(
    'SELECT id, organization_id, topic_id FROM topic_sends WHERE id = ANY($1::text[])',
    [rows.map(({ id }) => id)],
  );
  const named = sends.map(({ id, organization_id: organizationId, topic_id: topicId }) => {
    deps.log.error({ notification_id: id, organization_id: organizationId }, 'topic.quarantined');
    return { organizationId, what: `notification ${id} to the topic "${topicId}"` };
  });
  await raiseQuarantined(sql, 'topic_sends', named);
}
