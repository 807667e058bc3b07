// Processor time of a thread. Unlike elapsed time it does not grow on a busy machine.
import { readFileSync, readlinkSync } from 'node:fs';

/** The system's id of the calling thread; undefined where it has none. */
export function nameThread(): string | undefined {
  try {
    return readlinkSync('/proc/thread-self').split('/').at(-1);
  } catch {
    return undefined;
  }
}

/** Processor time that a thread of this process has used (ms); undefined where it is unknown. */
export function readThreadCpuMs(thread: string | undefined): number | undefined {
  try {
    return Number(readFileSync(`/proc/self/task/${thread}/schedstat`, 'utf8').split(' ')[0]) / 1e6;
  } catch {
    return undefined;
  }
}

/** The same for the main thread. Outside Linux: the time in which its event loop was not idle. */
export function readMainCpuMs(): number {
  return readThreadCpuMs(String(process.pid)) ?? performance.eventLoopUtilization().active;
}
