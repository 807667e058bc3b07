// Addresses: e-mail, phone, web. Such a value is whole in itself, so other words cannot change it, except one that refuses it ("not
// ada@example.com") and a second address.
import { parsePhoneNumberFromString, type CountryCode } from 'libphonenumber-js/min';
import { parse as parseHost } from 'tldts';
import * as z from 'zod';
import { answerLimits } from './limits.ts';
import { captured, failed, type CastOutcome } from './cast.ts';
import { accountFor } from './grammar/account.ts';
import { tokenize } from './grammar/tokens.ts';
import type { Language } from './language/language.ts';
import { withoutFullStop } from './sentence.ts';
import type { ReadingBudget } from './budget.ts';

const emailAddress = z.email();

/** One address, alone or inside a sentence; two are not an answer. */
export function readEmail(
  answer: string,
  language: Language,
  strict: boolean,
  budget: ReadingBudget,
): CastOutcome {
  const others: string[] = [];
  const found = new Set<string>();
  for (const piece of answer.split(/[\s<>()[\]",;]+/)) {
    const word = withoutFullStop(piece.replace(/^mailto:/i, ''));
    if (emailAddress.safeParse(word).success) found.add(word);
    else if (word !== '') others.push(word);
  }
  const [address, second] = found;
  if (address === undefined) return failed('not_an_email');
  if (second !== undefined) return failed('ambiguous');
  if (!leavesAlone(others.join(' '), language, strict, budget)) return failed('not_an_email');
  const at = address.lastIndexOf('@');
  return captured(address.slice(0, at) + address.slice(at).toLowerCase());
}

/** Whether the words around an address let it stand. */
function leavesAlone(words: string, { phrases }: Language, strict: boolean, budget: ReadingBudget): boolean {
  const said = tokenize(words, null, budget);
  if (strict) return said.tokens.every(({ kind }) => kind === 'mark');
  return said.tokens.every((_, at) => phrases.negations.match(said, at) === null);
}

// One row of digits with what people write between them.
const digitRow = /[+(]?\d(?:[\d().\-/\u00a0]| (?=[\d(+\-/]))*/g;

/** One number; a second row of digits, such as an extension, would be left over. */
export function compilePhone(
  defaultRegion: string | null,
  strict: boolean,
): (answer: string, language: Language, budget: ReadingBudget) => CastOutcome {
  const region = defaultRegion?.trim().toUpperCase() as CountryCode | undefined;
  return (answer, language, budget) => {
    const phone = parsePhoneNumberFromString(answer, region);
    if (phone?.isValid() !== true) return failed('not_a_phone_number');
    const rows = new Set(answer.match(digitRow)?.map((row) => row.replace(/[^\d+]/g, '')) ?? []);
    if (rows.size > 1) return failed('ambiguous');
    const words = answer.replace(digitRow, ' ');
    return leavesAlone(words, language, strict, budget)
      ? captured(phone.number)
      : failed('not_a_phone_number');
  };
}

/** An http or https address; a bare host name gets https, when it ends as the names of the public web do. */
export function readUrl(
  answer: string,
  language: Language,
  strict: boolean,
  budget: ReadingBudget,
): CastOutcome {
  const text = answer.trim();
  const whole = webAddress(text);
  if (whole !== null) return captured(whole);
  const words = text.split(/\s+/).map((word) => withoutFullStop(withoutBrackets(word)));
  const found = new Set(words.map(webAddress).filter((address) => address !== null));
  const [address, second] = found;
  if (address === undefined) return failed('not_a_url');
  if (second !== undefined) return failed('ambiguous');
  const around = words.filter((word) => webAddress(word) === null).join(' ');
  if (around.length > answerLimits.castCharsMax) return failed('not_a_url');
  const others = tokenize(around, null, budget);
  const explained = accountFor(others, () => null, strict ? [] : [language.phrases.fillers]);
  return explained === null ? failed('not_a_url') : captured(address);
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
  if ((url?.protocol !== 'https:' && url?.protocol !== 'http:') || !url.hostname.includes('.')) return null;
  return hasScheme || isPublicHost(url) ? address : null;
}

/** Not "None." and not "1.5", which is an address of the network, and no address of a person either. */
function isPublicHost({ hostname, username }: URL): boolean {
  if (username !== '' || hostname.endsWith('.')) return false;
  const { isIcann, domain } = parseHost(hostname, { extractHostname: false });
  return isIcann === true && domain !== null;
}
