// Processor time of one thread, which a busy machine does not make longer as it does the time on the clock.
import { readFileSync, readlinkSync } from 'node:fs';

/** How the system names the calling thread; undefined where it has no such name. */
export function nameThread(): string | undefined {
  try {
    return readlinkSync('/proc/thread-self').split('/').at(-1);
  } catch {
    return undefined;
  }
}

/** Milliseconds of processor that a thread of this process has used; undefined where the system does not tell. */
export function readThreadCpuMs(thread: string | undefined): number | undefined {
  try {
    return Number(readFileSync(`/proc/self/task/${thread}/schedstat`, 'utf8').split(' ')[0]) / 1e6;
  } catch {
    return undefined;
  }
}

/** The same of the main thread; elsewhere than on Linux the time in which its event loop was not idle. */
export function readMainCpuMs(): number {
  return readThreadCpuMs(String(process.pid)) ?? performance.eventLoopUtilization().active;
}
