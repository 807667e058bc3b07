// Finds addresses and document numbers among other values, with their place in the text.
import type { AnswerCast, ReadingContext } from './cast.ts';
import { captured, type CapturedAnswer } from './outcome.ts';

/** An address with its place; without one when it was spelled. */
export function readContact(cast: AnswerCast, text: string, context: ReadingContext): CapturedAnswer | null {
  const outcome = cast(text, context);
  if (!outcome.ok) return null;
  const places = [...text.matchAll(words), ...text.matchAll(digitRows)];
  const place = places.find(({ 0: word }) => {
    const read = /[\d@.]/.test(word) ? cast(word, context) : null;
    return read?.ok === true && read.value === outcome.value;
  });
  return { ...outcome, spans: place ? [[place.index, place.index + place[0].length]] : [] };
}

const words = /[^\s,;]+/g;
/** Digits with the separators that people write. */
const digitRows = /[+(]?\d[\d().\-/ ]*\d/g;

/** The one word with a digit that a text or code node accepts. */
export function readWord(
  text: string,
  cast: AnswerCast,
  context: ReadingContext,
  accepts: (value: unknown) => boolean,
): CapturedAnswer | null {
  const found = [...text.matchAll(/[\p{L}\p{N}][^\s,;!?]*[\p{L}\p{N}]/gu)].flatMap((match) => {
    const read = /\d/.test(match[0]) ? cast(match[0], context) : null;
    return read?.ok === true && accepts(read.value) ? [{ value: read.value, match }] : [];
  });
  const [first, second] = found;
  if (first === undefined || second !== undefined) return null;
  const { index, 0: word } = first.match;
  return captured(first.value, 'sentence', [], [[index, index + word.length]]);
}
