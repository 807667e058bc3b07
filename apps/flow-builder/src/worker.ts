// Starts the background work of the flow builder: messages, and periodic tasks. ROLE=http skips it.
import { eraseHandovers } from '@parley/jobs';
import { startInbox, startWorkerSide } from '@parley/platform';
import { createEvery, type Lifecycle } from '@parley/server/runtime';
import { deleteExpiredAnswers } from './chat/stored-answers.ts';
import type { Deps } from './deps.ts';
import { PURGE_EVERY_MS, purgeArchived } from './flows/purge-archived.ts';
import { BUDGET_ALERT_ENDINGS } from './gateways/settings-table.ts';

const FORGET_EVERY_MS = 60_000;

export function startWorkers(deps: Deps, life: Lifecycle): void {
  const inbox = startInbox(deps, 'flow-builder', life);
  const erasing = inbox.consume('conversation.erased', (sql, payload, { organizationId }) =>
    eraseHandovers(sql, organizationId, payload.conversation_ids),
  );
  startWorkerSide(deps, 'flow-builder', life, {
    endings: BUDGET_ALERT_ENDINGS,
    routes: [erasing],
  });
  const every = createEvery(life, deps.log);
  every('flows.purge', PURGE_EVERY_MS, () => purgeArchived(deps));
  every('chat_answers.forget', FORGET_EVERY_MS, () => deleteExpiredAnswers(deps.sql, deps.clock()));
}
