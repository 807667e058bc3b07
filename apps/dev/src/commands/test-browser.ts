// `npm run test:browser [-- <part of a name>…]`: every apps/*/test/browser/*.ts in a real Chromium,
// one after the other, with a Redis that may be flushed. Each of them says what to install where
// there is no Chromium.
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { CommandError, runCommand } from '../run-command.ts';
import { runNode, withThrowaway } from '../throwaway.ts';

await runCommand((context) =>
  withThrowaway(context, 'browser', async ({ signal, startRedis }) => {
    const { root, env, args, report, print } = context;
    const files = filesIn(root).filter(
      (file) => args.length === 0 || args.some((part) => file.includes(part)),
    );
    if (files.length === 0) throw new CommandError(`No browser test is named like ${args.join(', ')}.`);
    const TEST_REDIS_URL =
      env['TEST_REDIS_URL'] || (await report.step('Redis started', () => startRedis())).url;
    const failed: string[] = [];
    for (const file of files) {
      print(file);
      const status = await runNode(context, ['--import', 'tsx', file], { TEST_REDIS_URL }, signal);
      if (status !== 0) failed.push(file);
    }
    print(`${files.length - failed.length} passed, ${failed.length} failed`);
    return failed.length === 0 ? 0 : 1;
  }),
);

function filesIn(root: string): string[] {
  return readdirSync(join(root, 'apps'))
    .map((app) => `apps/${app}/test/browser`)
    .filter((folder) => existsSync(join(root, folder)))
    .flatMap((folder) => readdirSync(join(root, folder)).map((file) => `${folder}/${file}`))
    .filter((file) => file.endsWith('.ts'))
    .sort();
}
