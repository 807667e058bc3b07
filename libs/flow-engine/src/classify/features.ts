// The features of an utterance: its words, pairs of them, and the letters inside. Frequent words
// weigh little. Only additions, products and square roots in a fixed order, which every JavaScript
// engine rounds alike.
import { normaliseUtterance } from '@parley/answers';
import { wordRanks } from './common-words.ts';

/** Ascending hashes, with a weight each. */
export interface Features {
  readonly keys: Uint32Array;
  readonly weights: Float64Array;
}

/** Characters that are read: the important words come early, and time stays bounded. */
const charsMax = 500;
/** The weight of a word by its rank among the most frequent ones; 1 for all others. */
const weightsByRank: readonly (readonly [below: number, weight: number])[] = [
  [3, 0.18],
  [10, 0.27],
  [30, 0.38],
  [100, 0.5],
  [300, 0.63],
  [1_000, 0.78],
];
const pairWeight = 0.3;
const lettersWeight = 0.35;
const [lettersMin, lettersMax] = [3, 5];
/** Scripts that are written without blanks: there single letters count too. */
const isDense = /[\u0e00-\u0eff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]/u;

export function readFeatures(text: string): Features {
  beginTable();
  let before: string | null = null;
  let weightBefore = 0;
  for (const word of normaliseUtterance(text.slice(0, charsMax)).split(' ')) {
    if (word === '') continue;
    const weight = weights.get(word) ?? 1;
    add(hash(wordSeed, word), weight);
    if (before !== null)
      add(hash(step(hash(pairSeed, before), blank), word), pairWeight * (weight + weightBefore));
    addLetters(word, weight * lettersWeight);
    before = word;
    weightBefore = weight;
  }
  const keys = table.used.slice(0, table.count).sort();
  const found = new Float64Array(keys.length);
  for (let at = 0; at < keys.length; at++) found[at] = table.weights[findSlot(keys[at]!)]!;
  return { keys, weights: found };
}

const weights: ReadonlyMap<string, number> = new Map(
  [...wordRanks].map(([word, rank]) => [word, weightsByRank.find(([below]) => rank < below)?.[1] ?? 1]),
);
const blank = 32;

function addLetters(word: string, weight: number): void {
  const padded = `<${word}>`;
  const shortest = isDense.test(word) ? 1 : lettersMin;
  for (let from = 0; from < padded.length; from++) {
    let key = lettersSeed;
    const end = Math.min(padded.length, from + lettersMax);
    for (let at = from; at < end; at++) {
      key = step(key, padded.charCodeAt(at));
      if (at - from + 1 >= shortest) add(key >>> 0, weight);
    }
  }
}

/**
 * The features of the current utterance: a hash table that the next one uses again. It has twice
 * the places that the longest utterance fills.
 */
const slots = 8_192;
const table = {
  /** The run that filled a place. */
  runs: new Uint32Array(slots),
  keys: new Uint32Array(slots),
  weights: new Float64Array(slots),
  used: new Uint32Array(slots),
  count: 0,
  run: 0,
};

function beginTable(): void {
  table.count = 0;
  table.run = (table.run + 1) >>> 0;
  if (table.run === 0) table.runs.fill(0);
  if (table.run === 0) table.run = 1;
}

/** The place of a key, or the empty one where it belongs. */
function findSlot(key: number): number {
  let slot = key & (slots - 1);
  while (table.runs[slot] === table.run && table.keys[slot] !== key) slot = (slot + 1) & (slots - 1);
  return slot;
}

/** The largest weight of a feature counts. */
function add(key: number, weight: number): void {
  const slot = findSlot(key);
  if (table.runs[slot] === table.run) {
    if (weight > table.weights[slot]!) table.weights[slot] = weight;
    return;
  }
  table.runs[slot] = table.run;
  table.keys[slot] = key;
  table.weights[slot] = weight;
  table.used[table.count++] = key;
}

/** FNV-1a, 32 bits, begun apart for each kind of feature. */
const step = (key: number, code: number): number => Math.imul(key ^ code, 0x01000193);
const [wordSeed, pairSeed, lettersSeed] = [0x811c9dc5, 0x1b873593, 0x2545f491];

function hash(seed: number, text: string): number {
  let key = seed;
  for (let at = 0; at < text.length; at++) key = step(key, text.charCodeAt(at));
  return key >>> 0;
}
