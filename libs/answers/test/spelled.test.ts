// Phone numbers of libphonenumber's examples, spoken in three ways, and addresses in words: read
// back, or refused, and never another.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { describe, expect, test } from '@jest/globals';
import { parsePhoneNumberFromString, type CountryCode } from 'libphonenumber-js/min';
import { compileCast } from '../src/cast.ts';
import { findLanguage, spokenLanguages } from '../src/language/languages.ts';

const examplesPath = createRequire(import.meta.url).resolve('libphonenumber-js/mobile/examples');
const examples = JSON.parse(readFileSync(examplesPath, 'utf8')) as Record<string, string>;

const numbers = Object.entries(examples)
  .map(([region, national]) => parsePhoneNumberFromString(national, region as CountryCode))
  .filter((phone) => phone?.isValid() === true)
  .slice(0, 100);

describe.each(spokenLanguages)('%s', (tag) => {
  const language = findLanguage(tag)!;
  const words = new Map<number, string>();
  for (const [word, value] of language.lexicon.numbers.small) if (!words.has(value)) words.set(value, word);
  const say = (digits: string) => words.get(Number(digits))!;
  const double = language.spelling.twice.split(';')[0]!;
  const plus = language.spelling.symbols['+']!.split(';')[0]!;
  const oneByOne = (digits: string) => [...digits].map(say).join(' ');
  // Two words of a pair stand with a hyphen where the language writes one.
  const joined = (pair: string) => (tag === 'en' || tag === 'fr' ? pair.replaceAll(' ', '-') : pair);
  const inPairs = (digits: string) =>
    (digits.match(/0|[1-9]\d?/g) ?? []).map((pair) => joined(say(pair))).join(', ');
  const doubled = (digits: string) =>
    (digits.match(/(\d)\1|\d/g) ?? [])
      .map((part) => (part.length === 2 ? `${double} ${say(part[0]!)}` : say(part)))
      .join(' ');
  const heard = (cast: 'phone' | 'email' | 'url', said: string, defaultRegion: string | null = null) => {
    const outcome = compileCast(cast, { choices: [], defaultRegion, language: tag })(said, { nowMs: 0 });
    return outcome.ok ? outcome.value : null;
  };

  test.each([
    ['digit by digit', oneByOne, 1],
    ['in pairs', inPairs, 0.95],
    ['with double', doubled, 1],
  ] as const)('a hundred phone numbers %s', (_way, speak, shareMin) => {
    const read = numbers.map((phone) => [
      heard('phone', `${plus} ${speak(phone!.number.slice(1))}`),
      phone!.number,
    ]);
    expect(read.filter(([value, number]) => value !== null && value !== number)).toEqual([]);
    const right = read.filter(([value, number]) => value === number).length;
    expect(right / read.length).toBeGreaterThanOrEqual(shareMin);
  });

  const [at, dot, dash, underscore, slash, colon] = (['@', '.', '-', '_', '/', ':'] as const).map(
    (symbol) => language.spelling.symbols[symbol]!.split(';')[0]!,
  );
  const names = ['ana', 'j o h n', 'mo', 'k l m', 'rubin'];
  const hosts = ['zebra', 'g mail', 'm s n', 'orbix', 'x y z'];
  const endings = ['com', 'org'];
  const addresses = names.flatMap((name) => hosts.flatMap((host) => endings.map((end) => [name, host, end])));

  test('fifty e-mail addresses in words', () => {
    for (const [index, [name, host, end]] of addresses.entries()) {
      const mark = [dot, dash, underscore][index % 3]!;
      const sign = ['.', '-', '_'][index % 3]!;
      const said = `${name} ${mark} ${say('7')} ${at} ${host} ${dot} ${end}`;
      const plain = (text: string) => text.replaceAll(' ', '');
      expect([said, heard('email', said)]).toEqual([said, `${plain(name!)}${sign}7@${plain(host!)}.${end}`]);
    }
  });

  test('fifty web addresses in words', () => {
    for (const [name, host, end] of addresses) {
      const said = `h t t p s ${colon} ${slash} ${slash} w w w ${dot} ${host} ${dot} ${end} ${slash} ${name}`;
      const plain = (text: string) => text.replaceAll(' ', '');
      const address = `https://www.${plain(host!)}.${end}/${plain(name!)}`;
      expect([said, heard('url', said)]).toEqual([said, address]);
    }
  });
});
