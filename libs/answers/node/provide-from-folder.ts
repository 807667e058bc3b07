// For programs on Node: reads the data of a base language when the first answer needs it.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { provideBaseLanguages, type BaseLanguageData } from '../src/index.ts';

/** @param folder where `libs/answers/build` wrote a file for each language */
export function provideLanguagesFrom(folder: string): void {
  provideBaseLanguages(
    (language) => JSON.parse(readFileSync(join(folder, `${language}.json`), 'utf8')) as BaseLanguageData,
  );
}
