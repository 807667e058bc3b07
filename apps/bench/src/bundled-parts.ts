// Parts that measure code of Parley in this process run it as services do, from a bundle. What
// reads TypeScript here (tsx) also writes a name to every function that is made: a turn that is
// recorded takes twice as long.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { BUNDLE_SETTINGS } from '@parley/dev/stack';
import { build } from 'esbuild';
import type * as sources from './flow/engine-parts.ts';
import type { Part } from './suites.ts';

export async function engineParts(root: string): Promise<readonly Part[]> {
  const outfile = join(root, '.parley', 'bench', 'engine-parts.mjs');
  mkdirSync(join(root, '.parley', 'bench'), { recursive: true });
  await build({
    ...BUNDLE_SETTINGS,
    absWorkingDir: root,
    entryPoints: [join(root, 'apps/bench/src/flow/engine-parts.ts')],
    outfile,
  });
  const bundled = (await import(pathToFileURL(outfile).href)) as typeof sources;
  return bundled.engineParts;
}
