// How an utterance becomes the value of a collect node (spec flow-builder §3). compileCast is called once per node by compile.ts.
// A failed cast is an answer of its own, with its reason: never NaN, never silently a text.
import { parsePhoneNumberFromString, type CountryCode } from 'libphonenumber-js/min';
import * as z from 'zod';
import type { Cast } from '../define/casts.ts';
import { compileComparison } from './compare.ts';
import type { Choice } from '../define/definition.ts';
import { limits } from '../define/limits.ts';
import { ownMember, type Bag } from './paths.ts';
import { readDate, type DateKind } from './read-date.ts';
import { readNumber } from './read-number.ts';
import type { TurnBudget } from './turn-budget.ts';

export type CastOutcome =
  { readonly ok: true; readonly value: unknown } | { readonly ok: false; readonly reason: string };

/** Members of a collect node that a cast reads. */
export interface CastRules {
  readonly choices: readonly Choice[];
  /** ISO 3166 country of phone numbers that are said without one. */
  readonly defaultRegion: string | null;
}

/** Reads an answer; dates are relative to now (epoch ms) in the bag's own `timezone`. */
export type AnswerCast = (answer: string, nowMs: number, variables: Bag, budget?: TurnBudget) => CastOutcome;

/** Compiles the cast of a node. An unknown cast (null) fails every answer: the flow asks again rather than capture something else. */
export function compileCast(cast: Cast | null, rules: CastRules): AnswerCast {
  if (cast === null) return () => failed('unknown_cast');
  if (cast === 'string') return captured;
  const read = compilers[cast](rules);
  const charsMax = documents.has(cast) ? limits.textCharsMax : limits.castCharsMax;
  return (answer, nowMs, variables, budget) =>
    answer.length > charsMax ? failed('too_long') : read(answer, nowMs, variables, budget);
}

const captured = (value: unknown): CastOutcome => ({ ok: true, value });
const failed = (reason: string): CastOutcome => ({ ok: false, reason });

/** Casts of answers that are documents rather than something said in a breath. */
const documents: ReadonlySet<Cast> = new Set(['json', 'list', 'url']);

const compilers: Record<Exclude<Cast, 'string'>, (rules: CastRules) => AnswerCast> = {
  integer: () => (answer) => {
    const number = readNumber(withoutFullStop(answer));
    if (number === null) return failed('not_a_number');
    if (!Number.isInteger(number)) return failed('not_an_integer');
    return Number.isSafeInteger(number) ? captured(number) : failed('out_of_range');
  },
  number: () => (answer) => {
    const number = readNumber(withoutFullStop(answer));
    return number === null ? failed('not_a_number') : captured(number);
  },
  boolean: () => castBoolean,
  date: () => castDate('date'),
  time: () => castDate('time'),
  datetime: () => castDate('datetime'),
  email: () => castEmail,
  phone: castPhone,
  url: () => castUrl,
  json: () => castJson,
  list: () => castList,
  enum: castEnum,
};

const sentenceEnds: ReadonlySet<string | undefined> = new Set([...' \n\t.!?,;…']);

/** Speech-to-text ends sentences: "Twenty-one." A loop, since a regex for the end of a text takes quadratic time on "......x". */
function withoutFullStop(answer: string): string {
  let end = answer.length;
  while (sentenceEnds.has(answer[end - 1])) end--;
  return answer.slice(0, end).trim();
}

const yesNo: ReadonlyMap<string, boolean> = new Map([
  ...'true yes y yeah yep yup sure ok okay correct right affirmative on 1'
    .split(' ')
    .map((word) => [word, true] as const),
  ...'false no n nope nah incorrect wrong negative off 0'.split(' ').map((word) => [word, false] as const),
  ...['of course', 'that is right', "that's right", 'yes please', 'yes thanks'].map(
    (said) => [said, true] as const,
  ),
  ...['not really', 'no thanks', 'no thank you'].map((said) => [said, false] as const),
]);

function castBoolean(answer: string): CastOutcome {
  const said = withoutFullStop(answer).toLowerCase().replaceAll(',', '').replaceAll('’', "'");
  const value = yesNo.get(said.split(/\s+/).join(' '));
  return value === undefined ? failed('not_a_boolean') : captured(value);
}

