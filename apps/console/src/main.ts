// Entry point of the console. The only reader of process.env.
import { join } from 'node:path';
import { listen } from '@parley/server/http';
import { runService, shippedPath } from '@parley/server/runtime';
import { createApp } from './app.ts';
import { config } from './config.ts';
import { createDeps } from './deps.ts';

/** Folder of the build when the server runs from source. */
const page = shippedPath('web', () => join(import.meta.dirname, '../../../dist/apps/console/web'));

await runService('console', config, process.env, async (starting) => {
  const deps = await createDeps(starting, page);
  starting.life.onStop('sessions', () => deps.sessions.close());
  const { app, close } = createApp(deps);
  const server = await listen(app, { host: deps.config.HOST, port: deps.config.PORT });
  starting.life.onStop('http', () => {
    const closed = server.close();
    close();
    return closed;
  });
  starting.log.info({ url: server.url }, 'service.ready');
});
