// Whole numbers of a base language: the numbers 0 to 9,999 as one of its writers writes them. Two
// values give none.
import type { BaseLanguage, NumberWriter, PreparedHead } from './base-language.ts';

/**
 * Heads differ by the size of the rest: 1,001 is written with a word for the missing hundreds,
 * 1,100 without.
 */
export const restClass = (rest: number): number => (rest < 10 ? 1 : rest < 20 ? 2 : rest < 100 ? 4 : 8);

/** The number in a folded text; null when there is none, or several. */
export function readBaseNumber(text: string, { writers, minus }: BaseLanguage): number | null {
  const sign = minus.find((word) => text.startsWith(word)) ?? '';
  const unsigned = text.slice(sign.length);
  const values = writers.flatMap((writer) => [
    ...findWhole(unsigned, writer),
    ...afterHeads(unsigned, writer, 1000),
  ]);
  const [value, ...others] = new Set(values);
  if (value === undefined || others.length > 0) return null;
  return sign === '' || value === 0 ? value : -value;
}

function findWhole(text: string, { whole }: NumberWriter): number[] {
  const value = whole.get(text);
  return value === undefined ? [] : [value];
}

/** Numbers that begin with a head of at most this scale: hundreds (100) or thousands (1000). */
function afterHeads(text: string, writer: NumberWriter, scaleMax: number): number[] {
  const heads = writer.heads.get(text.charAt(0)) ?? [];
  return heads.flatMap((head) =>
    head.scale <= scaleMax && text.startsWith(head.text)
      ? withRest(head, text.slice(head.text.length), writer)
      : [],
  );
}

function withRest({ scale, rests, value }: PreparedHead, text: string, writer: NumberWriter): number[] {
  const values = [...findWhole(text, writer), ...(scale === 1000 ? afterHeads(text, writer, 100) : [])];
  return values
    .filter((rest) => rest > 0 && rest < scale && (restClass(rest) & rests) !== 0)
    .map((rest) => value + rest);
}
