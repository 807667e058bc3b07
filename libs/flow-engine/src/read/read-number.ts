// Reads an answer as a number: digits with grouping, a decimal point, English number words. The whole answer must be the number:
// what remains unread is a reason to ask again, not to guess.

/** The number an answer says, or null: "1,234.5", "twenty-one", "one hundred and five", "minus three point two", "2 million". */
export function readNumber(answer: string): number | null {
  const text = answer.trim().toLowerCase().replaceAll('\u2212', '-');
  const digits = readDigits(text);
  if (digits !== null) return digits;
  // In words a hyphen only joins: "twenty-one".
  const words = text.split(/[\s-]+/).filter((word) => word !== '');
  const negative = words[0] === 'minus' || words[0] === 'negative';
  const number = readSpoken(negative ? words.slice(1) : words);
  return number === null ? null : negative ? -number : number;
}

const plainDigits = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)$/;
/** Groups of three with one kind of separator throughout: 1,234,567.8 or 1 234 567 or 1'234. */
const groupedDigits = /^[+-]?\d{1,3}([,'_ \u00a0\u202f])\d{3}(?:\1\d{3})*(?:\.\d+)?$/;

function readDigits(text: string): number | null {
  const plain = plainDigits.test(text)
    ? text
    : groupedDigits.test(text)
      ? text.replace(/[^\d.+-]/g, '')
      : null;
  if (plain === null) return null;
  const number = Number(plain);
  return Number.isFinite(number) ? number : null;
}

const units = (
  'zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen ' +
  'eighteen nineteen'
).split(' ');
const tens = 'twenty thirty forty fifty sixty seventy eighty ninety'.split(' ');
const smallNumbers: ReadonlyMap<string, number> = new Map([
  ...units.map((word, value) => [word, value] as const),
  ...tens.map((word, index) => [word, (index + 2) * 10] as const),
]);
const scales: ReadonlyMap<string, number> = new Map([
  ['thousand', 1e3],
  ['million', 1e6],
  ['billion', 1e9],
  ['trillion', 1e12],
]);

function readSpoken(words: readonly string[]): number | null {
  const point = words.indexOf('point');
  if (point === -1) return readCardinal(words);
  const whole = point === 0 ? 0 : readCardinal(words.slice(0, point));
  const decimals = words.slice(point + 1).map(readDigitWord);
  if (whole === null || decimals.length === 0 || decimals.includes(null)) return null;
  return Number(`${whole}.${decimals.join('')}`);
}

/** One decimal place said aloud: "four", or a row of digits. */
function readDigitWord(word: string): string | null {
  if (/^\d+$/.test(word)) return word;
  const digit = units.indexOf(word);
  return digit >= 0 && digit <= 9 ? String(digit) : null;
}

/**
 * A cardinal in words. `room` is what the next small word must stay below: after "twenty" a unit fits, after a unit nothing does,
 * so that "one two three" and "twenty twelve" are no numbers.
 */
function readCardinal(words: readonly string[]): number | null {
  if (words.length === 0) return null;
  let total = 0;
  let group: number | null = null;
  let room = 1000;
  let scaleBelow = Infinity;
  for (const [index, word] of words.entries()) {
    const small = smallNumbers.get(word) ?? (index === 0 ? leadingNumber(word, words.length) : null);
    const scale = scales.get(word);
    if (small !== null) {
      if (small >= room || (small === 0 && words.length > 1)) return null;
      group = (group ?? 0) + small;
      room = small >= 20 && small < 100 ? 10 : 0;
    } else if (word === 'hundred') {
      if (group === null || group <= 0 || group > 99) return null;
      group *= 100;
      room = 100;
    } else if (scale !== undefined) {
      if (group === null || group <= 0 || scale >= scaleBelow) return null;
      total += group * scale;
      [group, room, scaleBelow] = [null, 1000, scale];
    } else if (word !== 'and' || !joins(words, index)) return null;
  }
  return total + (group ?? 0);
}

/** "a hundred", and digits before a scale: "2 million", "1.5 thousand". */
function leadingNumber(word: string, count: number): number | null {
  if (count === 1) return null;
  if (word === 'a' || word === 'an') return 1;
  const digits = readDigits(word);
  return digits !== null && digits < 1000 ? digits : null;
}

/** "and" stands between a hundred or a scale and a smaller number. */
function joins(words: readonly string[], index: number): boolean {
  const [before, after] = [words[index - 1] ?? '', words[index + 1] ?? ''];
  return (before === 'hundred' || scales.has(before)) && smallNumbers.has(after);
}
