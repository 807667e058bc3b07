// The tuned languages read what CLDR's rules, n2words and Intl write, and never another value.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { describe, expect, test } from '@jest/globals';
import { compileRules, type RuleSets } from '../build/rbnf.ts';
import { compileCast, spokenLanguages, type Cast } from '../src/index.ts';

const require = createRequire(import.meta.url);
const n2words: Readonly<Record<string, string>> = {
  ...{ en: 'en-US', de: 'de-DE', fr: 'fr-FR', es: 'es-ES', it: 'it-IT', pt: 'pt-PT', nl: 'nl-NL' },
};
/** A Thursday. */
const nowMs = Date.parse('2026-11-26T09:00:00Z');

/** Every number that is spelled in its own way, and others up to a milliard. */
const numbers = [
  ...Array.from({ length: 130 }, (_, number) => number),
  ...Array.from({ length: 250 }, (_, at) => 130 + at * 41),
  ...Array.from({ length: 250 }, (_, at) => Math.floor(10_000 * 10 ** (at / 50)) + at * 7),
];

type Writer = readonly [name: string, write: (number: number) => string | null];

async function writersOf(language: string): Promise<Writer[]> {
  const path = require.resolve(`cldr-rbnf/rbnf/${language}.json`);
  const { rbnf } = JSON.parse(readFileSync(path, 'utf8')) as {
    rbnf: { rbnf: { SpelloutRules: RuleSets } };
  };
  const speller = compileRules(rbnf.rbnf.SpelloutRules, language);
  // A year in pairs ("fourteen fifty") is no number of anything else.
  const sets = speller.names.filter((name) => /^%spellout-(cardinal|numbering(?!-year))/.test(name));
  const { toCardinal } = (await import(`n2words/${n2words[language]!}`)) as {
    toCardinal: (number: number) => string;
  };
  return [
    ...sets.map((set): Writer => [set, (number) => speller.spell(set, number)]),
    ['n2words', toCardinal],
  ];
}

const reader = (language: string, cast: Cast) => {
  const read = compileCast(cast, { choices: [], defaultRegion: null, language });
  return (answer: string) => {
    const outcome = read(answer, { nowMs });
    return outcome.ok ? outcome.value : undefined;
  };
};

describe.each(spokenLanguages)('%s', (language) => {
  test('numbers in words', async () => {
    const read = reader(language, 'integer');
    let right = 0;
    const refused: unknown[] = [];
    const wrong: unknown[] = [];
    for (const [writer, write] of await writersOf(language))
      for (const number of numbers) {
        const text = write(number);
        if (text === null || /[\d|]/.test(text)) continue;
        const value = read(text.replaceAll(',', ''));
        if (value === number) right++;
        else (value === undefined ? refused : wrong).push({ writer, text, number, value });
      }
    expect(wrong).toEqual([]);
    // Rare forms, such as a case that only grammars have.
    expect(refused.slice(Math.ceil(right / 100))).toEqual([]);
  });

  test('dates as Intl writes them', () => {
    const read = reader(language, 'date');
    const styles: Intl.DateTimeFormatOptions[] = [
      { dateStyle: 'full' },
      { dateStyle: 'long' },
      { day: 'numeric', month: 'long' },
      { weekday: 'long', day: 'numeric', month: 'long' },
    ];
    const wrong: unknown[] = [];
    for (let ahead = 0; ahead < 365; ahead += 3)
      for (const style of styles) {
        const day = new Date(nowMs + ahead * 86_400_000);
        const text = new Intl.DateTimeFormat(language, { timeZone: 'UTC', ...style }).format(day);
        if (read(text) !== day.toISOString().slice(0, 10)) wrong.push({ text, value: read(text) });
      }
    expect(wrong).toEqual([]);
  });
});

test('a soft hyphen changes no word, and a hyphen ends no value', () => {
  expect(reader('de', 'integer')('ein\u00adund\u00adzwanzig')).toBe(21);
  expect(reader('fr', 'integer')('quatre-vingt-une')).toBe(81);
  expect(reader('fr', 'integer')('quatre-vingt-unième')).toBeUndefined();
});
