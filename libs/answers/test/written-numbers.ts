// Numbers of the tuned languages as CLDR's rules and n2words write them.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { compileRules, type RuleSets } from '../build/rbnf.ts';

const require = createRequire(import.meta.url);
const n2words: Readonly<Record<string, string>> = {
  en: 'en-US',
  de: 'de-DE',
  fr: 'fr-FR',
  es: 'es-ES',
  it: 'it-IT',
  pt: 'pt-PT',
  nl: 'nl-NL',
  sv: 'sv-SE',
};

export type Writer = readonly [name: string, write: (number: number) => string | null];

/** CLDR leaves some numbers in digits, and marks alternatives with a bar. */
const inWords = (text: string | null): string | null =>
  text === null || /[\d|]|^$/.test(text) ? null : text.replaceAll(',', '');

/**
 * Everything that writes cardinals of the language, or its ordinals. A year in pairs ("fourteen
 * fifty") is no other number.
 */
export async function writersOf(language: string, what: 'cardinal' | 'ordinal'): Promise<Writer[]> {
  const path = require.resolve(`cldr-rbnf/rbnf/${language}.json`);
  const { rbnf } = JSON.parse(readFileSync(path, 'utf8')) as {
    rbnf: { rbnf: { SpelloutRules: RuleSets } };
  };
  const speller = compileRules(rbnf.rbnf.SpelloutRules, language);
  const wanted = what === 'ordinal' ? /^%spellout-ordinal/ : /^%spellout-(cardinal|numbering(?!-year))/;
  const sets = speller.names.filter((name) => wanted.test(name));
  const { toCardinal, toOrdinal } = (await import(`n2words/${n2words[language]!}`)) as {
    toCardinal: (number: number) => string;
    toOrdinal: (number: number) => string;
  };
  return [
    ...sets.map((set): Writer => [set, (number) => inWords(speller.spell(set, number))]),
    ['n2words', (number) => inWords((what === 'ordinal' ? toOrdinal : toCardinal)(number))],
  ];
}

/** The same numbers in every run (mulberry32). */
export function randomNumbers(count: number, below: number, seed: number): number[] {
  let state = seed;
  return Array.from({ length: count }, () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * below);
  });
}
