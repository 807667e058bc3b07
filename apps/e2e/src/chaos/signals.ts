// Faults that are made by signals and limits of the kernel.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import type { RunningProcess } from '@parley/testing/servers';

/** Stops a process for this long. */
export async function freeze(pid: number, forMs: number): Promise<void> {
  process.kill(pid, 'SIGSTOP');
  await delay(forMs).finally(() => process.kill(pid, 'SIGCONT'));
}

/** Of each tenth of a second a slow disk leaves this much. */
const RUNS_MS = 20;
const STANDS_MS = 80;

/** Stops the children of a server again and again: each of them waits, as for a slow disk. */
export async function slowDown(pid: number, forMs: number): Promise<void> {
  const until = performance.now() + forMs;
  while (performance.now() < until) {
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').map(Number);
    signalAll(children, 'SIGSTOP');
    await delay(STANDS_MS).finally(() => signalAll(children, 'SIGCONT'));
    await delay(RUNS_MS);
  }
}

function signalAll(pids: readonly number[], signal: NodeJS.Signals): void {
  for (const pid of pids)
    try {
      process.kill(pid, signal);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error; // it has ended
    }
}

const DIES_WITHIN_MS = 10_000;

/** The kernel gives the process no more memory; it dies of it, or is killed as a container is. */
export async function exhaustMemory({ pid, exited }: Pick<RunningProcess, 'pid' | 'exited'>): Promise<void> {
  execFileSync('prlimit', ['--pid', String(pid), '--data=1']);
  const hasDied = await Promise.race([exited.then(() => true), delay(DIES_WITHIN_MS, false, { ref: false })]);
  if (!hasDied) process.kill(pid, 'SIGKILL');
}
