// Reads self-corrections: "Monday, no, Tuesday", "not Monday, Wednesday". The words of a correction
// are in closed lists; a value of the same kind must precede them, and the answer follows.
import type { TokenizedUtterance } from './grammar/tokens.ts';
import type { Language } from './language/language.ts';

export interface Repair {
  /** The part that is taken back. */
  readonly before: TokenizedUtterance;
  /** The part that counts. */
  readonly after: TokenizedUtterance;
  /** The first part may hold no value: "oh no wait, Friday". */
  readonly opens: boolean;
  /** "Not Monday, …": the first part is denied. */
  readonly denied: boolean;
}

/** The ways to read an utterance as a correction; the last correction first. */
export function* repairsIn(
  said: TokenizedUtterance,
  { phrases }: Language,
  noIsValue: boolean,
): Generator<Repair> {
  const { tokens } = said;
  const { repairs, plainNo, denials, contrasts } = phrases.sentence;
  for (let at = tokens.length - 1; at >= 0; at--) {
    const long = repairs.match(said, at);
    const no = noIsValue ? null : plainNo.match(said, at);
    const next = Math.max(long?.next ?? at, no?.next ?? at);
    if (next === at || next >= tokens.length) continue;
    // A plain no at the beginning may deny the next words: "no Friday" is not "no, Friday".
    const marked = tokens[next]!.kind === 'mark';
    const after = skipMarks(said, next);
    const isPlain = long === null || long.next < next;
    yield { ...parted(said, at, after), opens: !isPlain || marked, denied: false };
  }
  const opening = phrases.fillers.match(said, 0)?.next ?? 0;
  const denied = denials.match(said, opening);
  if (denied === null) return;
  for (let at = denied.next + 1; at < tokens.length - 1; at++) {
    const contrast = contrasts.match(said, at);
    if (contrast === null && tokens[at]!.text !== ',' && tokens[at]!.text !== '.') continue;
    let after = skipMarks(said, contrast?.next ?? at + 1);
    after = contrasts.match(said, after)?.next ?? after;
    yield {
      before: slice(said, denied.next, at),
      after: slice(said, after, tokens.length),
      opens: false,
      denied: true,
    };
  }
}

function skipMarks({ tokens }: TokenizedUtterance, at: number): number {
  let next = at;
  while (next < tokens.length && tokens[next]!.kind === 'mark') next++;
  return next;
}

const parted = (said: TokenizedUtterance, end: number, begin: number) => ({
  before: slice(said, 0, end),
  after: slice(said, begin, said.tokens.length),
});

const slice = (said: TokenizedUtterance, from: number, to: number): TokenizedUtterance => ({
  ...said,
  tokens: said.tokens.slice(from, Math.max(from, to)),
});

/** Whether it holds only marks, fillers and words of correction: "oh", "ach". */
export function holdsNothing(said: TokenizedUtterance, { phrases }: Language): boolean {
  const { tokens } = said;
  for (let at = 0; at < tokens.length;) {
    const known =
      phrases.fillers.match(said, at) ??
      phrases.sentence.repairs.match(said, at) ??
      phrases.sentence.plainNo.match(said, at);
    if (known !== null) at = known.next;
    else if (tokens[at]!.kind === 'mark' || exclamations.has(tokens[at]!.text)) at++;
    else return false;
  }
  return true;
}

const exclamations: ReadonlySet<string> = new Set(
  'ach ah ay ai oh o oje och eh uh um ehm ah aj uy hm mm euh he ops oops hoppla mist mince zut vaya uff ui'.split(
    ' ',
  ),
);
