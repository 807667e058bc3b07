// Sets of caller numbers in a few bytes: how many different callers a block had, so that blocks can be joined without counting
// anybody twice. Exact, unlike a HyperLogLog. Numbers are small and dense (AnalyticsCaller), so a block costs at most an eighth of
// a byte for every caller the organisation has ever had, and far less where few of them called.
import { VarintWriter } from './varints.rules.ts';

/** How the rest of the bytes is to be read. */
const GAPS = 0;
const BITS = 1;

/** The distances between the rising numbers, or a bit for each number up to the greatest: whichever is shorter. */
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

/** Calls `each` with every number of the set, rising. */
export function eachCaller(bytes: Uint8Array, each: (number: number) => void): void {
  if (bytes.length === 0) return;
  if (bytes[0] === BITS) {
    for (let index = 1; index < bytes.length; index += 1) {
      for (let byte = bytes[index]!; byte !== 0; byte &= byte - 1) {
        each((index - 1) * 8 + 31 - Math.clz32(byte & -byte));
      }
    }
    return;
  }
  const numbers = new Uint32Array(bytes.length);
  const count = readGaps(bytes, numbers);
  for (let index = 0; index < count; index += 1) each(numbers[index]!);
}

/**
 * Puts the numbers of a set that is kept as distances into `into`, which has room for as many as the set has bytes, and returns how
 * many they are. What VarintReader does, written out: a week of a busy organisation has a hundred thousand of them.
 */
function readGaps(bytes: Uint8Array, into: Uint32Array): number {
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
    into[count++] = number;
    gap = shift = 0;
  }
  if (shift > 0) throw new Error('a set of callers ends in the middle of a number');
  return count;
}

/** Different callers of some sets, in a bit each: joining two such unions, or adding a set of bits, is a few hundred machine words. */
export interface CallerUnion {
  add(sets: readonly Uint8Array[], others: Iterable<number>): void;
  /** Adds the callers of another union. */
  join(other: CallerUnion): void;
  count(): number;
  clear(): void;
  /** 32 callers each; those after the last caller may be missing. */
  words(): Uint32Array;
}

export function callerUnion(): CallerUnion {
  let words = new Uint32Array(16);
  let bytes = new Uint8Array(words.buffer);
  /** Words in use: what is behind them is zero. */
  let used = 0;
  /** The set that is being added. */
  let numbers = new Uint32Array(0);

  function use(wordsNeeded: number): void {
    if (wordsNeeded > words.length) {
      const more = new Uint32Array(Math.max(wordsNeeded, words.length * 2));
      more.set(words);
      words = more;
      bytes = new Uint8Array(words.buffer);
    }
    if (wordsNeeded > used) used = wordsNeeded;
  }
  function see(number: number): void {
    use((number >> 5) + 1);
    bytes[number >> 3]! |= 1 << (number & 7);
  }
  function add(set: Uint8Array): void {
    if (set.length === 0) return;
    if (set[0] === BITS) {
      use(((set.length - 2) >> 2) + 1);
      const into = bytes;
      for (let index = 1; index < set.length; index += 1) into[index - 1]! |= set[index]!;
      return;
    }
    if (numbers.length < set.length) numbers = new Uint32Array(set.length * 2);
    const count = readGaps(set, numbers);
    use((numbers[count - 1]! >> 5) + 1);
    const [into, from] = [bytes, numbers];
    for (let index = 0; index < count; index += 1) into[from[index]! >> 3]! |= 1 << (from[index]! & 7);
  }

  return {
    add: (sets, others) => {
      sets.forEach(add);
      for (const number of others) see(number);
    },
    join: (other) => {
      const more = other.words();
      use(more.length);
      for (let index = 0; index < more.length; index += 1) words[index]! |= more[index]!;
    },
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

/** Bits that are set in 32 (Hacker's Delight, 5-1). */
function bitsIn(word: number): number {
  let sums = word - ((word >>> 1) & 0x55555555);
  sums = (sums & 0x33333333) + ((sums >>> 2) & 0x33333333);
  return Math.imul((sums + (sums >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}
