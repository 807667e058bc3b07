// Installs another vendor's package once, for all later runs.
import { existsSync } from 'node:fs';
import { mkdir, rename } from 'node:fs/promises';
import { join } from 'node:path';

export const INSTALL_MS = 600_000;

/** A folder of `.parley` with the package. An installation that was stopped begins again. */
export async function installOnce(
  name: string,
  install: (folder: string) => Promise<unknown>,
): Promise<string> {
  const folder = join(import.meta.dirname, '../../../.parley/clients', name);
  if (existsSync(folder)) return folder;
  const unfinished = `${folder}-${process.pid}`;
  await mkdir(unfinished, { recursive: true });
  await install(unfinished);
  await rename(unfinished, folder);
  return folder;
}
