// A folder under .parley, and servers in it, that go when the run that needs them ends, however it
// ends.
import { spawn, type StdioOptions } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import {
  debianRedis,
  findRedisOnPath,
  hasApt,
  lockFolder,
  openLedger,
  startEmbeddedPostgres,
  startRedis,
  type RedisProgram,
} from '@parley/testing/servers';
import { removeAbandonedHomes, removeHome } from './stack/index.ts';
import { CommandError } from './run-command.ts';
import type { CommandContext } from './run-command.ts';
import { StopRequested, watchSignals } from './signals.ts';

export interface Throwaway {
  readonly home: string;
  /** Aborts with the first Ctrl-C; the second one kills every process that is noted in `home`. */
  readonly signal: AbortSignal;
  startPostgres(): Promise<{ readonly url: string }>;
  /** @throws CommandError that says how to get a Redis. */
  startRedis(name?: string): Promise<{ readonly url: string }>;
}

/**
 * Runs `work` with a folder named for it; what a killed run of that name left behind is removed
 * first.
 */
export async function withThrowaway(
  context: CommandContext,
  name: string,
  work: (throwaway: Throwaway) => Promise<number>,
): Promise<number> {
  const { root, env, print } = context;
  const tools = join(root, '.parley');
  await removeAbandonedHomes(tools, `${name}-`);
  const home = join(tools, `${name}-${process.pid}`);
  const unlock = lockFolder(join(home, 'stack.lock'));
  const ledger = openLedger(join(home, 'processes.json'));
  const { signal } = watchSignals(
    env['npm_lifecycle_event'] !== undefined,
    () => print('\nStopping (Ctrl-C again ends at once) …'),
    () => {
      ledger.killNow();
      process.exit(1);
    },
  );
  try {
    return await work({
      home,
      signal,
      startPostgres: () => startEmbeddedPostgres({ root, home, ledger, throwaway: true }),
      startRedis: async (name = 'redis') =>
        startRedis({ program: await redisProgram(context, tools), home, name, ledger, throwaway: true }),
    });
  } catch (error) {
    if (error instanceof StopRequested) return error.exitCode;
    throw error;
  } finally {
    await removeHome(home);
    unlock();
  }
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

/**
 * Runs a program of Node in the checkout and returns its exit status, null when a signal ended it.
 * From a terminal it gets Ctrl-C by itself, as a member of our group; a signal to this process
 * alone is passed on. `onLine` gets its output instead of the terminal.
 */
export async function runNode(
  { root, env }: CommandContext,
  args: readonly string[],
  more: Readonly<Record<string, string>>,
  signal: AbortSignal,
  onLine?: (line: string) => void,
): Promise<number | null> {
  const output = onLine ? 'pipe' : 'inherit';
  const stdio: StdioOptions = ['inherit', output, output];
  const child = spawn(process.execPath, args, { cwd: root, env: { ...env, ...more }, stdio });
  for (const stream of [child.stdout, child.stderr])
    if (stream && onLine) createInterface(stream).on('line', onLine);
  signal.addEventListener('abort', () => child.kill('SIGTERM'), { once: true });
  const status = await new Promise<number | null>((resolve, reject) => {
    child.once('close', resolve); // after its last line
    child.once('error', reject);
  });
  signal.throwIfAborted();
  return status;
}
