// A file system that is small enough to fill. Only root on Linux can mount one.
import { execFileSync } from 'node:child_process';
import { closeSync, mkdirSync, openSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';

export interface SmallDisk {
  fill(): void;
  /** Makes room again. */
  relieve(): void;
  unmount(): void;
}

/** Redis rewrites its append-only file from 64 MiB on, and has both files for a while. */
const MEBIBYTES = 256;
/** Large pieces first, then what is left of the last one. */
const PIECES = [2 ** 20, 4_096];

export const canMount = (): boolean => process.platform === 'linux' && process.getuid?.() === 0;

export function mountSmallDisk(folder: string): SmallDisk {
  mkdirSync(folder, { recursive: true });
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${MEBIBYTES}m,mode=700`, 'tmpfs', folder]);
  const ballast = join(folder, 'ballast');
  let isMounted = true;
  return {
    fill: () => {
      const file = openSync(ballast, 'w');
      for (const bytes of PIECES) writeUntilFull(file, Buffer.alloc(bytes));
      closeSync(file);
    },
    relieve: () => rmSync(ballast, { force: true }),
    unmount: () => {
      if (isMounted) execFileSync('umount', [folder]);
      isMounted = false;
    },
  };
}

function writeUntilFull(file: number, piece: Buffer): void {
  try {
    while (writeSync(file, piece) === piece.length);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
  }
}
