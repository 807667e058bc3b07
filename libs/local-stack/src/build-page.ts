// Builds the page of the console with vite, unless it was built from the same sources.
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fingerprints, isMadeFrom } from './fingerprints.ts';

const CONFIG = 'apps/console/vite.config.ts';
/** Its own sources, and those of the libraries that it runs. */
const SOURCES = ['apps/console/web', 'libs/flow-engine/src', 'libs/envelopes/src'];

/** `<outDir>/web`. */
export async function buildPage(root: string, outDir: string): Promise<void> {
  const remembered = join(outDir, 'page-made-from.json');
  if (await isMadeFrom(root, remembered)) return;
  rmSync(remembered, { force: true });
  // Folders too: their time changes when a file is added.
  const inputs = SOURCES.flatMap((folder) => [
    folder,
    ...readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map(
      (name) => `${folder}/${name}`,
    ),
  ]);
  const madeFrom = await fingerprints(root, [...inputs, CONFIG, 'package-lock.json']);
  const { build } = await import('vite'); // most who bundle need no page
  await build({
    configFile: join(root, CONFIG),
    logLevel: 'warn',
    mode: 'production',
    build: { outDir: join(outDir, 'web') },
  });
  mkdirSync(outDir, { recursive: true });
  writeFileSync(remembered, JSON.stringify(madeFrom));
}
