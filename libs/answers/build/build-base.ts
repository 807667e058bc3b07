// Builds the data of a base language.
import type { BaseLanguageData } from '../src/base/base-language.ts';
import { foldBase } from '../src/base/fold.ts';
import { baseWords, type BaseLanguageName } from './base-words.ts';
import { collectDates, collectTimes } from './collect-names.ts';
import { collectMinus, collectNumbers, collectOrdinals } from './collect-numbers.ts';

/** Thai dates count from the birth of the Buddha. */
const eraYears: Partial<Record<BaseLanguageName, number>> = { th: 543 };

export async function buildBase(language: BaseLanguageName): Promise<BaseLanguageData> {
  const writers = await collectNumbers(language);
  const small = writers.flatMap(({ whole }) => whole);
  const inWords = (number: number) => small.filter(([, value]) => value === number).map(([text]) => text);
  const dates = collectDates(language, inWords);
  const { yes, no } = baseWords[language];
  const answers = (list: string) => list.split(';').map((answer) => foldBase(answer, language));
  return {
    language,
    writers,
    minus: collectMinus(language),
    ordinals: collectOrdinals(language),
    ...dates,
    ...collectTimes(language, dates.dateParticles),
    eraYears: eraYears[language] ?? 0,
    yes: answers(yes),
    no: answers(no),
  };
}
