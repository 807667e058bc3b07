// Removes the folder of a test run with everything that still runs from it. `npm test` does so at
// its end for its own folder, and at its start for those of runs that were killed.
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { lockHolder, outsidePlace, openLedger } from '@parley/testing/servers';
import { releasePlace } from './release.ts';

const LEDGER = 'processes.json';
/**
 * A run's own folder, its folder for temporary files, and in that one folder for each stack that a
 * test starts.
 */
const DEPTH_MAX = 3;

/** Ends every process that is noted in `home` or in a folder below it, then removes all of it. */
export async function removeHome(home: string): Promise<void> {
  for (const folder of homesIn(home, DEPTH_MAX)) {
    await openLedger(join(folder, LEDGER)).endLeftovers();
    for (const place of [outsidePlace(folder), releasePlace(folder)])
      rmSync(place, { recursive: true, force: true });
  }
  rmSync(home, { recursive: true, force: true });
}

/** Does that to every `<parent>/<prefix>*` whose lock nobody holds; returns how many there were. */
export async function removeAbandonedHomes(parent: string, prefix: string): Promise<number> {
  if (!existsSync(parent)) return 0;
  const abandoned = readdirSync(parent)
    .filter((name) => name.startsWith(prefix))
    .map((name) => join(parent, name))
    .filter((home) => lockHolder(join(home, 'stack.lock')) === null);
  for (const home of abandoned) await removeHome(home);
  return abandoned.length;
}

function homesIn(folder: string, depth: number): string[] {
  if (depth === 0 || !existsSync(folder)) return [];
  const here = existsSync(join(folder, LEDGER)) ? [folder] : [];
  const below = readdirSync(folder, { withFileTypes: true })
    // Data directories belong to other users and hold no ledger.
    .filter((entry) => entry.isDirectory() && entry.name !== 'pg' && entry.name !== 'pg.new')
    .flatMap((entry) => homesIn(join(folder, entry.name), depth - 1));
  return [...below, ...here];
}
