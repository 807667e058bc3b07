// Tells one process from a later one that got the same number. A number alone is never enough to
// kill by, since numbers are used again, in a container within minutes.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/**
 * A text that no other process ever has while the machine runs and after: null when no such process
 * lives. A zombie does not live: it holds nothing any more, and where process 1 does not reap it
 * would stay permanently.
 */
export function processIdentity(pid: number): string | null {
  return process.platform === 'linux' ? identityFromProc(pid) : identityFromPs(pid);
}

/** The command line, arguments separated by blanks; null when no such process lives. */
export function commandLine(pid: number): string | null {
  try {
    if (process.platform !== 'linux') return ps(pid, 'command=');
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim();
  } catch {
    return null;
  }
}

function identityFromProc(pid: number): string | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // "pid (name) state ppid …": the name may hold blanks and brackets, so count from the last
    // bracket. proc(5): field 22.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    if (fields[0] === 'Z' || fields[0] === 'X') return null;
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    return `${boot}/${fields[19]}`;
  } catch {
    return null;
  }
}

function identityFromPs(pid: number): string | null {
  const [state = 'Z', ...startedAt] = (ps(pid, 'stat=,lstart=') ?? '').split(/\s+/);
  return state.startsWith('Z') || startedAt.length === 0 ? null : startedAt.join(' ');
}

function ps(pid: number, columns: string): string | null {
  try {
    const text = execFileSync('/bin/ps', ['-o', columns, '-p', String(pid)], {
      encoding: 'utf8',
      env: { LC_ALL: 'C' },
      stdio: ['ignore', 'pipe', 'ignore'],
    }).trim();
    return text === '' ? null : text;
  } catch {
    return null; // ps exits 1 when there is no such process
  }
}
