// Builds the page of the console with vite, unless it was built from the same sources.
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { LANGUAGES_FOLDER } from './generate-languages.ts';
import { fingerprints, isMadeFrom } from './fingerprints.ts';
import { runStep } from '@parley/testing/servers';

const CONFIG = 'apps/console/vite.config.ts';
/** Its own sources, and those of the libraries that it runs. */
const SOURCES = [
  'apps/console/web',
  'libs/flow-engine/src',
  'libs/flow-analysis/src',
  'libs/answers/src',
  LANGUAGES_FOLDER,
  'libs/envelopes/src',
];

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
  // In a process of its own: most who bundle need no page, and jest's modules are not those of
  // vite's native parts.
  const options = ['build', '--config', CONFIG, '--outDir', join(outDir, 'web'), '--logLevel', 'warn'];
  const vite = ['node_modules/vite/bin/vite.js', ...options];
  await runStep('The page of the console could not be built', process.execPath, vite, {
    cwd: root,
    env: { ...process.env, NODE_ENV: 'production' },
  });
  mkdirSync(outDir, { recursive: true });
  writeFileSync(remembered, JSON.stringify(madeFrom));
}
