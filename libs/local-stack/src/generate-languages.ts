// Builds the data by which casts read languages that nobody tuned (libs/answers/build), where its sources changed.
import { execFile } from 'node:child_process';
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { fingerprints, isMadeFrom } from './fingerprints.ts';
import { withFolderLock } from './folder-lock.ts';

/** A file a language, ignored by git. */
export const LANGUAGES_FOLDER = 'libs/answers/generated';
const SOURCE_FOLDERS = ['libs/answers/build', 'libs/answers/src/base'];

/** Ten seconds of CPU time; a busy machine takes many times as long. */
const BUILD_TIMEOUT_MS = 600_000;

/** Two callers at once do not disturb each other. */
export async function generateLanguages(root: string): Promise<void> {
  const remembered = join(root, LANGUAGES_FOLDER, '.made-from');
  await withFolderLock(join(root, '.parley', 'languages.lock'), BUILD_TIMEOUT_MS, async () => {
    if (await isMadeFrom(root, remembered)) return;
    const main = join('libs', 'answers', 'build', 'main.ts');
    await promisify(execFile)(process.execPath, ['--import', 'tsx', main, LANGUAGES_FOLDER], {
      cwd: root,
      timeout: BUILD_TIMEOUT_MS,
    });
    const sources = SOURCE_FOLDERS.flatMap((folder) =>
      readdirSync(join(root, folder)).map((name) => `${folder}/${name}`),
    );
    const madeFrom = await fingerprints(root, [...SOURCE_FOLDERS, ...sources, 'package-lock.json']);
    writeFileSync(remembered, JSON.stringify(madeFrom));
  });
}
