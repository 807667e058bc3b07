// One stack a folder: a file that names the process that works in it.
import { linkSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { randomUUID } from 'node:crypto';
import { dirname } from 'node:path';
import { processIdentity } from './processes/process-identity.ts';

/** Thrown when another process that lives holds the lock. */
export class FolderLocked extends Error {
  readonly pid: number;

  constructor(path: string, pid: number, waitedMs = 0) {
    super(
      waitedMs === 0
        ? `Process ${pid} holds ${path}.`
        : `Process ${pid} still holds ${path}, which was waited for ${waitedMs / 1000} s.`,
    );
    this.name = 'FolderLocked';
    this.pid = pid;
  }
}

interface Holder {
  readonly pid: number;
  readonly identity: string | null;
}

/** Two starters that meet at the lock of a dead process: each round one of them wins. */
const ROUNDS_MAX = 20;

/**
 * Takes the lock for this process, or throws FolderLocked. A lock whose process is dead is taken
 * over, so nothing is left to clear away after a `kill -9`. The returned function gives it back.
 */
export function lockFolder(path: string): () => void {
  mkdirSync(dirname(path), { recursive: true });
  const mine: Holder = { pid: process.pid, identity: processIdentity(process.pid) };
  const text = JSON.stringify(mine);
  const draft = `${path}.${randomUUID()}`;
  writeFileSync(draft, text);
  try {
    for (let round = 1; round <= ROUNDS_MAX; round += 1) {
      if (tryLink(draft, path)) return () => release(path, text);
      const held = readText(path);
      if (held === null) continue; // given back this moment
      const holder = JSON.parse(held) as Holder;
      if (isAlive(holder)) throw new FolderLocked(path, holder.pid);
      takeAway(path, held);
    }
    throw new Error(`${path} could not be locked: other processes take it all the time.`);
  } finally {
    rmSync(draft, { force: true });
  }
}

/** Waits for the lock, at most `waitMs`, and runs `work` under it. */
export async function withFolderLock<T>(path: string, waitMs: number, work: () => Promise<T>): Promise<T> {
  const deadline = performance.now() + waitMs;
  for (;;) {
    let unlock: (() => void) | undefined;
    try {
      unlock = lockFolder(path);
    } catch (error) {
      if (!(error instanceof FolderLocked)) throw error;
      if (performance.now() >= deadline) throw new FolderLocked(path, error.pid, waitMs);
      await new Promise((resolve) => setTimeout(resolve, 100));
      continue;
    }
    try {
      return await work();
    } finally {
      unlock();
    }
  }
}

/** The process that holds the lock at `path`, or null. */
export function lockHolder(path: string): number | null {
  const held = readText(path);
  if (held === null) return null;
  const holder = JSON.parse(held) as Holder;
  return isAlive(holder) ? holder.pid : null;
}

function isAlive(holder: Holder): boolean {
  return holder.identity !== null && processIdentity(holder.pid) === holder.identity;
}

/** A hard link appears at once and with its text, and fails when the name exists. */
function tryLink(draft: string, path: string): boolean {
  try {
    linkSync(draft, path);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

/**
 * Removes the lock of a dead process, unless another starter already replaced it: then it is put
 * back.
 */
function takeAway(path: string, dead: string): void {
  const aside = `${path}.${randomUUID()}`;
  try {
    renameSync(path, aside);
  } catch {
    return; // another starter was faster
  }
  if (readText(aside) !== dead) tryLink(aside, path);
  rmSync(aside, { force: true });
}

function release(path: string, text: string): void {
  if (readText(path) === text) rmSync(path, { force: true });
}

function readText(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}
