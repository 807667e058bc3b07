// Reads the opening of an utterance with several values: a yes or a no, "but", a polite request.
// None is a value. After a no or a "but" every word must be accounted for: "no, Friday" corrects,
// "no, Friday is wrong" does not.
import { sentenceMarks } from './grammar/account.ts';
import type { TokenizedUtterance } from './grammar/tokens.ts';
import type { Language, LanguagePhrases } from './language/language.ts';
import { isQuestion } from './sentence-rules.ts';

export interface Opening {
  /** The text after it, and its place in the composed utterance. */
  readonly text: string;
  readonly from: number;
  /** Every word after it must be accounted for. */
  readonly isWhole: boolean;
  /** It is about the past. */
  readonly isPast: boolean;
}

/** Null = the utterance asks something, or is empty. */
export function readOpening(said: TokenizedUtterance, language: Language): Opening | null {
  const { phrases } = language;
  const { corrects, repairs } = phrases.sentence;
  let at = 0;
  let isWhole = false;
  for (let token = said.tokens[0]; token !== undefined; token = said.tokens[at]) {
    const answer = answerAt(said, at, phrases);
    const correction = corrects.match(said, at) ?? repairs.match(said, at);
    const isMark = token.kind === 'mark' && sentenceMarks.has(token.text);
    const known = answer ?? correction ?? phrases.fillers.match(said, at);
    if (!isMark && known === null) break;
    if (correction !== null || answer?.isYes === false) isWhole = true;
    at = known?.next ?? at + 1;
  }
  const request = phrases.sentence.requests.match(said, at);
  const rest = said.tokens.slice(request?.next ?? at);
  const [first] = rest;
  if (first === undefined) return null;
  // "Can I book … on Friday at seven?" is a request, not a question.
  const asked = request === null ? said.tokens : rest.filter(({ text }) => text !== '?');
  if (isQuestion({ ...said, tokens: asked }, language)) return null;
  return {
    text: said.utterance.slice(first.start),
    from: first.start,
    isWhole,
    isPast: tellsOfPast(said, phrases),
  };
}

/** "Ich hätte gern" is not past, though "hatte" is. */
function tellsOfPast(said: TokenizedUtterance, { fillers, sentence }: LanguagePhrases): boolean {
  for (let at = 0; at < said.tokens.length; at = fillers.match(said, at)?.next ?? at + 1)
    if (fillers.match(said, at) === null && sentence.past.match(said, at) !== null) return true;
  return false;
}

/** A plain yes or no, or a longer one before a mark: "that's right, …". */
function answerAt(said: TokenizedUtterance, at: number, { yesNo, sentence }: LanguagePhrases) {
  const match = yesNo.match(said, at);
  if (match === null || match.meaning === null) return null;
  const [first, behind] = [said.tokens[at]!, said.tokens[match.next]];
  const isPlain = sentence.plainYes.match(said, at) ?? sentence.plainNo.match(said, at);
  const isMarked = first.kind === 'word' && behind?.kind === 'mark';
  if (isPlain === null && !isMarked) return null;
  return { next: isMarked ? match.next : isPlain!.next, isYes: match.meaning };
}
