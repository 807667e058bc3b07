// Reads addresses: e-mail, phone, web; written, or spelled sign by sign. Such a value is complete
// in itself: only a negation ("not ada@example.com") or a second address changes it.
import { parsePhoneNumberFromString, type CountryCode } from 'libphonenumber-js/min';
import { parse as parseHost } from 'tldts';
import * as z from 'zod';
import type { ReadingBudget } from './budget.ts';
import { accountFor } from './grammar/account.ts';
import { tokenize, type TokenizedUtterance } from './grammar/tokens.ts';
import type { Language } from './language/language.ts';
import { answerLimits } from './limits.ts';
import { captured, failed, type CastOutcome } from './outcome.ts';
import { digitRows, fillerTail, joinSigns, signAt, skipCarriers, compileSpelling } from './read-spelled.ts';
import { withoutFullStop } from './sentence.ts';
import { isQuestion } from './sentence-rules.ts';
import type { Demand } from './understand.ts';

const emailAddress = z.email();

/** One address, alone or inside a sentence; two are not an answer. */
export function readEmail(
  answer: string,
  language: Language,
  demand: Demand,
  budget: ReadingBudget,
): CastOutcome {
  const written = readWrittenEmail(answer, language, demand, budget);
  if (written !== null) return written;
  return readSpelledEmail(tokenize(answer, null, budget), language, demand) ?? failed('not_an_email');
}

