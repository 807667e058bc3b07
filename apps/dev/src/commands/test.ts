// `npm test`: throw-away servers and migrated templates, then the tests of every project through
// Nx, which leaves out what did not change. With jest's arguments, `npm test -- flows.int`: only
// those tests, in one run of jest (docs/platform.md#tests).
import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { bundleApps, generateClients, generateLanguages, generateSdkTypes } from '../stack/index.ts';
import { SERVICES, ensureTemplate } from '@parley/testing';
import { closeRun } from '../closing-line.ts';
import { needsBundles } from '../jest-summary.ts';
import { runCommand } from '../run-command.ts';
import type { CommandContext } from '../run-command.ts';
import { runNode, withThrowaway } from '../throwaway.ts';
import type { Throwaway } from '../throwaway.ts';

await runCommand((context) =>
  withThrowaway(context, 'test', async (throwaway) => {
    const { args } = context;
    const { home, signal } = throwaway;
    const servers = await startServers(context, throwaway);
    signal.throwIfAborted();
    // What the tests leave behind is removed with the run, also when it is killed: files, and the
    // servers of their stacks.
    const temporary = join(home, 'tmp');
    mkdirSync(temporary);
    const env = { ...servers, NODE_ENV: 'test', TMPDIR: temporary };

    if (args.some((arg) => arg.startsWith('--outputFile=')))
      return (await runNode(context, ['apps/dev/jest.mjs', ...args], env, signal)) ?? 1; // Nx: one project, and it wants the results
    const { files, status } =
      args.length === 0
        ? await testEverything(context, env, signal)
        : await testSome(context, env, join(home, 'jest.json'), signal);
    return closeRun(context, files, status);
  }),
);

/**
 * Servers for this run only, or the ones that TEST_POSTGRES_URL and TEST_REDIS_URL name. REDIS_URL
 * is not taken on purpose: tests flush the Redis that they are given.
 */
async function startServers({ env, report }: CommandContext, throwaway: Throwaway) {
  return report.step('Postgres and Redis started, databases migrated', async () => {
    const TEST_REDIS_URL = env['TEST_REDIS_URL'] || (await throwaway.startRedis()).url;
    const TEST_POSTGRES_URL = env['TEST_POSTGRES_URL'] || (await throwaway.startPostgres()).url;
    for (const service of SERVICES) await ensureTemplate(TEST_POSTGRES_URL, service);
    return { TEST_POSTGRES_URL, TEST_REDIS_URL };
  });
}

type Environment = Readonly<Record<string, string>>;

async function testEverything(context: CommandContext, env: Environment, signal: AbortSignal) {
  const results = join(context.root, 'dist', 'test');
  rmSync(results, { recursive: true, force: true }); // Nx puts back those of tests that it leaves out
  mkdirSync(results, { recursive: true });
  // Nx asks tasks for colours, also where nobody sees them.
  const colours: Environment = process.stdout.isTTY ? {} : { FORCE_COLOR: '0' };
  const nx = ['node_modules/nx/dist/bin/nx.js', 'run-many', '--target=test'];
  const status = await runNode(context, nx, { ...colours, ...env }, signal);
  return { status, files: readdirSync(results).map((file) => join(results, file)) };
}

async function testSome(context: CommandContext, env: Environment, outputFile: string, signal: AbortSignal) {
  const { root, args, report } = context;
  await report.step('Prisma clients generated', () => generateClients(root));
  await report.step('languages built', () => generateLanguages(root));
  await report.step('types of the SDK generated', () => generateSdkTypes(root));
  signal.throwIfAborted();
  if (needsBundles(args, endToEndTests(root)))
    await report.step('services bundled', () => bundleApps({ root }));
  signal.throwIfAborted();
  const jest = ['apps/dev/jest.mjs', ...args, '--json', `--outputFile=${outputFile}`];
  return { status: await runNode(context, jest, env, signal), files: [outputFile] };
}

function endToEndTests(root: string): readonly string[] {
  const folder = join(root, 'apps', 'e2e');
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.test.ts'))
    .map((file) => join(folder, file));
}
