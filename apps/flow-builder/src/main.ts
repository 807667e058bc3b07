// The process of flow-builder: configuration, connections, HTTP, queue workers. The only reader of process.env.
import { listen } from '@parley/http';
import { startWorkerSide } from '@parley/platform';
import { runService } from '@parley/runtime';
import { createApp } from './app.ts';
import { config } from './config.ts';
import { createDeps } from './deps.ts';
import { startPurge } from './flows/purge-archived.ts';

await runService('flow-builder', config, process.env, async (starting) => {
  const deps = await createDeps(starting);
  if (deps.config.ROLE !== 'http') {
    startWorkerSide(deps, 'flow-builder', starting.life);
    const purge = startPurge(deps);
    starting.life.onStop('purge of archived flows', () => purge.close());
  }
  const server = await listen(createApp(deps), { host: deps.config.HOST, port: deps.config.PORT });
  starting.life.onStop('http', () => server.close());
  starting.log.info({ url: server.url, role: deps.config.ROLE }, 'service.ready');
});
