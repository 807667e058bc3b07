// `npm run test:browser [-- <part of a name>…]`: every apps/*/test/browser/*.ts in a real Chromium,
// three side by side, each lane with a Redis that may be flushed. Each of them says what to
// install where there is no Chromium.
import { existsSync, readdirSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { CommandError, runCommand } from '../run-command.ts';
import { runNode, withThrowaway } from '../throwaway.ts';

/** A story waits about half of its time: for the quiet of a page, and for what a server sends. */
const LANES = 3;

await runCommand((context) =>
  withThrowaway(context, 'browser', async ({ signal, startRedis }) => {
    const { root, env, args, report, print } = context;
    const files = filesIn(root).filter(
      (file) => args.length === 0 || args.some((part) => file.includes(part)),
    );
    if (files.length === 0) throw new CommandError(`No browser test is named like ${args.join(', ')}.`);
    const given = env['TEST_REDIS_URL'];
    const lanes = given ? 1 : Math.min(LANES, files.length);
    const waiting = [...files];
    const failed: string[] = [];
    const runLane = async (_: unknown, lane: number): Promise<void> => {
      const name = `redis-${lane}`;
      const TEST_REDIS_URL = given || (await report.step(`${name} started`, () => startRedis(name))).url;
      for (let file = waiting.shift(); file !== undefined; file = waiting.shift()) {
        const story = basename(file, '.ts');
        print(`${story}: ${file}`);
        const beganMs = performance.now();
        const status = await runNode(context, ['--import', 'tsx', file], { TEST_REDIS_URL }, signal, (line) =>
          print(`${story}: ${line}`),
        );
        print(`${story}: ${status === 0 ? 'passed' : 'FAILED'}, ${seconds(performance.now() - beganMs)}`);
        if (status !== 0) failed.push(file);
      }
    };
    await Promise.all(Array.from({ length: lanes }, runLane));
    print(`${files.length - failed.length} passed, ${failed.length} failed ${failed.join(' ')}`);
    return failed.length === 0 ? 0 : 1;
  }),
);

function seconds(ms: number): string {
  return `${Math.round(ms / 1000)} s`;
}

/** The longest text first: a long story at the end would run alone. */
function filesIn(root: string): string[] {
  return readdirSync(join(root, 'apps'))
    .map((app) => `apps/${app}/test/browser`)
    .filter((folder) => existsSync(join(root, folder)))
    .flatMap((folder) => readdirSync(join(root, folder)).map((file) => `${folder}/${file}`))
    .filter((file) => file.endsWith('.ts'))
    .sort((one, other) => statSync(join(root, other)).size - statSync(join(root, one)).size);
}
