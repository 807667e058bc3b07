import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { replaceSpokenNumbers } from './spoken-numbers.ts';

const replace = (text: string) => replaceSpokenNumbers(text, 4, '#');

test.each([
  ['My number is five five five, one two three.', 'My number is #.'],
  ['Call plus four nine three oh, triple five.', 'Call plus #.'],
  ['It is double four double seven, thanks.', 'It is #, thanks.'],
  ['I was born in nineteen eighty-four.', 'I was born in #.'],
  ['five, uh, 5 and five 1', '#'],
  ['one thousand two hundred and six euros', '# euros'],
  ['Meine Nummer ist null drei null, fünf fünf fünf.', 'Meine Nummer ist #.'],
  ['zweitausenddreihundertvier Euro', '# Euro'],
  ['C’est le zéro six, douze, trente-quatre.', 'C’est le #.'],
  ['Es el seis tres dos, doble cero.', 'Es el #.'],
  ['È il tre due uno, zero zero.', 'È il #.'],
  ['É o nove um dois três.', 'É o #.'],
  ['Het is nul zes een twee drie.', 'Het is #.'],
  ['Det är noll sju tre ett.', 'Det är #.'],
  ['A table for two at seven thirty for three.', 'A table for two at seven thirty for three.'],
  ['Oh, oh, oh, oh!', 'Oh, oh, oh, oh!'],
  ['Mille volte, o due.', 'Mille volte, o due.'],
  ['Room one oh one.', 'Room one oh one.'],
  ['Call 5551234.', 'Call 5551234.'],
  ['No one ten feet away', 'No one ten feet away'],
])('%s', (text, replaced) => expect(replace(text)).toBe(replaced));

const names = 'zero one two three four five six seven eight nine'.split(' ');

test('any row of digits in words is found wherever it stands, and nothing else changes', () => {
  fc.assert(
    fc.property(
      fc.array(fc.constantFrom(...names.slice(1)), { minLength: 4, maxLength: 12 }),
      fc.constantFrom(' ', ', ', '-', ' uh '),
      fc.constantFrom('', 'hello ', 'Hallo, '),
      fc.constantFrom('', ' please call', ', bitte!'),
      (digits, between, before, after) =>
        expect(replace(before + digits.join(between) + after)).toBe(`${before}#${after}`),
    ),
  );
});

test('texts without numbers stay as they are', () => {
  fc.assert(
    fc.property(fc.stringMatching(/^[bcfgjkpqw \u0300ß,.]{0,60}$/u), (text) =>
      expect(replace(text)).toBe(text),
    ),
  );
});

test('long texts take no time', () => {
  const begun = performance.now();
  for (const word of ['five ', 'hundred ', 'double ', 'five, ', 'and ', 'tausend', '5 ', 'oh '])
    replace(word.repeat(20_000));
  expect(performance.now() - begun).toBeLessThan(4_000);
});
