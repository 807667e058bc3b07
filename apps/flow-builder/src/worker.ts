// Starts the background work of the flow builder: messages, and periodic tasks. ROLE=http skips it.
import { createInbox, eraseHandovers } from '@parley/jobs';
import { startWorkerSide } from '@parley/platform';
import { raiseQuarantined } from '@parley/platform/alerts';
import { createEvery, type Lifecycle } from '@parley/server/runtime';
import { deleteExpiredAnswers } from './chat/stored-answers.ts';
import type { Deps } from './deps.ts';
import { PURGE_EVERY_MS, purgeArchived } from './flows/purge-archived.ts';
import { BUDGET_ALERT_ENDINGS } from './gateways/settings-table.ts';

const FORGET_EVERY_MS = 60_000;

export function startWorkers(deps: Deps, life: Lifecycle): void {
  const inbox = createInbox({
    ...deps,
    service: 'flow-builder',
    sealer: deps.queueSealer,
    onQuarantine: (sql, { id, organizationId, contract }) =>
      raiseQuarantined(sql, 'inbox_suspects', [{ organizationId, what: `message ${id} (${contract})` }]),
  });
  life.onStop('inbox', () => inbox.close());
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
