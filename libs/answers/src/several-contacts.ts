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

/** The one word with a digit that a text node takes. */
export function readWord(text: string, accepts: (word: string) => boolean): Captured | null {
  const words = [...text.matchAll(/[\p{L}\p{N}][^\s,;!?]*[\p{L}\p{N}]/gu)].filter(
    ([word]) => /\d/.test(word) && accepts(word),
  );
  const [match] = words;
  if (match === undefined || words.length > 1) return null;
  return captured(match[0], 'sentence', [], [[match.index, match.index + match[0].length]]);
}
