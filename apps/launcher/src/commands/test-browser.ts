// `npm run test:browser [-- <part of a name>…]`: every apps/*/test/browser/*.ts in a real Chromium, one after the other, with a Redis that
// may be flushed. Each of them says what to install where there is no Chromium.
import { spawn } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import {
  debianRedis,
  findRedisOnPath,
  lockFolder,
  openLedger,
  removeAbandonedHomes,
  removeHome,
  startRedis,
} from '@parley/local-stack';
import { CommandError, runCommand } from '../run-command.ts';

const PREFIX = 'browser-';

await runCommand(async ({ root, env, args, report, print }) => {
  const files = filesIn(root).filter((file) => args.length === 0 || args.some((part) => file.includes(part)));
  if (files.length === 0) throw new CommandError(`No browser test is named like ${args.join(', ')}.`);
  const tools = join(root, '.parley');
  await removeAbandonedHomes(tools, PREFIX);
  const home = join(tools, `${PREFIX}${process.pid}`);
  const unlock = lockFolder(join(home, 'stack.lock'));
  const ledger = openLedger(join(home, 'processes.json'));
  process.once('SIGINT', () => (ledger.killNow(), process.exit(1)));
  try {
    const redisUrl = env['TEST_REDIS_URL'] || (await report.step('Redis started', startOwnRedis));
    const failed: string[] = [];
    for (const file of files) {
      print(file);
      const child = spawn(process.execPath, ['--import', 'tsx', join(root, file)], {
        cwd: root,
        env: { ...env, TEST_REDIS_URL: redisUrl },
        stdio: 'inherit',
      });
      const status = await new Promise((resolve) => child.once('close', resolve));
      if (status !== 0) failed.push(file);
    }
    print(`${files.length - failed.length} passed, ${failed.length} failed`);
    return failed.length === 0 ? 0 : 1;
  } finally {
    await removeHome(home);
    unlock();
  }

  async function startOwnRedis(): Promise<string> {
    const path = findRedisOnPath(env['PATH'] ?? '');
    const program = path === undefined ? await debianRedis(tools, report) : { path };
    return (await startRedis({ program, home, ledger, throwaway: true })).url;
  }
});

function filesIn(root: string): string[] {
  return readdirSync(join(root, 'apps'))
    .map((app) => `apps/${app}/test/browser`)
    .filter((folder) => existsSync(join(root, folder)))
    .flatMap((folder) => readdirSync(join(root, folder)).map((file) => `${folder}/${file}`))
    .filter((file) => file.endsWith('.ts'))
    .sort();
}
