// What something was made from, to know whether it must be made again: path → size and time of
// change.
import { existsSync, readFileSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';

/** Whether what `file` remembers is still so; false where there is no such file. */
export async function isMadeFrom(root: string, file: string): Promise<boolean> {
  if (!existsSync(file)) return false;
  const madeFrom = JSON.parse(readFileSync(file, 'utf8')) as Record<string, string>;
  return isDeepStrictEqual(await fingerprints(root, Object.keys(madeFrom)), madeFrom);
}

export async function fingerprints(root: string, paths: string[]): Promise<Record<string, string>> {
  const entries = paths.map(async (path) => {
    const found = await stat(join(root, path)).catch(() => null); // removed since
    return [path, found === null ? 'absent' : `${found.size} ${found.mtimeMs}`] as const;
  });
  return Object.fromEntries(await Promise.all(entries));
}
