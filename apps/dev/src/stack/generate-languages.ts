// Builds the data by which casts read languages that nobody tuned (libs/answers/build), where its
// sources changed.
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fingerprints, isMadeFrom } from './fingerprints.ts';
import { withFolderLock, runStep, SETUP_WITHIN_MS } from '@parley/testing/servers';

/** A file a language, ignored by git. */
export const LANGUAGES_FOLDER = 'libs/answers/generated';
const SOURCE_FOLDERS = ['libs/answers/build', 'libs/answers/src/base'];

/** Two callers at once do not disturb each other. */
export async function generateLanguages(root: string): Promise<void> {
  const remembered = join(root, LANGUAGES_FOLDER, '.made-from');
  await withFolderLock(join(root, '.parley', 'languages.lock'), SETUP_WITHIN_MS, async () => {
    if (await isMadeFrom(root, remembered)) return;
    const main = join('libs', 'answers', 'build', 'main.ts');
    const program = ['--import', 'tsx', main, LANGUAGES_FOLDER];
    await runStep('The data of languages could not be built', process.execPath, program, { cwd: root });
    const sources = SOURCE_FOLDERS.flatMap((folder) =>
      readdirSync(join(root, folder)).map((name) => `${folder}/${name}`),
    );
    const madeFrom = await fingerprints(root, [...SOURCE_FOLDERS, ...sources, 'package-lock.json']);
    writeFileSync(remembered, JSON.stringify(madeFrom));
  });
}
