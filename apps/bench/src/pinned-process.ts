// Starts a process on one core of the machine, where taskset can, and ends it again.
import { spawn, spawnSync, type ChildProcess, type StdioOptions } from 'node:child_process';
import { availableParallelism } from 'node:os';

/**
 * The measured process alone on one core; the load on another, so that it never takes what it
 * measures.
 */
export const SERVER_CORE = 0;
export const LOAD_CORE = 1;

export interface PinnedProcess {
  readonly pid: number;
  readonly child: ChildProcess;
  stop(): Promise<void>;
}

/** Two cores and taskset (util-linux) are needed. */
export function canPin(): boolean {
  return availableParallelism() > 1 && spawnSync('taskset', ['-c', String(SERVER_CORE), 'true']).status === 0;
}

/**
 * Moves running processes to a core, with what they start from now on; `undefined`: to all cores.
 * For where `canPin`.
 */
export function pinRunning(pids: readonly number[], core: number | undefined): void {
  const cores = core === undefined ? `0-${availableParallelism() - 1}` : String(core);
  for (const pid of pids) spawnSync('taskset', ['-acp', cores, String(pid)]); // one that has just ended needs no core
}

/**
 * Runs a JavaScript file in a Node of its own. taskset becomes the program it starts, so the pid is
 * the program's.
 */
export function startPinned(options: {
  readonly file: string;
  readonly args?: readonly string[];
  readonly core: number;
  readonly pin: boolean;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly stdio: StdioOptions;
  readonly nodeArgs?: readonly string[];
}): PinnedProcess {
  const { core, pin, env, stdio } = options;
  const node = [process.execPath, ...(options.nodeArgs ?? []), options.file, ...(options.args ?? [])];
  const [command = '', ...args] = pin ? ['taskset', '-c', String(core), ...node] : node;
  const child = spawn(command, args, { env: { ...env }, stdio });
  const ended = new Promise<void>((resolve) => {
    child.once('exit', () => resolve());
    child.once('error', () => resolve());
  });
  if (child.pid === undefined) throw new Error(`${options.file} could not be started`);
  return {
    pid: child.pid,
    child,
    stop: async () => {
      child.kill('SIGTERM');
      await ended;
    },
  };
}
