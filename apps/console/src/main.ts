// The process of the console. The only reader of process.env.
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { listen } from '@parley/http';
import { runService } from '@parley/runtime';
import { createApp } from './app.ts';
import { config } from './config.ts';
import { createDeps } from './deps.ts';

/** Beside the bundle; run from source, where the build puts it. */
const [bundled = '', built = ''] = ['./web', '../../../dist/apps/console/web'].map((path) =>
  fileURLToPath(new URL(path, import.meta.url)),
);

await runService('console', config, process.env, async (starting) => {
  const deps = await createDeps(starting, existsSync(bundled) ? bundled : built);
  const { app, close } = createApp(deps);
  const server = await listen(app, { host: deps.config.HOST, port: deps.config.PORT });
  starting.life.onStop('http', () => {
    const closed = server.close();
    close();
    return closed;
  });
  starting.log.info({ url: server.url }, 'service.ready');
});
