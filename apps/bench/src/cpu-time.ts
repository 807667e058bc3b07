// Who used the processors, read from Linux's /proc.
import { readFileSync, readdirSync } from 'node:fs';

/** Linux counts CPU time in hundredths of a second for every program that asks (USER_HZ). */
const TICKS_PER_SECOND = 100;
/**
 * Places in a stat of /proc after the name: what the process used, and its children that have
 * ended.
 */
const [UTIME, STIME, CUTIME, CSTIME] = [11, 12, 13, 14];

/**
 * Starts to count the CPU time of these processes, threads included: seconds so far. Null where
 * there is no /proc.
 */
export function cpuTimer(pids: readonly number[]): () => number | null {
  const used = (): number | null =>
    statOf('self') ? pids.reduce((sum, pid) => sum + cpuSecondsOf(pid), 0) : null;
  const before = used();
  return () => (before === null ? null : used()! - before);
}

/**
 * Starts to count what others used: CPU seconds of the machine that neither this process nor any
 * below it used (Postgres and Redis are below it). Null where there is no /proc.
 */
export function foreignCpuTimer(): () => number | null {
  const foreign = (): number | null => {
    const machine = machineSeconds();
    if (machine === null) return null;
    return machine - [process.pid, ...descendants(process.pid)].reduce((sum, pid) => sum + usedBelow(pid), 0);
  };
  const before = foreign();
  // The two are counted at slightly different moments, a tick apart: less than nothing is nothing.
  return () => (before === null ? null : Math.max(0, foreign()! - before));
}

/**
 * user, nice, system and steal: what programs used, and what the machine below took away.
 * Interrupts are left out: those of the loopback network are our own and belong to no process.
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

/** CPU seconds of a process since it started; 0 for one that is not known, as after its end. */
export const cpuSecondsOf = (pid: number): number => ticksOf(pid, UTIME, STIME);
/**
 * With what its children used that have ended: what a process of the tree used stays in the sum
 * when it ends.
 */
const usedBelow = (pid: number): number => ticksOf(pid, UTIME, STIME, CUTIME, CSTIME);

function ticksOf(pid: number, ...fields: readonly number[]): number {
  const stat = statOf(pid);
  return stat ? fields.reduce((sum, field) => sum + Number(stat[field]), 0) / TICKS_PER_SECOND : 0;
}

/** proc(5): the name in parentheses may hold anything, so fields are counted from the last one. */
function statOf(pid: number | 'self'): string[] | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  } catch {
    return undefined;
  }
}

/**
 * The processes that a process has started, and those that they have started; none where there is
 * no /proc.
 */
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
