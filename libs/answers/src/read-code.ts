// Reads a code of letters and digits: a policy number, a plate, a spelled name. Written, or spelled
// sign by sign. Captured in capitals, without blanks and marks.
import type { ReadingBudget } from './budget.ts';
import { tokenize, type TokenizedUtterance } from './grammar/tokens.ts';
import type { Language } from './language/language.ts';
import { captured, failed, type CastOutcome } from './outcome.ts';
import { signAt, compileSpelling } from './read-spelled.ts';
import { isQuestion } from './sentence-rules.ts';
import type { Demand } from './understand.ts';

/** Signs in a row. */
interface Run {
  text: string;
  readonly from: number;
  to: number;
}

interface Runs {
  readonly runs: readonly Run[];
  /** Tokens of words that are no sign. */
  readonly unread: readonly number[];
  /** The part that a correction takes back. */
  readonly discarded: Run | null;
}

/** Fewer signs are a word or a number of the sentence. */
const signsMin = 2;

export function readCode(
  answer: string,
  language: Language,
  { strict, wholeOnly }: Demand,
  budget: ReadingBudget,
): CastOutcome {
  const said = tokenize(answer, language.lexicon.numbers.split, budget);
  const { tokens } = said;
  const { runs, unread, discarded } = runsIn(said, language, strict);
  const [run, second] = runs.filter(({ text }) => text.length >= signsMin);
  // "M wie Martha": the spelling of a letter is no question.
  const asked = tokens.filter(({ kind }, at) => kind === 'mark' || unread.includes(at));
  if (run === undefined || isQuestion({ ...said, tokens: asked }, language)) return failed('not_a_code');
  if (second !== undefined && second.text !== run.text) return failed('ambiguous');
  // A correction must repeat the whole code: a partial one has no certain place.
  if (discarded !== null && discarded.text.length !== run.text.length) return failed('ambiguous');
  if (unread.some((at) => language.phrases.negations.match(said, at) !== null)) return failed('not_a_code');
  // "AB12 cde", "12 accidents": a word after the signs may be a part of them, or what they count.
  if (unread.includes(run.to)) return failed('not_a_code');
  // A letter before the signs may be one of them: "es a 1 2 3", "É R I C A".
  const before = tokens[run.from - 1];
  const isLetter = before?.text.length === 1 && before.kind === 'word' && said.text[before.start - 1] !== "'";
  if (isLetter && (unread.includes(run.from - 1) || !/\d/.test(run.text))) return failed('ambiguous');
  const spelled = fold(run.text);
  const rest = unread.filter((at) => tokens[at]!.text !== spelled);
  // "Meier with E I": a part of a word is no code.
  if (rest.some((at) => tokens[at]!.text.includes(spelled))) return failed('not_a_code');
  const others = rest.map((at) => wordAt(said, at));
  if (others.length > 0 && wholeOnly) return failed('not_a_code');
  const spans = [[tokens[run.from]!.start, tokens[run.to - 1]!.end]] as const;
  const outcome = captured(run.text, others.length > 0 ? 'sentence' : 'whole', others, spans);
  return discarded === null ? outcome : { ...outcome, discarded: discarded.text };
}

function runsIn(said: TokenizedUtterance, language: Language, strict: boolean): Runs {
  const { phrases } = language;
  const { repairs, plainNo } = phrases.sentence;
  const known = strict ? [] : [phrases.fillers, compileSpelling(language).carriers];
  const runs: Run[] = [];
  const unread: number[] = [];
  let open: Run | null = null;
  let discarded: Run | null = null;
  for (let at = 0; at < said.tokens.length;) {
    const end = (lists: typeof known) => {
      const last = Math.max(at, ...lists.map((list) => list.match(said, at)?.next ?? at)) - 1;
      // "É A B …": the article at the end of a phrase may be a letter.
      return last > at && isCapitalLetter(said, last) ? last : last + 1;
    };
    const sign = codeSign(said, at, language, open !== null, end(known) > at);
    const taken = strict || sign !== null ? at : end([repairs, plainNo]);
    if (sign !== null) {
      if (open === null) runs.push((open = { text: '', from: at, to: at }));
      open.text += sign.text;
      if (sign.text !== '') open.to = sign.next;
      at = sign.next;
    } else if (taken > at) {
      if (runs.length > 0) discarded = runs.pop()!;
      open = null;
      at = taken;
    } else if (said.tokens[at]!.kind === 'mark') at++;
    else if (end(known) > at) at = end(known);
    else {
      open = null;
      unread.push(at++);
    }
  }
  return { runs, unread, discarded };
}

/** Marks between the signs of a code, and their names. */
const separators: ReadonlySet<string> = new Set(['', '-', '/', '.', '_']);

/** Letters of a part in word form: "NT 204518". */
const partLettersMax = 3;

function codeSign(
  said: TokenizedUtterance,
  at: number,
  language: Language,
  isOpen: boolean,
  isKnown: boolean,
) {
  const token = said.tokens[at]!;
  // The pieces of "I'd" and "l'été" are no letters.
  if (said.text[token.start - 1] === "'" || said.text[token.end] === "'") return null;
  const sign = signAt(said, at, language);
  if (sign === null) return null;
  const { sentence } = language.phrases;
  const isWord = isKnown || sentence.small.match(said, at) !== null || token.text === language.lexicon.and;
  const written = wordAt(said, at).replaceAll(/[^\p{L}\p{M}\d]/gu, '');
  // Folded, "eñe" is "ene".
  if (sign.kind === 'letters' && written.length > 1 && /ñ/i.test(written)) return null;
  const isCapital = written === written.toUpperCase();
  switch (sign.kind) {
    case 'digits':
      return sign;
    case 'symbol':
      return isOpen && separators.has(sign.text) ? { ...sign, text: '' } : null;
    case 'letters': {
      const joins = token.text === language.lexicon.and || sentence.changes.match(said, at) !== null;
      if (sign.next === at + 1 && !isCapital && (joins || (isWord && !isOpen && at > 0))) return null;
      // "È A B …": the first word of a sentence has a capital and is no letter of the code.
      if (at === 0 && isWord && written > '\u007f' && said.tokens[sign.next]?.kind !== 'mark') return null;
      const text = sign.text === token.text ? written : sign.text;
      return { ...sign, text: text.toUpperCase() };
    }
    case 'word': {
      const leads = isOpen || signAt(said, at + 1, language)?.kind === 'digits';
      if (leads && compileSpelling(language).zero.match(said, at) !== null) return { ...sign, text: '0' };
      const isPart = isCapital || said.tokens[at + 1]?.kind === 'digits';
      const isNoPart = isWord || compileSpelling(language).noPart.match(said, at) !== null;
      const fits = token.text.length <= partLettersMax && isPart && !isNoPart;
      return fits ? { ...sign, text: written.toUpperCase() } : null;
    }
  }
}

const isCapitalLetter = (said: TokenizedUtterance, at: number): boolean => /^\p{Lu}$/u.test(wordAt(said, at));

const wordAt = ({ utterance, tokens }: TokenizedUtterance, at: number): string =>
  utterance.slice(tokens[at]!.start, tokens[at]!.end);

/** As tokens are folded: lower case, without accents. */
const fold = (text: string): string => text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase();
