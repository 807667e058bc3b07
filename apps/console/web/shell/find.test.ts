import { expect, test } from '@jest/globals';
import { findHere } from './find.ts';

const addresses = (words: string) => findHere(words).map(({ to }) => to);

test('places are found by a part of their name, whatever its case', () => {
  expect(addresses(' KEY ')).toEqual(['/keys']);
  expect(addresses('')).toContain('/conversations');
  expect(addresses('no such place')).toEqual([]);
});

test.each([
  ['ntf_01m820snr1qtjzcm81phtmjmbc', ['/notifications/sent/ntf_01m820snr1qtjzcm81phtmjmbc']],
  [' wh_01m820snr1qtjzcm81phtmjmbc ', ['/webhooks/wh_01m820snr1qtjzcm81phtmjmbc']],
  ['ntf_x', []],
  ['evt_01m820snr1qtjzcm81phtmjmbc', []],
])('an id leads to what it names: %s', (text, to) => {
  expect(addresses(text)).toEqual(to);
});
