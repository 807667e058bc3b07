// Reads one answer of a node and explains what the cast did with each word, for the tools that show
// this to designers.
import { uncounted } from './budget.ts';
import { compileCast, type AnswerCast, type CastRules, type ReadingContext } from './cast.ts';
import type { Cast } from './casts.ts';
import { isGlued, tokenize, type TokenizedUtterance } from './grammar/tokens.ts';
import type { Language } from './language/language.ts';
import { answerLimits } from './limits.ts';
import type { CastOutcome } from './outcome.ts';
import { fillerTail, skipCarriers, compileSpelling } from './read-spelled.ts';
import { ReadingNotes, type TokenRule } from './reading-notes.ts';
import { questionAt } from './sentence-rules.ts';

export interface AnswerSpec extends CastRules {
  readonly cast: Cast | null;
}

export interface ReadToken {
  /** As in the utterance. */
  readonly text: string;
  /** [start, end) in the utterance in Unicode normal form C. */
  readonly start: number;
  readonly end: number;
  readonly rule: TokenRule;
}

/** `rule`: as a whole, as a correction of itself, or as a value inside a sentence. */
export type AnswerReading = CastOutcome & {
  readonly rule: 'whole' | 'repair' | 'sentence' | null;
  /** Empty for an answer that is longer than an utterance. */
  readonly tokens: readonly ReadToken[];
};

export const readAnswer = (utterance: string, spec: AnswerSpec, context: ReadingContext): AnswerReading =>
  explainAnswer(compileCast(spec.cast, spec), utterance, context);

export function explainAnswer(cast: AnswerCast, utterance: string, context: ReadingContext): AnswerReading {
  const { budget = uncounted } = context;
  const notes = new ReadingNotes();
  const outcome = cast(utterance, { ...context, budget: { text: (chars) => budget.text(chars), notes } });
  const tokens = utterance.length > answerLimits.castCharsMax ? [] : listTokens(utterance, outcome, notes);
  if (!outcome.ok) return { ...outcome, rule: null, tokens };
  return { ...outcome, rule: outcome.discarded === null ? outcome.reading : 'repair', tokens };
}

function listTokens(utterance: string, outcome: CastOutcome, notes: ReadingNotes): ReadToken[] {
  if (notes.language !== null) noteAddress(utterance, outcome, notes.language, notes);
  const said = notes.said ?? tokenize(utterance);
  const otherwise = outcome.ok && notes.said === null ? 'value' : 'unread';
  const read: ReadToken[] = [];
  for (const token of said.tokens) {
    const { start, end } = token;
    // Parts of a compound word, such as "dreihundertvier".
    if (read.at(-1)?.start === start) continue;
    read.push({ text: said.utterance.slice(start, end), start, end, rule: notes.ruleOf(token) ?? otherwise });
  }
  return read;
}

/** The reader of addresses notes no tokens, so this names the rule of each word around one. */
function noteAddress(utterance: string, outcome: CastOutcome, language: Language, notes: ReadingNotes): void {
  const said = tokenize(utterance, language.lexicon.numbers.split);
  notes.begin(said);
  const { length } = said.tokens;
  if (!outcome.ok) {
    for (let at = 0; at < length; at++)
      if (language.phrases.negations.match(said, at) !== null) notes.mark(said, at, at + 1, 'changes_value');
    const question = questionAt(said, language);
    if (question !== -1) notes.mark(said, question, question + 1, 'question');
    return;
  }
  notes.mark(said, 0, length, 'value');
  const from = skipCarriers(said, language);
  const to = fillerTail(said, language).indexOf(true, from);
  const left = [...outcome.unread];
  for (let at = 0; at < length;) {
    const { start, end } = said.tokens[at]!;
    const isBeside = at < from || at >= to || (outcome.reading === 'sentence' && !isTouching(said, at));
    const [next, rule] = isBeside ? besideAt(said, at, language) : [at, 'value' as const];
    if (isBeside && left[0] === said.utterance.slice(start, end)) {
      notes.mark(said, at, at + 1, 'unread');
      left.shift();
      at += 1;
    } else {
      notes.mark(said, at, next, rule);
      at = Math.max(next, at + 1);
    }
  }
}

const isTouching = (said: TokenizedUtterance, at: number): boolean =>
  isGlued(said, at) || isGlued(said, at + 1);

function besideAt(said: TokenizedUtterance, at: number, language: Language): readonly [number, TokenRule] {
  const carrier = compileSpelling(language).carriers.match(said, at);
  const { fillers, momentFillers } = language.phrases;
  const filler = fillers.match(said, at) ?? momentFillers.match(said, at);
  if (carrier !== null && carrier.next >= (filler?.next ?? 0)) return [carrier.next, 'carrier'];
  if (filler !== null) return [filler.next, 'filler'];
  return [said.tokens[at]!.kind === 'mark' ? at + 1 : at, 'filler'];
}
