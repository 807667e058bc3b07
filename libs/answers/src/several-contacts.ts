// Addresses and numbers of documents among other values, with the place where they are written.
import type { AnswerCast, ReadingContext } from './cast.ts';
import { captured, type Captured } from './outcome.ts';

/** An address with its place; without one where it was spelled. */
export function readContact(cast: AnswerCast, text: string, context: ReadingContext): Captured | null {
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
/** Digits with what people write between them. */
const digitRows = /[+(]?\d[\d().\-/ ]*\d/g;

/** The one word with a digit that a node of a text or code takes. */
export function readWord(
  text: string,
  cast: AnswerCast,
  context: ReadingContext,
  accepts: (value: unknown) => boolean,
): Captured | null {
  const found = [...text.matchAll(/[\p{L}\p{N}][^\s,;!?]*[\p{L}\p{N}]/gu)].flatMap((match) => {
    const read = /\d/.test(match[0]) ? cast(match[0], context) : null;
    return read?.ok === true && accepts(read.value) ? [{ value: read.value, match }] : [];
  });
  const [first, second] = found;
  if (first === undefined || second !== undefined) return null;
  const { index, 0: word } = first.match;
  return captured(first.value, 'sentence', [], [[index, index + word.length]]);
}
