// The rules of every cast: a whole reading explains every word of the answer. An unknown word never
// changes a value, only its reading; nor does a filler. A word that changes values leaves none, and
// a repair takes the last.
import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { outcomeOf, readAnswer } from '../test/answer-tables.ts';
import type { Cast } from './casts.ts';
import type { CastRules } from './cast.ts';
import { splitWords } from './grammar/tokens.ts';
import { findLanguage } from './language/languages.ts';
import type { SentenceWords } from './language/sentence-words.ts';
import { de } from './language/de/lexicon.ts';
import { deSentence } from './language/de/sentence.ts';
import { en } from './language/en/lexicon.ts';
import { enSentence } from './language/en/sentence.ts';
import { es } from './language/es/lexicon.ts';
import { esSentence } from './language/es/sentence.ts';
import { fr } from './language/fr/lexicon.ts';
import { frSentence } from './language/fr/sentence.ts';
import { it } from './language/it/lexicon.ts';
import { itSentence } from './language/it/sentence.ts';
import { nl } from './language/nl/lexicon.ts';
import { nlSentence } from './language/nl/sentence.ts';
import { pt } from './language/pt/lexicon.ts';
import { ptSentence } from './language/pt/sentence.ts';

const sentenceWords: Readonly<Record<string, SentenceWords>> = {
  de: deSentence,
  en: enSentence,
  es: esSentence,
  fr: frSentence,
  it: itSentence,
  nl: nlSentence,
  pt: ptSentence,
};

const rules: Partial<CastRules> = { choices: ['red', 'green', { value: 'blue', synonyms: ['navy blue'] }] };

const outcome = (cast: Cast, answer: string, language = 'en') =>
  outcomeOf(cast, answer, { ...rules, language });
const isCaptured = (cast: Cast, answer: string, language = 'en'): boolean =>
  outcome(cast, answer, language).ok;
const isWhole = (cast: Cast, answer: string): boolean => {
  const read = outcome(cast, answer);
  return read.ok && read.reading === 'whole';
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

test('random sentences: in what is read as a whole, no word can be replaced by an unknown one', () => {
  let captured = 0;
  const sentence = fc.array(fc.constantFrom(...vocabulary), { minLength: 1, maxLength: 6 });
  fc.assert(
    fc.property(fc.constantFrom(...castsOfWords), sentence, unknownWord, (cast, words, unknown) => {
      if (!isWhole(cast, words.join(' '))) return;
      captured++;
      for (const at of words.keys())
        expect([words, isWhole(cast, words.with(at, unknown).join(' '))]).toEqual([words, false]);
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

test.each(rows)('%s %s %j: an unknown word anywhere never changes the value', (language, cast, answer) => {
  const read = outcome(cast, answer, language);
  expect(read).toMatchObject({ ok: true, reading: 'whole', unread: [] });
  const words = answer.split(' ');
  fc.assert(
    fc.property(fc.nat(words.length), unknownWord, (at, unknown) => {
      const said = words.toSpliced(at, 0, unknown).join(' ');
      const other = outcome(cast, said, language);
      if (!other.ok) return;
      expect([said, other.value]).toEqual([said, read.ok && read.value]);
      expect(other.reading).toBe('sentence');
      expect(other.unread.join(' ')).toContain(unknown);
    }),
  );
});

test.each(rows)('%s %s %j: words that change nothing change nothing', (language, cast, answer) => {
  const { lexicon } = findLanguage(language)!;
  const { repairs, plainYes } = sentenceWords[language]!;
  const said = new Set([...phrasesIn(repairs), ...phrasesIn(plainYes)]);
  const plain = phrasesIn(lexicon.fillers).filter((words) => !said.has(words));
  const read = outcome(cast, answer, language);
  const words = answer.split(' ');
  fc.assert(
    fc.property(fc.nat(words.length), fc.constantFrom(...plain), (at, filler) => {
      const other = outcome(cast, words.toSpliced(at, 0, filler).join(' '), language);
      if (other.ok) expect([filler, other.value]).toEqual([filler, read.ok && read.value]);
      // At the ends they separate nothing. A yes beside a no is two answers.
      else if (cast !== 'boolean') expect(at).not.toBe(words.length);
    }),
  );
});

/** In the casts that read sentences; addresses occur beside other words. */
const guarded = rows.filter(([, cast]) => cast !== 'url' && cast !== 'boolean');

test.each(guarded)('%s %s %j: a word that changes values leaves none', (language, cast, answer) => {
  const changes = phrasesIn(sentenceWords[language]!.changes);
  const read = outcome(cast, answer, language);
  const words = answer.split(' ');
  fc.assert(
    fc.property(fc.nat(words.length), fc.constantFrom(...changes), (at, change) => {
      const said = words.toSpliced(at, 0, change).join(' ');
      const other = outcome(cast, said, language);
      if (isKnownTo(language, change)) return;
      expect([said, other.ok && other.value]).toEqual([said, false]);
      expect(read.ok).toBe(true);
    }),
    { numRuns: 300 },
  );
});

const phrasesIn = (list: string): string[] =>
  list
    .split(';')
    .map((phrase) => phrase.trim())
    .filter((phrase) => phrase !== '' && !/[([|]/.test(phrase));

/**
 * Words of a change that other phrases have too: "half" in "half past eight", "por" in "por favor".
 */
function isKnownTo(language: string, change: string): boolean {
  const { lexicon } = findLanguage(language)!;
  const texts = [lexicon.fillers, lexicon.numberFillers, lexicon.choiceFillers, lexicon.momentFillers];
  const known = new Set(
    splitWords(
      [...texts, lexicon.corrections, lexicon.negations, ...Object.values(lexicon.moments)]
        .join(' ')
        .replaceAll(/[{}]/g, ' '),
    ),
  );
  const names = Object.values(lexicon.names).flat() as string[];
  for (const list of names) for (const word of splitWords(list)) known.add(word);
  for (const word of splitWords(`${lexicon.numbers.point} ${lexicon.numbers.minus} ${lexicon.numbers.and}`))
    known.add(word);
  return splitWords(change).every((word) => known.has(word));
}

const repaired: readonly (readonly [string, Cast, string, string])[] = [
  ['en', 'date', 'Monday', 'Tuesday'],
  ['en', 'integer', 'three', 'four'],
  ['en', 'time', '5 pm', '6 pm'],
  ['en', 'enum', 'red', 'green'],
  ['de', 'date', 'Montag', 'Dienstag'],
  ['de', 'time', '14 Uhr', '15 Uhr'],
  ['fr', 'date', 'lundi', 'mardi'],
  ['es', 'date', 'el lunes', 'el martes'],
  ['it', 'date', 'lunedì', 'martedì'],
  ['pt', 'date', 'segunda-feira', 'terça-feira'],
  ['nl', 'date', 'maandag', 'dinsdag'],
];

test.each(repaired)('%s %s: a repair between %j and %j takes the last', (language, cast, first, last) => {
  const wanted = outcome(cast, last, language);
  for (const repair of phrasesIn(sentenceWords[language]!.repairs)) {
    const read = outcome(cast, `${first}, ${repair}, ${last}`, language);
    expect([repair, read.ok && read.value]).toEqual([repair, wanted.ok && wanted.value]);
  }
  expect(isCaptured(cast, `${first}, ${last}`, language)).toBe(false);
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
