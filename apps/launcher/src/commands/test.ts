// `npm test [-- <jest arguments>]`: throw-away servers, migrated templates, bundles, then jest over everything
// (platform §8).
import { spawn } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import {
  bundleApps,
  debianRedis,
  findRedisOnPath,
  generateClients,
  hasApt,
  lockFolder,
  openLedger,
  readJson,
  removeAbandonedHomes,
  removeHome,
  startEmbeddedPostgres,
  startRedis,
} from '@parley/local-stack';
import type { ProcessLedger, RedisProgram } from '@parley/local-stack';
import { SERVICES, ensureTemplate } from '@parley/testkit';
import { closingLine, judgeRun, needsBundles } from '../jest-summary.ts';
import type { JestResult } from '../jest-summary.ts';
import { CommandError, runCommand } from '../run-command.ts';
import type { CommandContext } from '../run-command.ts';
import { StopRequested, watchSignals } from '../signals.ts';

/** The folders of test runs, beside the development stack's own data. */
const PREFIX = 'test-';

async function test(context: CommandContext): Promise<number> {
  const { env, report, print } = context;
  const tools = join(context.root, '.parley');
  await removeAbandonedHomes(tools, PREFIX);
  const home = join(tools, `${PREFIX}${process.pid}`);
  const unlock = lockFolder(join(home, 'stack.lock'));
  const ledger = openLedger(join(home, 'processes.json'));
  const stopped = watchSignals(
    env['npm_lifecycle_event'] !== undefined,
    () => print('\nStopping (Ctrl-C again ends at once) …'),
    () => {
      ledger.killNow();
      process.exit(1);
    },
  );
  try {
    const servers = await startServers(context, home, tools, ledger);
    stopped.signal.throwIfAborted();
    await report.step('Prisma clients generated', () => generateClients(context.root));
    stopped.signal.throwIfAborted();
    if (needsBundles(context.args))
      await report.step('services bundled', () => bundleApps({ root: context.root }));
    stopped.signal.throwIfAborted();
    return await runJest(context, home, servers, stopped.signal);
  } catch (error) {
    if (error instanceof StopRequested) return error.exitCode;
    throw error;
  } finally {
    await removeHome(home);
    unlock();
  }
}

interface Servers {
  readonly postgresUrl: string;
  readonly redisUrl: string;
}

/**
 * Servers for this run only, or the ones that TEST_POSTGRES_URL and TEST_REDIS_URL name. REDIS_URL is not taken on
 * purpose: tests flush the Redis that they are given.
 */
async function startServers(
  context: CommandContext,
  home: string,
  tools: string,
  ledger: ProcessLedger,
): Promise<Servers> {
  const { root, env, report } = context;
  const program = env['TEST_REDIS_URL'] ? null : await redisProgram(context, tools);
  return report.step('Postgres and Redis started, databases migrated', async () => {
    const postgresUrl =
      env['TEST_POSTGRES_URL'] || (await startEmbeddedPostgres({ root, home, ledger, throwaway: true })).url;
    for (const service of SERVICES) await ensureTemplate(postgresUrl, service);
    const redisUrl =
      program === null
        ? (env['TEST_REDIS_URL'] ?? '')
        : (await startRedis({ program, home, ledger, throwaway: true })).url;
    return { postgresUrl, redisUrl };
  });
}

async function redisProgram({ env, report }: CommandContext, tools: string): Promise<RedisProgram> {
  const path = findRedisOnPath(env['PATH'] ?? '');
  if (path !== undefined) return { path };
  let reason = 'there is no redis-server on PATH';
  if (hasApt()) {
    try {
      return await debianRedis(tools, report);
    } catch (error) {
      reason += `, and Debian's cannot be had (${error instanceof Error ? error.message.trim() : String(error)})`;
    }
  }
  throw new CommandError(
    `The tests need a real Redis: ${reason}.\nInstall one (Debian: apt-get install redis-server; macOS: brew install redis; ` +
      'Fedora: dnf install valkey), or name one that may be flushed: TEST_REDIS_URL=redis://127.0.0.1:6379 npm test',
  );
}

async function runJest(
  context: CommandContext,
  home: string,
  servers: Servers,
  signal: AbortSignal,
): Promise<number> {
  const { root, env, args, print } = context;
  const outputFile = join(home, 'jest.json');
  // Whatever the tests leave behind goes with the run, also when it is killed: files, and the servers of their
  // stacks.
  const temporary = join(home, 'tmp');
  mkdirSync(temporary);
  const jest = spawn(
    process.execPath,
    [
      '--experimental-vm-modules',
      '--disable-warning=ExperimentalWarning',
      join(root, 'node_modules', 'jest', 'bin', 'jest.js'),
      ...['--json', `--outputFile=${outputFile}`],
      `--cacheDirectory=${join(root, 'node_modules', '.cache', 'jest')}`, // else in the temporary folder
      ...args,
    ],
    {
      cwd: root,
      env: {
        ...env,
        NODE_ENV: 'test',
        TEST_POSTGRES_URL: servers.postgresUrl,
        TEST_REDIS_URL: servers.redisUrl,
        TMPDIR: temporary,
      },
      // With --json jest prints for people on standard error, and a second copy of the result on standard output
      // when it fails.
      stdio: ['inherit', 'ignore', 'inherit'],
    },
  );
  // From a terminal jest gets Ctrl-C by itself, as a member of our group; a signal to this process alone is passed
  // on.
  const forward = (): void => void jest.kill('SIGTERM');
  signal.addEventListener('abort', forward, { once: true });
  const status = await new Promise<number | null>((resolve, reject) => {
    jest.once('exit', resolve);
    jest.once('error', reject);
  });
  signal.throwIfAborted();
  const verdict = judgeRun(readJson<JestResult>(outputFile), status);
  if (verdict.remark !== null) print(`\n${verdict.remark}`);
  print(`\n${closingLine(verdict)}`);
  return verdict.failed === 0 ? 0 : 1;
}

await runCommand(test);
