// The memory that a process has, read from Linux's /proc: its resident set, shared pages of Node's
// own binary included.
import { readFileSync } from 'node:fs';

export interface ResidentMemory {
  readonly bytes: number;
  /** The most that it ever had. */
  readonly peakBytes: number;
}

/** @throws Error where there is no /proc: without figures there is nothing to report. */
export function residentMemory(pid: number): ResidentMemory {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const bytes = (name: string): number =>
    Number(new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(status)![1]) * 1024;
  return { bytes: bytes('VmRSS'), peakBytes: bytes('VmHWM') };
}
