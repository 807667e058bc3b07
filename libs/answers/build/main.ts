// `node --import tsx libs/answers/build/main.ts <folder>`: writes the data of every base language,
// a file each.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { baseWords, type BaseLanguageName } from './base-words.ts';
import { buildBase } from './build-base.ts';

const [folder] = process.argv.slice(2);
if (folder === undefined) throw new Error('Name the folder to write to.');
mkdirSync(folder, { recursive: true });
for (const language of Object.keys(baseWords) as BaseLanguageName[])
  writeFileSync(join(folder, `${language}.json`), JSON.stringify(await buildBase(language)));