function castDate(kind: DateKind): AnswerCast {
  return (answer, nowMs, variables) => readDate(answer, kind, nowMs, ownMember(variables, 'timezone'));
}

const emailAddress = z.email();

/** One address, alone or inside a sentence; two are not an answer. */
function castEmail(answer: string): CastOutcome {
  const candidates = answer
    .split(/[\s<>()[\]",;]+/)
    .map((word) => withoutFullStop(word.replace(/^mailto:/i, '')))
    .filter((word) => emailAddress.safeParse(word).success);
  const [address, ...others] = new Set(candidates);
  if (address === undefined) return failed('not_an_email');
  if (others.length > 0) return failed('ambiguous');
  const at = address.lastIndexOf('@');
  return captured(address.slice(0, at) + address.slice(at).toLowerCase());
}

function castPhone({ defaultRegion }: CastRules): AnswerCast {
  const region = defaultRegion?.trim().toUpperCase() as CountryCode | undefined;
  return (answer) => {
    const phone = parsePhoneNumberFromString(answer, region);
    return phone?.isValid() ? captured(phone.number) : failed('not_a_phone_number');
  };
}

/** An http or https address; a bare host name gets https. */
function castUrl(answer: string): CastOutcome {
  const text = answer.trim();
  if (text === '' || /\s/.test(text)) return failed('not_a_url');
  const address = /^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text : `https://${text}`;
  const url = URL.canParse(address) ? new URL(address) : null;
  const isWeb = url?.protocol === 'https:' || url?.protocol === 'http:';
  return isWeb && url.hostname.includes('.') ? captured(address) : failed('not_a_url');
}

function castJson(answer: string): CastOutcome {
  try {
    const value: unknown = JSON.parse(answer);
    return depthWithin(value, limits.jsonAnswerDepthMax) ? captured(value) : failed('too_deep');
  } catch {
    return failed('not_json');
  }
}

function depthWithin(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return true;
  return levels > 0 && Object.values(value).every((member) => depthWithin(member, levels - 1));
}

/** A JSON list, or texts between commas, semicolons, line ends and a last "and". */
function castList(answer: string): CastOutcome {
  const text = answer.trim();
  if (text.startsWith('[')) {
    const json = castJson(text);
    return json.ok && Array.isArray(json.value) && json.value.length > 0 ? json : failed('not_a_list');
  }
  const pieces = text.split(/[,;\n]/);
  const [head, tail] = splitLastAnd(pieces.pop() ?? '');
  const items = [...pieces, head, tail]
    .map((piece) => withoutFullStop(piece))
    .filter((piece) => piece !== '');
  return items.length > 0 ? captured(items) : failed('not_a_list');
}

/** "b and c" and the "and c" after a comma. */
function splitLastAnd(piece: string): readonly [string, string] {
  const spaced = ` ${piece.trim()}`;
  const at = spaced.toLowerCase().lastIndexOf(' and ');
  return at === -1 ? [spaced, ''] : [spaced.slice(0, at), spaced.slice(at + ' and '.length)];
}

/** Choices and synonyms are matched as `eq` matches: folded texts, numbers by value. The first that fits wins. */
function castEnum({ choices }: CastRules): AnswerCast {
  const compiled = choices.map((choice) => {
    const { value, synonyms } = typeof choice === 'object' ? choice : { value: choice, synonyms: null };
    const spellings = [value, ...(synonyms ?? [])];
    return {
      value,
      comparisons: spellings.map((text) => compileComparison('eq', text, { caseSensitive: false })),
    };
  });
  const find = (said: string, budget: TurnBudget | undefined) =>
    compiled.find((choice) =>
      choice.comparisons.some((compare) => {
        budget?.text(choiceChars);
        return compare(said, budget).matched;
      }),
    );
  return (answer, _nowMs, _variables, budget) => {
    const choice = find(answer, budget) ?? find(withoutFullStop(answer), budget);
    return choice === undefined ? failed('not_a_choice') : captured(choice.value);
  };
}

/** What trying a choice takes beside the characters of the answer. */
const choiceChars = 8;