/** Null = no written address, or one that words continue. */
function readWrittenEmail(
  answer: string,
  language: Language,
  demand: Demand,
  budget: ReadingBudget,
): CastOutcome | null {
  const others: string[] = [];
  const found = new Set<string>();
  let [before, after] = ['', ''];
  for (const piece of answer.split(/[\s<>()[\]",;]+/)) {
    const word = withoutFullStop(piece.replace(/^mailto:/i, ''));
    if (emailAddress.safeParse(word).success) {
      before = others.at(-1) ?? '';
      after = '';
      found.add(word);
    } else if (word !== '') {
      others.push(word);
      if (after === '') after = word;
    }
  }
  const [address, second] = found;
  if (address === undefined) return null;
  if (second !== undefined) return failed('ambiguous');
  if (goesOn(before, language, budget) || (after !== before && goesOn(after, language, budget))) return null;
  const at = address.lastIndexOf('@');
  const value = address.slice(0, at) + address.slice(at).toLowerCase();
  return checkSurroundings(others.join(' '), value, language, demand, budget) ?? failed('not_an_email');
}

/** Whether a word beside an address is a part of it: "dot", a letter, a digit. */
function goesOn(word: string, language: Language, budget: ReadingBudget): boolean {
  const said = tokenize(word, null, budget);
  const sign = said.tokens.length === 0 ? null : signAt(said, 0, language);
  if (sign === null || sign.next !== said.tokens.length) return false;
  return sign.kind === 'symbol' ? sign.text !== '@' && sign.text !== '' : sign.kind !== 'word';
}

/** A value with the words around it; null when they do not allow it. */
function checkSurroundings(
  words: string,
  value: string,
  language: Language,
  { strict, wholeOnly }: Demand,
  budget: ReadingBudget,
): CastOutcome | null {
  const { phrases } = language;
  const said = tokenize(words, null, budget);
  if (strict) return said.tokens.every(({ kind }) => kind === 'mark') ? captured(value) : null;
  if (said.tokens.some((_, at) => phrases.negations.match(said, at) !== null)) return null;
  const unread = unreadBeside(said, language);
  if (unread.length === 0) return captured(value);
  return wholeOnly ? null : captured(value, 'sentence', unread);
}

function unreadBeside(said: TokenizedUtterance, language: Language): string[] {
  const { carriers } = compileSpelling(language);
  const { fillers, momentFillers } = language.phrases;
  const unread: string[] = [];
  for (let at = 0; at < said.tokens.length;) {
    const ends = [carriers, fillers, momentFillers].map((list) => list.match(said, at)?.next ?? at);
    const next = Math.max(...ends);
    const { kind, start, end } = said.tokens[at]!;
    if (next === at && kind !== 'mark') unread.push(said.utterance.slice(start, end));
    at = Math.max(next, at + 1);
  }
  return unread;
}

function readSpelledEmail(
  said: TokenizedUtterance,
  language: Language,
  { strict }: Demand,
): CastOutcome | null {
  const from = skipCarriers(said, language);
  if (strict && from > 0) return null;
  const at = findSymbols(said, from, '@', language);
  if (at.length !== 1 || isQuestion(said, language)) return null;
  const [{ place, next }] = at as [{ place: number; next: number }];
  const local = joinSigns(said, from, place, language, false);
  if (local === null || local === '') return null;
  const domain = readHost(said, next, language, true);
  if (domain === null) return null;
  const address = `${local}@${domain}`;
  return emailAddress.safeParse(address).success ? captured(address) : null;
}

/** Places of a symbol, as a word or a sign. */
function findSymbols(said: TokenizedUtterance, from: number, symbol: string, language: Language) {
  const places: { place: number; next: number }[] = [];
  const { symbols } = compileSpelling(language);
  for (let at = from; at < said.tokens.length; at++) {
    const spelled = symbols.match(said, at);
    if (spelled?.meaning !== symbol && said.tokens[at]!.text !== symbol) continue;
    const sign = signAt(said, at, language)!;
    if (sign.text === symbol) places.push({ place: at, next: sign.next });
    at = sign.next - 1;
  }
  return places;
}

/** A host of the public web up to the end of the utterance, or up to words that change nothing. */
function readHost(
  said: TokenizedUtterance,
  from: number,
  language: Language,
  wordsMayMeet: boolean,
): string | null {
  const tail = fillerTail(said, language);
  for (let end = from + 1; end <= said.tokens.length; end++) {
    const host = tail[end] === true ? joinSigns(said, from, end, language, wordsMayMeet) : null;
    if (host !== null && hasPublicSuffix(host)) return host;
  }
  return null;
}

function hasPublicSuffix(host: string): boolean {
  if (!/^[a-z\d](?:[a-z\d-]*[a-z\d])?(?:\.[a-z\d](?:[a-z\d-]*[a-z\d])?)+$/.test(host)) return false;
  const { isIcann, domain } = parseHost(host, { extractHostname: false });
  return isIcann === true && domain !== null;
}

// One row of digits with the separators that people write.
const digitRow = /[+(]?\d(?:[\d().\-/\u00a0]| (?=[\d(+\-/]))*/g;

/** One number; a second row of digits, such as an extension, is not allowed. */
export function compilePhone(
  defaultRegion: string | null,
  demand: Demand,
): (answer: string, language: Language, budget: ReadingBudget) => CastOutcome {
  const region = defaultRegion?.trim().toUpperCase() as CountryCode | undefined;
  return (answer, language, budget) => {
    const said = tokenize(answer, language.lexicon.numbers.split, budget);
    const spelled = said.tokens.some((_, at) => isDictated(said, at, language));
    if (spelled)
      return demand.strict ? failed('not_a_phone_number') : readDictated(said, region, language, demand);
    const phone = parsePhoneNumberFromString(answer, region);
    if (phone?.isValid() !== true) return failed('not_a_phone_number');
    const rows = new Set(answer.match(digitRow)?.map((row) => row.replace(/[^\d+]/g, '')) ?? []);
    if (rows.size > 1) return failed('ambiguous');
    const words = answer.replace(digitRow, ' ');
    return checkSurroundings(words, phone.number, language, demand, budget) ?? failed('not_a_phone_number');
  };
}

/**
 * Whether a word is a dictated digit. "A" and "one" of a sentence are too, and then the sentence is
 * no number.
 */
function isDictated(said: TokenizedUtterance, at: number, language: Language): boolean {
  if (said.tokens[at]!.kind !== 'word') return false;
  const sign = signAt(said, at, language);
  return sign?.kind === 'digits' || compileSpelling(language).zero.match(said, at) !== null;
}

function readDictated(
  said: TokenizedUtterance,
  region: CountryCode | undefined,
  language: Language,
  { wholeOnly }: Demand,
): CastOutcome {
  const refused = failed('not_a_phone_number');
  const tail = fillerTail(said, language);
  const first = firstDigit(said, language);
  // Up to the last word that is a digit.
  const { rows, to } = digitRows(said, first, language);
  const numbers = new Set(rows.map((row) => validNumber(row, region)).filter((number) => number !== null));
  if (numbers.size > 1) return failed('ambiguous');
  const [found = null] = numbers;
  if (found === null || isQuestion(said, language)) return refused;
  // Nothing after the number may be one more digit of it, or an extension.
  const rest = tail[to] === true ? [] : said.tokens.slice(to);
  if (rest.some(({ kind }) => kind === 'digits')) return refused;
  for (let at = to; at < said.tokens.length; at++)
    if (tail[at] !== true && isDictated(said, at, language)) return refused;
  const around = { ...said, tokens: [...said.tokens.slice(0, first), ...rest] };
  if (around.tokens.some((_, at) => language.phrases.negations.match(around, at) !== null)) return refused;
  const unread = unreadBeside(around, language);
  if (unread.length === 0) return captured(found);
  return wholeOnly ? refused : captured(found, 'sentence', unread);
}

/** The first token of the number: a digit, a plus, or "double". */
function firstDigit(said: TokenizedUtterance, language: Language): number {
  const { times } = compileSpelling(language);
  for (let at = skipCarriers(said, language); at < said.tokens.length; at++) {
    const sign = signAt(said, at, language)!;
    if (said.tokens[at]!.kind === 'digits' || isDictated(said, at, language)) return at;
    if (sign.kind === 'symbol' && sign.text === '+') return at;
    if (times.match(said, at) !== null) return at;
  }
  return 0;
}

function validNumber(row: string, region: CountryCode | undefined): string | null {
  const phone = parsePhoneNumberFromString(row, region);
  return phone?.isValid() === true ? phone.number : null;
}

/** An http or https address; a bare host name gets https if it has a public suffix. */
export function readUrl(
  answer: string,
  language: Language,
  demand: Demand,
  budget: ReadingBudget,
): CastOutcome {
  const text = answer.trim();
  const whole = webAddress(text);
  if (whole !== null) return captured(whole);
  const words = text.split(/\s+/).map((word) => withoutFullStop(withoutBrackets(word)));
  const found = new Set(words.map(webAddress).filter((address) => address !== null));
  const [address, second] = found;
  if (second !== undefined) return failed('ambiguous');
  if (text.length > answerLimits.castCharsMax) return failed('not_a_url');
  if (address === undefined)
    return readSpelledUrl(tokenize(text, null, budget), language, demand) ?? failed('not_a_url');
  const around = words.filter((word) => webAddress(word) === null).join(' ');
  const others = tokenize(around, null, budget);
  const explained = accountFor(others, () => null, demand.strict ? [] : [language.phrases.fillers]);
  if (explained !== null) return captured(address);
  return readSpelledUrl(tokenize(text, null, budget), language, demand) ?? failed('not_a_url');
}

/** "W w w dot example dot com slash help", with or without a scheme. */
function readSpelledUrl(
  said: TokenizedUtterance,
  language: Language,
  { strict }: Demand,
): CastOutcome | null {
  const from = skipCarriers(said, language);
  if (strict && from > 0) return null;
  const tail = fillerTail(said, language);
  for (let end = from + 1; end <= said.tokens.length; end++) {
    if (tail[end] !== true) continue;
    const joined = joinSigns(said, from, end, language, true);
    if (joined === null || !/[.:]/.test(joined)) continue;
    // Without a scheme or www in front, two adjoining words may be words of the sentence.
    const isOpened = /^(?:https?:\/\/|www\.)/.test(joined);
    if (!isOpened && joinSigns(said, from, end, language, false) === null) return null;
    const host = /^(?:https?:\/\/)?([^/:?#]+)/.exec(joined)?.[1] ?? '';
    const address = hasPublicSuffix(host) && !joined.includes('@') ? webAddress(joined) : null;
    if (address !== null) return captured(address);
  }
  return null;
}

const opening: ReadonlySet<string | undefined> = new Set('<("“');
const closing: ReadonlySet<string | undefined> = new Set('>)"”');

/** Loops, since a regex for the end of a text takes quadratic time on "))))))x". */
function withoutBrackets(word: string): string {
  let [start, end] = [0, word.length];
  while (opening.has(word[start])) start++;
  while (end > start && closing.has(word[end - 1])) end--;
  return word.slice(start, end);
}

function webAddress(text: string): string | null {
  if (text === '' || /\s/.test(text)) return null;
  const hasScheme = /^[a-z][a-z0-9+.-]*:\/\//i.test(text);
  const address = hasScheme ? text : `https://${text}`;
  const url = URL.canParse(address) ? new URL(address) : null;
  if (url?.protocol !== 'https:' && url?.protocol !== 'http:') return null;
  if (hasScheme) return canExist(address, url) ? address : null;
  return isPublicHost(url) ? address : null;
}

const label = /^[a-z\d_](?:[a-z\d_-]{0,61}[a-z\d_])?$/;
const fourNumbers = /^\d{1,3}(?:\.\d{1,3}){3}$/;

/** Whether a host of that name can exist. Only browsers accept `http://362` as an IP address. */
function canExist(address: string, { hostname }: URL): boolean {
  if (hostname.startsWith('[')) return true;
  if (fourNumbers.test(hostname))
    return address.includes(`//${hostname}`) || address.includes(`@${hostname}`);
  const labels = hostname.split('.');
  return (
    labels.length > 1 &&
    labels.every((one) => label.test(one)) &&
    /^(?:[a-z]{2,}|xn--.+)$/.test(labels.at(-1)!)
  );
}

/** Excludes "None.", "1.5" (an IP address), and addresses of people. */
function isPublicHost({ hostname, username }: URL): boolean {
  if (username !== '' || hostname.endsWith('.') || !hostname.includes('.')) return false;
  const { isIcann, domain } = parseHost(hostname, { extractHostname: false });
  return isIcann === true && domain !== null;
}
