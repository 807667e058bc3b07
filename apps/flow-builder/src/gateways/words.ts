// Reduces a text to its significant words, so that "Cancelling my bookings" and "cancel a booking"
// match. Pure. Word lists are English; other languages match word by word.

export interface Word {
  /** Lower case, without diacritics. */
  readonly form: string;
  /** The form without common English endings; answers ("yeah", "agrees") by their meaning. */
  readonly stem: string;
  /** Follows a "not": `don't cancel`. */
  readonly negated: boolean;
  /** Says little alone: help, problem, something. */
  readonly generic: boolean;
}

/**
 * How far a negation reaches. `clause`: to the end of the clause, as people speak ("I don't want to
 * cancel my booking"). `next`: over one word, as authors write conditions ("not working or
 * broken").
 */
export type NegationReach = 'clause' | 'next';

/** Maximum number of negated words in speech without punctuation. */
const NEGATED_WORDS_MAX = 6;

const set = (words: string): ReadonlySet<string> => new Set(words.split(' '));

/** Grammar, courtesy, and words of conditions about the speaker ("the caller wants to …"). */
const silent = set(
  'a about actually already am an and any are as asked asking asks ask at be because been being but by call called caller callers ' +
    'calling can cannot cant client could couldnt customer customers did do does doing else express expresses for from get getting ' +
    'give go going gonna good got had has have having he hello hey hi her him his how i if im in indicate indicates instead intend ' +
    'intends into is it its ive just know let like likes look looking looks made make makes making may me mean mention mentions might ' +
    'mine more most much must my of on onto or our out over own please prefer really regarding request requested requesting ' +
    'requests say saying says she should so some still tell telling than thank thanks that thats the their them then there these they ' +
    'this those through to too try trying unable up us user users very visitor wanna want wanted wanting wants was we were what whats ' +
    'whether which while who whom why will wish wishes with would you your yours',
);

const generic = set(
  'anything assistance concern difficulty enquiry everything help inquiry issue issues matter need needed needing needs other others ' +
    'problem problems question questions situation something stuff support thing things trouble troubles',
);

const negations = set('not never without neither nor no');
const inabilities = set('can could able');
/**
 * After a leading "no" these words show that the "no" was an answer: "no I want …", "no thanks".
 */
const afterAnAnswer = set('i im id thanks thank that thats it its please not dont sorry we you');
const clauseEnds = set('but because instead rather since just');

/** Words of answers, and of conditions about answers. */
const answers: ReadonlyMap<string, string> = new Map([
  ...['yes', 'yeah', 'yep', 'yup', 'sure', 'ok', 'okay', 'agree', 'accept', 'confirm', 'affirmative'].map(
    (word) => [stem(word), 'yes'] as const,
  ),
  ...['no', 'nope', 'nah', 'decline', 'refuse', 'disagree', 'reject', 'deny'].map(
    (word) => [stem(word), 'no'] as const,
  ),
]);

// Stateless, so one is enough.
const segmenter = new Intl.Segmenter('en', { granularity: 'word' });
/**
 * Scripts without blanks between words. Only these need the segmenter: a pattern is 15 times as
 * fast.
 */
const withoutBlanks =
  /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}]/u;
/**
 * Letters and digits, with an English contraction (`don't`) but not a Romance one (`l'abonnement`
 * is two words).
 */
const wordOrClauseEnd = /[\p{L}\p{N}]+(?:'(?:d|ll|m|re|s|t|ve)(?!\p{L}))?|[.,;:!?\n]/gu;

export function readWords(text: string, reach: NegationReach): Word[] {
  const words: Word[] = [];
  const spoken = spokenParts(text);
  let negated = 0;
  for (const [position, part] of spoken.entries()) {
    if (part === null || clauseEnds.has(part)) {
      negated = 0;
      continue;
    }
    if (isNegation(part) && !isAnswer(spoken, position)) {
      if (!isInability(part, spoken[position - 1])) negated = reach === 'clause' ? NEGATED_WORDS_MAX : 1;
      continue;
    }
    const plain = part.replace("'", '');
    const form = part.replace(/'.*$/, '');
    if (silent.has(plain) || silent.has(form)) continue;
    const stemmed = stem(form);
    words.push({
      form,
      stem: answers.get(stemmed) ?? stemmed,
      negated: negated > 0,
      generic: generic.has(plain),
    });
    negated -= 1;
  }
  return words;
}

/** null where punctuation ends a clause. */
function spokenParts(text: string): (string | null)[] {
  const folded = text
    .normalize('NFKC')
    .toLowerCase()
    .normalize('NFKD')
    .replace(/\p{Mn}/gu, '')
    .replace(/[\u2018\u2019\u02bc]/g, "'");
  const parts: readonly string[] = withoutBlanks.test(folded)
    ? Array.from(segmenter.segment(folded), ({ segment }) => segment).filter((part) => /[^ ]/.test(part))
    : (folded.match(wordOrClauseEnd) ?? []);
  return parts.map((part) => (/^[\p{L}\p{N}]/u.test(part) ? part : null));
}

function isNegation(part: string): boolean {
  return (
    negations.has(part) ||
    /(?:n't|^(?:do|does|did|is|are|was|were|has|have|had|wo|would|should)nt)$/.test(part)
  );
}

/** "I can't log in" is about a problem with logging in, not about refusing to. */
function isInability(part: string, before: string | null | undefined): boolean {
  return /^(?:ca|could)n'?t$/.test(part) || (part === 'not' && before != null && inabilities.has(before));
}

/**
 * Whether a "no" is an answer and negates nothing: it ends a clause, or the next word begins one.
 */
function isAnswer(spoken: readonly (string | null)[], position: number): boolean {
  if (spoken[position] !== 'no') return false;
  const next = spoken[position + 1];
  if (next == null) return true;
  return position === 0 && (afterAnAnswer.has(next.replace("'", '')) || isNegation(next));
}

/**
 * Removes plural, -ing, -ed, -ation and -ment if enough remains. Both sides of a comparison are
 * stemmed.
 */
export function stem(word: string): string {
  if (!/^[a-z]{4,40}$/.test(word)) return word;
  const singular = word.replace(/ies$/, 'y').replace(/(?<=[^siu])s$/, '');
  const root = singular.replace(/(?<=^.*[aeiouy].*[a-z])(?:ations?|ments?|ing|ed)$/, '');
  const kept = root.length < 3 ? singular : root;
  return kept
    .replace(/e$/, '')
    .replace(/(?<=[b-df-hj-np-tv-xz])y$/, 'i')
    .replace(/([b-df-hj-np-tv-z])\1$/, '$1');
}
