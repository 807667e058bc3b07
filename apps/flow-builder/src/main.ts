// The process of the flow builder: configuration, connections, HTTP, queue workers. Only this file
// reads process.env.
import { listen } from '@parley/server/http';
import { startWorkerSide } from '@parley/platform';
import { repeat, runService } from '@parley/server/runtime';
import { createApp } from './app.ts';
import { deleteExpiredAnswers } from './chat/stored-answers.ts';
import { config } from './config.ts';
import { createDeps } from './deps.ts';
import { BUDGET_ALERT_ENDINGS } from './gateways/settings-table.ts';
import { startPurge } from './flows/purge-archived.ts';

const FORGET_EVERY_MS = 60_000;

await runService('flow-builder', config, process.env, async (starting) => {
  const deps = await createDeps(starting);
  if (deps.config.ROLE !== 'http') {
    startWorkerSide(deps, 'flow-builder', starting.life, { endings: BUDGET_ALERT_ENDINGS });
    const purge = startPurge(deps);
    starting.life.onStop('purge of archived flows', () => purge.close());
    const forgetting = repeat(
      { everyMs: FORGET_EVERY_MS, firstAfterMs: FORGET_EVERY_MS, name: 'chat_answers.forget', log: deps.log },
      () => deleteExpiredAnswers(deps.sql, deps.clock()),
    );
    starting.life.onStop('forgetting of chat answers', () => forgetting.close());
  }
  const server = await listen(createApp(deps), { host: deps.config.HOST, port: deps.config.PORT });
  starting.life.onStop('http', () => server.close());
  starting.log.info({ url: server.url, role: deps.config.ROLE }, 'service.ready');
});
