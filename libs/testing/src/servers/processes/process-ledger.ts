// The list of processes that a stack started, on disk, so that the next start can end what a killed
// launcher left running.
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { processIdentity } from './process-identity.ts';

interface Entry {
  readonly name: string;
  readonly pid: number;
  /** See processIdentity: what tells our process from a later one with the same number. */
  readonly identity: string;
  /** Asks it to end in order. */
  readonly stopSignal: NodeJS.Signals;
  /** Ends it at once. */
  readonly killSignal: NodeJS.Signals;
}

export interface ProcessLedger {
  /** Notes a process that was just started as the leader of its own process group. */
  add(entry: Omit<Entry, 'identity'>): void;
  /** Forgets a process that has ended. */
  remove(pid: number): void;
  /** Names and numbers of what is noted and lives. */
  living(): Record<string, number>;
  /**
   * Ends everything noted that still lives, last started first, and returns the names. In order
   * first, by force after `stopMs`.
   */
  endLeftovers(stopMs?: number): Promise<string[]>;
  /** Ends everything at once, without waiting: for the second Ctrl-C. */
  killNow(): void;
}

/**
 * Postgres writes its shutdown checkpoint in this time; services have nobody to answer any more.
 */
const LEFTOVER_STOP_MS = 8_000;
const LEFTOVER_KILL_MS = 3_000;
const LOOK_INTERVAL_MS = 25;

/** Opens the list at `path`; the file and its folder appear with the first entry. */
export function openLedger(path: string): ProcessLedger {
  let entries = read(path);
  const save = (changed: Entry[]): void => {
    entries = changed;
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(`${path}.new`, `${JSON.stringify(entries, null, 2)}\n`);
    renameSync(`${path}.new`, path);
  };
  const lives = (entry: Entry): boolean => processIdentity(entry.pid) === entry.identity;

  return {
    add: (entry) => {
      const identity = processIdentity(entry.pid);
      if (identity !== null) save([...entries, { ...entry, identity }]); // null: it ended already
    },
    remove: (pid) => {
      try {
        save(entries.filter((entry) => entry.pid !== pid));
      } catch {
        // A full disk, or a folder that is gone: an entry of a dead process does no harm.
      }
    },
    living: () => Object.fromEntries(entries.filter(lives).map((entry) => [entry.name, entry.pid])),
    endLeftovers: async (stopMs = LEFTOVER_STOP_MS) => {
      const leftovers = entries.filter(lives).reverse();
      for (const entry of leftovers) {
        signalGroup(entry.pid, entry.stopSignal);
        if (await gone(() => !lives(entry), stopMs)) continue;
        signalGroup(entry.pid, entry.killSignal);
        if (await gone(() => !lives(entry), LEFTOVER_KILL_MS)) continue;
        throw new Error(
          `${entry.name} (process ${entry.pid}) is left from an earlier run and cannot be ended.`,
        );
      }
      if (entries.length > 0) save([]);
      return leftovers.map((entry) => entry.name);
    },
    killNow: () => {
      for (const entry of entries.filter(lives).reverse()) signalGroup(entry.pid, entry.killSignal);
    },
  };
}

/**
 * Sends a signal to a process and everything it started; does nothing when nothing of it is left.
 */
export function signalGroup(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-pid, signal);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EPERM')
      throw new Error(`Process ${pid} belongs to another user, who must end it.`, { cause: error });
    if (code !== 'ESRCH') throw error;
  }
}

async function gone(condition: () => boolean, timeoutMs: number): Promise<boolean> {
  const deadline = performance.now() + timeoutMs;
  while (!condition()) {
    if (performance.now() >= deadline) return false;
    await new Promise((resolve) => setTimeout(resolve, LOOK_INTERVAL_MS));
  }
  return true;
}

function read(path: string): Entry[] {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as Entry[];
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}
