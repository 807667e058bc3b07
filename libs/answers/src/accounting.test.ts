// The rule of every cast: a captured value explains every word of the answer. A word that the grammar does not know, put anywhere or
// in place of any word, makes it no answer.
import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { readAnswer } from '../test/answer-tables.ts';
import type { Cast } from './casts.ts';
import type { CastRules } from './cast.ts';
import { de } from './language/de.ts';
import { en } from './language/en.ts';
import { es } from './language/es.ts';
import { fr } from './language/fr.ts';
import { it } from './language/it.ts';
import { nl } from './language/nl.ts';
import { pt } from './language/pt.ts';

const rules: Partial<CastRules> = { choices: ['red', 'green', { value: 'blue', synonyms: ['navy blue'] }] };

const isCaptured = (cast: Cast, answer: string, language = 'en'): boolean => {
  const value = readAnswer(cast, answer, { ...rules, language });
  return !(typeof value === 'object' && value !== null && 'refused' in value);
};

/** No language has words of these letters. */
const unknownWord = fc
  .array(fc.constantFrom(...'qxzjw'), { minLength: 3, maxLength: 8 })
  .map((letters) => `xq${letters.join('')}`);

/** Words that casts know, and marks between them. */
const vocabulary = (
  'yes no not the at on in of to and or one two five eight twenty thirty hundred thousand point half past quarter 4th 8 30 2026 8:30 ' +
  '5/6/2026 3.5 -2 am pm noon today tomorrow friday monday next last may november morning evening o’clock please it’s i’d like red ' +
  'green blue navy day week ago minutes hours sure correct right is fine everyone , . - a years old'
).split(' ');

const castsOfWords: readonly Cast[] = ['number', 'integer', 'boolean', 'date', 'time', 'datetime', 'enum'];

test('random sentences: in what is captured, no word can be replaced by an unknown one', () => {
  let captured = 0;
  const sentence = fc.array(fc.constantFrom(...vocabulary), { minLength: 1, maxLength: 6 });
  fc.assert(
    fc.property(fc.constantFrom(...castsOfWords), sentence, unknownWord, (cast, words, unknown) => {
      if (!isCaptured(cast, words.join(' '))) return;
      captured++;
      for (const at of words.keys())
        expect([words, isCaptured(cast, words.with(at, unknown).join(' '))]).toEqual([words, false]);
    }),
    { numRuns: 20_000 },
  );
  expect(captured).toBeGreaterThan(250);
});

const sentences: Readonly<Record<string, readonly (readonly [Cast, string])[]>> = {
  en: [
    ['number', "I'm twenty one years old"],
    ['boolean', 'no everyone is fine'],
    ['date', "I'd like Friday the 4th of September please"],
    ['time', 'half past eight in the evening'],
    ['datetime', 'tomorrow morning at 9'],
    ['enum', 'the navy blue one please'],
    ['url', 'it is example.com'],
  ],
  de: [
    ['number', 'ich bin einundzwanzig Jahre alt'],
    ['boolean', 'nein das stimmt nicht'],
    ['date', 'am Freitag dem 4. September'],
    ['time', 'fünf vor halb acht abends'],
  ],
  fr: [
    ['number', "j'ai vingt et un ans"],
    ['boolean', 'oui bien sûr'],
    ['datetime', 'demain matin à 9 heures'],
    ['time', 'huit heures et demie du soir'],
  ],
  es: [
    ['number', 'tengo treinta y cinco años'],
    ['date', 'el 16 de noviembre de 2026'],
    ['time', 'las nueve menos cuarto de la noche'],
  ],
  it: [
    ['number', 'ho trentatré anni'],
    ['datetime', 'domani mattina alle 9'],
  ],
  pt: [
    ['number', 'tenho vinte e um anos'],
    ['time', 'quinze para as nove da noite'],
  ],
  nl: [
    ['number', 'eenentwintig jaar oud'],
    ['time', "vijf over half acht 's avonds"],
  ],
};
const rows = Object.entries(sentences).flatMap(([language, said]) =>
  said.map(([cast, answer]) => [language, cast, answer] as const),
);

test.each(rows)('%s %s %j: an unknown word anywhere makes it no answer', (language, cast, answer) => {
  expect([answer, isCaptured(cast, answer, language)]).toEqual([answer, true]);
  const words = answer.split(' ');
  fc.assert(
    fc.property(fc.nat(words.length), unknownWord, (at, unknown) => {
      const said = words.toSpliced(at, 0, unknown).join(' ');
      expect([said, isCaptured(cast, said, language)]).toEqual([said, false]);
    }),
  );
});

test('an address stands beside any words, but for one that refuses it', () => {
  fc.assert(
    fc.property(fc.array(unknownWord, { maxLength: 5 }), fc.nat(5), (words, at) => {
      const said = words.toSpliced(at, 0, 'ada@example.com').join(' ');
      expect(readAnswer('email', said)).toBe('ada@example.com');
      expect(isCaptured('email', `not ${said}`)).toBe(false);
      expect(readAnswer('email', said, { strict: true })).toEqual(
        words.length === 0 ? 'ada@example.com' : { refused: 'not_an_email' },
      );
    }),
  );
});

const languages = Object.entries({ de, en, es, fr, it, nl, pt });

test.each(languages)('%s: every number word is a number', (language, { numbers }) => {
  for (const [word, value] of numbers.small)
    expect([word, readAnswer('number', word, { language })]).toEqual([word, value]);
});

test.each(languages)('%s: no phrase is in two lists that disagree', (language, { yes, no }) => {
  for (const [list, value] of [
    [yes, true],
    [no, false],
  ] as const)
    for (const phrase of list.split(';').filter((pattern) => !/[([]/.test(pattern)))
      expect([phrase, readAnswer('boolean', phrase, { language })]).toEqual([phrase, value]);
});

test('any text at all is read within its time, in every language', () => {
  const text = fc.oneof(
    fc.string({ maxLength: 300 }),
    fc.array(fc.constantFrom(...vocabulary), { maxLength: 200 }),
  );
  fc.assert(
    fc.property(
      fc.constantFrom(...castsOfWords),
      text,
      fc.constantFrom(...languages.map(([tag]) => tag)),
      (cast, said, language) => {
        readAnswer(cast, (Array.isArray(said) ? said.join(' ') : said).slice(0, 1000), {
          ...rules,
          language,
        });
      },
    ),
  );
});
