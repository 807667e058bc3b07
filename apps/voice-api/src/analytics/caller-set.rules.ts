// Compact, exact sets of caller numbers. Blocks store them so that joined blocks count each caller
// once. Numbers are small and dense (AnalyticsCaller), so a block needs at most one bit for each
// caller that the organisation ever had.
import { VarintWriter } from './varints.rules.ts';

/** The first byte says how the rest is encoded. */
const GAPS = 0;
const BITS = 1;

/** Encodes the shorter form: gaps between rising numbers, or a bitmap. */
export function encodeCallers(numbers: ReadonlySet<number>): Buffer {
  if (numbers.size === 0) return Buffer.alloc(0);
  const rising = Uint32Array.from(numbers).sort();
  const greatest = rising.at(-1)!;
  const bitBytes = (greatest >> 3) + 2;
  if (bitBytes <= rising.length + 1) {
    const bits = Buffer.alloc(bitBytes);
    bits[0] = BITS;
    for (const number of rising) bits[1 + (number >> 3)]! |= 1 << (number & 7);
    return bits;
  }
  const writer = new VarintWriter();
  writer.write(GAPS);
  let before = -1;
  for (const number of rising) {
    writer.write(number - before - 1);
    before = number;
  }
  return writer.bytes();
}

/** A decoded set: its rising numbers, or a bit for each number in 32-bit words. */
export interface CallerSet {
  readonly as: 'numbers' | 'words';
  readonly data: Uint32Array;
}

export function decodeCallers(bytes: Uint8Array): CallerSet {
  if (bytes[0] === BITS) {
    const words = new Uint32Array((bytes.length + 2) >> 2);
    new Uint8Array(words.buffer).set(bytes.subarray(1));
    return { as: 'words', data: words };
  }
  const numbers = readGaps(bytes);
  const wordsNeeded = countWords(numbers);
  if (wordsNeeded > numbers.length) return { as: 'numbers', data: numbers };
  const words = new Uint32Array(wordsNeeded);
  setBits(words, numbers);
  return { as: 'words', data: words };
}

/** VarintReader inlined: a week of a busy organisation has a hundred thousand numbers. */
function readGaps(bytes: Uint8Array): Uint32Array {
  const numbers = new Uint32Array(bytes.length);
  let count = 0;
  let number = -1;
  let gap = 0;
  let shift = 0;
  for (let index = 1; index < bytes.length; index += 1) {
    const byte = bytes[index]!;
    gap |= (byte & 127) << shift; // callers are numbered with 31 bits
    if (byte > 127) {
      shift += 7;
      continue;
    }
    number += gap + 1;
    numbers[count++] = number;
    gap = shift = 0;
  }
  if (shift > 0) throw new Error('a set of callers ends in the middle of a number');
  return numbers.slice(0, count);
}

/** Words needed for a bitmap of these rising numbers. */
function countWords(rising: Uint32Array): number {
  return rising.length === 0 ? 0 : (rising.at(-1)! >> 5) + 1;
}

function setBits(words: Uint32Array, numbers: Uint32Array): void {
  for (let index = 0; index < numbers.length; index += 1) {
    const number = numbers[index]!;
    words[number >> 5]! |= 1 << (number & 31);
  }
}

/** Calls `each` with the numbers of the set in rising order. */
export function eachCaller({ as, data }: CallerSet, each: (number: number) => void): void {
  if (as === 'numbers') return data.forEach((number) => each(number));
  for (let index = 0; index < data.length; index += 1) {
    for (let word = data[index]!; word !== 0; word &= word - 1) {
      each(index * 32 + 31 - Math.clz32(word & -word));
    }
  }
}

/** A bitmap of the callers of several sets. Joining two costs a few hundred machine words. */
export interface CallerUnion {
  add(sets: readonly CallerSet[], others: Iterable<number>): void;
  join(other: CallerUnion): void;
  count(): number;
  clear(): void;
  /** Trailing zero words may be missing. */
  words(): Uint32Array;
}

export function createCallerUnion(): CallerUnion {
  let words = new Uint32Array(16);
  /** Words in use; the words after them are zero. */
  let used = 0;

  function use(wordsNeeded: number): void {
    if (wordsNeeded > words.length) {
      const more = new Uint32Array(Math.max(wordsNeeded, words.length * 2));
      more.set(words);
      words = more;
    }
    if (wordsNeeded > used) used = wordsNeeded;
  }
  function addWords(more: Uint32Array): void {
    use(more.length);
    const into = words;
    for (let index = 0; index < more.length; index += 1) into[index]! |= more[index]!;
  }
  function addNumbers(rising: Uint32Array): void {
    use(countWords(rising));
    setBits(words, rising);
  }

  return {
    add: (sets, others) => {
      for (const { as, data } of sets) {
        if (as === 'words') addWords(data);
        else addNumbers(data);
      }
      addNumbers(Uint32Array.from(others).sort());
    },
    join: (other) => addWords(other.words()),
    count: () => {
      let count = 0;
      for (let index = 0; index < used; index += 1) count += bitsIn(words[index]!);
      return count;
    },
    clear: () => {
      words.fill(0, 0, used);
      used = 0;
    },
    words: () => words.subarray(0, used),
  };
}

/** Counts the bits that are set (Hacker's Delight, 5-1). */
function bitsIn(word: number): number {
  let sums = word - ((word >>> 1) & 0x55555555);
  sums = (sums & 0x33333333) + ((sums >>> 2) & 0x33333333);
  return Math.imul((sums + (sums >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}
