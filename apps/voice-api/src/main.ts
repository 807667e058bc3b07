// The process of voice-api: configuration, connections, HTTP server, queue workers. Only this file
// reads process.env.
import { listen } from '@parley/server/http';
import { runService } from '@parley/server/runtime';
import { createApp } from './app.ts';
import { config } from './config.ts';
import { createDeps } from './deps.ts';
import { startWorkers } from './worker.ts';

await runService('voice-api', config, process.env, async (starting) => {
  const deps = await createDeps(starting);
  if (deps.config.ROLE !== 'http') startWorkers(deps, starting.life);
  const server = await listen(createApp(deps), { host: deps.config.HOST, port: deps.config.PORT });
  starting.life.onStop('http', () => server.close());
  // Stops before HTTP, which would otherwise wait for long polls.
  starting.life.onStop('feed waits', () => deps.feedWaits.close());
  starting.log.info({ url: server.url, role: deps.config.ROLE }, 'service.ready');
});
