// Who used the processors, read from Linux's /proc.
import { readFileSync, readdirSync } from 'node:fs';

/** Linux counts CPU time in hundredths of a second for every program that asks (USER_HZ). */
const TICKS_PER_SECOND = 100;

export interface CpuReading {
  /** CPU seconds of the whole machine since it started; null where there is no /proc. */
  readonly machine: number | null;
  /** CPU seconds of each process asked for, its threads included. */
  readonly processes: readonly number[];
}

export function readCpu(pids: readonly number[]): CpuReading {
  const machine = machineSeconds();
  return { machine, processes: machine === null ? [] : pids.map(processSeconds) };
}

/** Cores that others kept busy between two readings of the same processes; null where that cannot be known. */
export function foreignCores(before: CpuReading, after: CpuReading, seconds: number): number | null {
  if (before.machine === null || after.machine === null) return null;
  const own = after.processes.reduce((sum, at, index) => sum + Math.max(0, at - before.processes[index]!), 0);
  // The two are counted at slightly different moments, a tick apart: less than nothing is nothing.
  return Math.max(0, (after.machine - before.machine - own) / seconds);
}

/**
 * user, nice, system and steal: what programs used, and what the machine below took away. Interrupts are left out: those of
 * the loopback network are our own and belong to no process.
 */
function machineSeconds(): number | null {
  let stat: string;
  try {
    stat = readFileSync('/proc/stat', 'utf8');
  } catch {
    return null; // not Linux
  }
  const [, user, nice, system, , , , , steal] = stat.slice(0, stat.indexOf('\n')).split(/ +/).map(Number);
  return (user! + nice! + system! + (steal ?? 0)) / TICKS_PER_SECOND;
}

/** proc(5): the name in parentheses may hold anything, so fields are counted from the last one; utime and stime are 14 and 15. */
function processSeconds(pid: number): number {
  const fields = statOf(pid);
  // A process that has ended used what it used; it is not known any more.
  return fields ? (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND : 0;
}

function statOf(pid: number): string[] | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  } catch {
    return undefined;
  }
}

/** The processes that a process has started, and those that they have started; none where there is no /proc. */
export function descendants(pid: number): number[] {
  let all: string[];
  try {
    all = readdirSync('/proc');
  } catch {
    return []; // not Linux
  }
  const children = new Map<number, number[]>();
  for (const name of all) {
    const fields = /^\d+$/.test(name) ? statOf(Number(name)) : undefined;
    if (!fields) continue;
    const parent = Number(fields[1]);
    children.set(parent, [...(children.get(parent) ?? []), Number(name)]);
  }
  const below = (one: number): number[] =>
    (children.get(one) ?? []).flatMap((child) => [child, ...below(child)]);
  return below(pid);
}
