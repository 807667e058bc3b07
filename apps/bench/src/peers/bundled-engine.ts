// Starts the engine alone (engine-process.ts), bundled as a service is.
import { join } from 'node:path';
import { BUNDLE_SETTINGS } from '@parley/dev/stack';
import { LOOPBACK, freePort } from '@parley/testing/servers';
import { build } from 'esbuild';
import { untilListening } from '../http-load.ts';
import { SERVER_CORE, startPinned, type PinnedProcess } from '../pinned-process.ts';
import type { Setting } from '../suites.ts';

export async function startEngine(
  { root, env }: Setting,
  pin: boolean,
): Promise<PinnedProcess & { readonly url: string }> {
  const outfile = join(root, '.parley', 'bench', 'engine-process.mjs');
  const entry = join(root, 'apps/bench/src/peers/engine-process.ts');
  await build({ ...BUNDLE_SETTINGS, absWorkingDir: root, entryPoints: [entry], outfile });
  const port = await freePort();
  const started = startPinned({
    file: outfile,
    args: [String(port)],
    core: SERVER_CORE,
    pin,
    env: { PATH: env['PATH'], NODE_ENV: 'production' },
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  const url = `http://${LOOPBACK}:${port}/`;
  await untilListening(url);
  return { ...started, url };
}
