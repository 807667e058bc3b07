// Collects how CLDR's rules and n2words write the numbers 0 to 9,999 of a language. Stores the text
// before hundreds and thousands once, so that a language of 34 rule sets takes about 100 KB.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Names, NumberHead, WriterData } from '../src/base/base-language.ts';
import { foldBase } from '../src/base/fold.ts';
import { restClass } from '../src/base/read-number.ts';
import { baseWords, type BaseLanguageName, type BaseWords } from './base-words.ts';
import { compileRules, type RuleSets, type Speller } from './rbnf.ts';

export const numbersEnd = 10_000;

const require = createRequire(import.meta.url);

/** Names that differ from ours: CLDR's file, and the modules of n2words. */
const rbnfNames: Partial<Record<BaseLanguageName, string>> = { nb: 'no' };
const n2wordsNames: Readonly<Record<BaseLanguageName, readonly string[]>> = {
  ar: ['ar-SA'],
  bn: ['bn-BD'],
  cs: ['cs-CZ'],
  da: ['da-DK'],
  el: ['el-GR'],
  fa: ['fa-IR'],
  fi: ['fi-FI'],
  he: ['he-IL'],
  hi: ['hi-IN'],
  hu: ['hu-HU'],
  id: ['id-ID'],
  ja: ['ja-JP'],
  ko: ['ko-KR'],
  nb: ['nb-NO'],
  pl: ['pl-PL'],
  ro: ['ro-RO'],
  ru: ['ru-RU'],
  ta: ['ta-IN'],
  th: ['th-TH'],
  tr: ['tr-TR'],
  uk: ['uk-UA'],
  vi: ['vi-VN'],
  zh: ['zh-Hans-CN', 'zh-Hant-TW'],
};

/** Writes a number in words; null when it cannot. */
export type Writer = (number: number) => string | null;

/** CLDR's rules of a language; null where it has none. */
function cldrSpeller(language: BaseLanguageName): Speller | null {
  const name = rbnfNames[language] ?? language;
  let path: string;
  try {
    path = require.resolve(`cldr-rbnf/rbnf/${name}.json`);
  } catch {
    return null;
  }
  const { rbnf } = JSON.parse(readFileSync(path, 'utf8')) as {
    rbnf: { rbnf: { SpelloutRules: RuleSets } };
  };
  return compileRules(rbnf.rbnf.SpelloutRules, language);
}

/** Everything that writes cardinals of the language, by name. */
export async function numberWriters(language: BaseLanguageName): Promise<ReadonlyMap<string, Writer>> {
  const speller = cldrSpeller(language);
  const sets = speller?.names.filter((name) => /^%spellout-(cardinal|numbering)/.test(name)) ?? [];
  const modules = await Promise.all(
    n2wordsNames[language].map((name) => import(`n2words/${name}`) as Promise<{ toCardinal: Writer }>),
  );
  const writers: [string, Writer][] = [
    ...sets.map((set) => [set, (number) => speller!.spell(set, number)] as [string, Writer]),
    ...modules.map(({ toCardinal }, at) => [n2wordsNames[language][at]!, toCardinal] as [string, Writer]),
  ];
  return new Map(writers.map(([name, write]) => [name, (number) => inWords(write(number))]));
}

/** CLDR leaves greater numbers in digits, and marks alternatives with a bar. */
const inWords = (text: string | null): string | null =>
  text === null || /[\d|]|^$/.test(text) ? null : text;

/** The texts of each writer. Writers with the same texts are one. */
export async function collectNumbers(language: BaseLanguageName): Promise<WriterData[]> {
  const vary = makeVariations(language);
  const asWritten: Vary = (text) => [foldBase(text, language)];
  // "Twenty hundred two" is 2002, not 2102 without its "one".
  const all = [...(await numberWriters(language))].map(([name, write]) =>
    takeApart(write, name.endsWith('-year') ? asWritten : vary),
  );
  const writers = [...all, { whole: collectShares(language, all), heads: [] }];
  return [...new Map(writers.map((writer) => [JSON.stringify(writer), writer])).values()];
}

/** Hundreds and thousands with a half or a quarter more or less. */
function collectShares(language: BaseLanguageName, writers: readonly WriterData[]): Names {
  const { shares = [], scales = '' } = baseWords[language] as BaseWords;
  const counts = new Map(
    writers.flatMap(({ whole }) => whole.filter(([, count]) => count > 0 && count < 100)),
  );
  const said = scales.split(' ').flatMap((scale, power) =>
    shares.flatMap(([share, part]) =>
      [...counts].map(([text, count]) => {
        const value = (count + part) * 100 * 10 ** power;
        return [`${foldBase(share, language)}${text}${foldBase(scale, language)}`, value] as const;
      }),
    ),
  );
  return said.filter(([, value]) => value < numbersEnd);
}

type Vary = (text: string) => readonly string[];

function takeApart(write: Writer, vary: Vary): WriterData {
  const whole = new Map<string, number>();
  const heads = new Map<string, NumberHead>();
  for (let number = 0; number < numbersEnd; number++) {
    const text = write(number);
    if (text === null) continue;
    const rest = number < 100 ? 0 : number % (number < 1000 ? 100 : 1000);
    const tail = rest === 0 ? null : write(rest);
    if (tail === null || !text.endsWith(tail)) {
      for (const wording of vary(text)) whole.set(wording, number);
      continue;
    }
    const before = text.slice(0, -tail.length);
    const key = `${number - rest} ${before}`;
    const head = heads.get(key) ?? { texts: vary(before), value: number - rest, rests: 0 };
    heads.set(key, { ...head, rests: head.rests | restClass(rest) });
  }
  return { whole: [...whole], heads: [...heads.values()] };
}

/** A folded text, and the same without each optional word. */
function makeVariations(language: BaseLanguageName): Vary {
  const { and = '', one = '', scales = '' } = baseWords[language] as BaseWords;
  const ones = new Set(one.split(' '));
  const after = new Set(scales.split(' '));
  const withoutAnd = (words: readonly string[]) => words.filter((word) => word === '' || word !== and);
  const withoutOne = (words: readonly string[]) =>
    words.filter((word, at) => !(ones.has(word) && after.has(words[at + 1] ?? '')));
  return (text) => {
    const words = text.split(/[\s\u00ad-]+/);
    const all = [words, withoutAnd(words), withoutOne(words), withoutOne(withoutAnd(words))];
    return [...new Set(all.map((kept) => foldBase(kept.join(' '), language)))];
  };
}

/** Days of a month as ordinals, 1 to 31. */
export function collectOrdinals(language: BaseLanguageName): Names {
  const speller = cldrSpeller(language);
  const ordinals = new Map<string, number>();
  for (const set of speller?.names ?? []) {
    if (!set.startsWith('%spellout-ordinal')) continue;
    for (let day = 1; day <= 31; day++) {
      const text = inWords(speller!.spell(set, day));
      if (text !== null) ordinals.set(foldBase(text, language), day);
    }
  }
  return [...ordinals];
}

export function collectMinus(language: BaseLanguageName): string[] {
  const speller = cldrSpeller(language);
  const words = (speller?.names ?? []).map((name) => speller!.minusOf(name));
  const folded = words.filter((word) => word !== null).map((word) => foldBase(word, language));
  return [...new Set(folded)].filter((word) => word !== '');
}
