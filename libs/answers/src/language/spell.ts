// Builds the numbers below a hundred in words from the basic words of a language.

type Row = readonly [string, number];

const words = (text: string): string[] => text.split(' ');

/** Zero to nineteen, in order. */
export const counted = (text: string, from = 0): Row[] =>
  words(text).map((word, index) => [word, from + index] as const);

/**
 * Tens from `from` and the numbers between them; `join` puts ten and unit together, in one spelling
 * or several.
 */
export function tensAndUnits(
  tens: string,
  units: string,
  join: (ten: string, unit: string, value: number) => readonly string[],
  from = 20,
): Row[] {
  return words(tens).flatMap((ten, index) => {
    const value = from + index * 10;
    const joined = words(units).flatMap((unit, place) =>
      join(ten, unit, value + place + 1).map((spelled) => [spelled, value + place + 1] as const),
    );
    return [[ten, value] as const, ...joined];
  });
}

/** Splits a compound word into words of the language; null when a part remains. */
export function splitInto(parts: Iterable<string>, only: RegExp): (word: string) => readonly string[] | null {
  const known = [...new Set(parts)]
    .filter((part) => /^\p{L}+$/u.test(part))
    .sort((a, b) => b.length - a.length);
  return (word) => {
    if (word.length > wordCharsMax || !only.test(word)) return null;
    const dead = new Set<number>();
    const from = (at: number): string[] | null => {
      if (at === word.length) return [];
      if (dead.has(at)) return null;
      for (const part of known) {
        const rest = word.startsWith(part, at) ? from(at + part.length) : null;
        if (rest !== null) return [part, ...rest];
      }
      dead.add(at);
      return null;
    };
    const found = from(0);
    return found !== null && found.length > 1 ? found : null;
  };
}

/** Tries one splitter, then another. */
export const either =
  (...splitters: readonly ((word: string) => readonly string[] | null)[]) =>
  (word: string): readonly string[] | null => {
    for (const split of splitters) {
      const parts = split(word);
      if (parts !== null) return parts;
    }
    return null;
  };

/** "neunhundertneunundneunzigtausend…" has some seventy letters. */
const wordCharsMax = 100;
