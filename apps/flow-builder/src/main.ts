// The process of the flow builder: configuration, connections, HTTP, queue workers. Only this file
// reads process.env.
import { listen } from '@parley/server/http';
import { runService } from '@parley/server/runtime';
import { createApp } from './app.ts';
import { config } from './config.ts';
import { createDeps } from './deps.ts';
import { startWorkers } from './worker.ts';

await runService('flow-builder', config, process.env, async (starting) => {
  const deps = await createDeps(starting);
  if (deps.config.ROLE !== 'http') startWorkers(deps, starting.life);
  const server = await listen(createApp(deps), { host: deps.config.HOST, port: deps.config.PORT });
  starting.life.onStop('http', () => server.close());
  starting.log.info({ url: server.url, role: deps.config.ROLE }, 'service.ready');
});
