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
  const found = new Map<number, number>();
  const add = (key: number, weight: number) => {
    if (weight > (found.get(key) ?? 0)) found.set(key, weight);
  };
  let before: { readonly word: string; readonly weight: number } | null = null;
  for (const word of normaliseUtterance(text.slice(0, charsMax)).split(' ')) {
    if (word === '') continue;
    const weight = weighWord(word);
    add(hash(wordSeed, word), weight);
    if (before !== null)
      add(hash(hash(pairSeed, before.word), ` ${word}`), pairWeight * (weight + before.weight));
    addLetters(word, weight * lettersWeight, add);
    before = { word, weight };
  }
  const keys = Uint32Array.from(found.keys()).sort();
  return { keys, weights: Float64Array.from(keys, (key) => found.get(key)!) };
}

function weighWord(word: string): number {
  const rank = wordRanks.get(word);
  return rank === undefined ? 1 : (weightsByRank.find(([below]) => rank < below)?.[1] ?? 1);
}

function addLetters(word: string, weight: number, add: (key: number, weight: number) => void): void {
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

/** FNV-1a, 32 bits, begun apart for each kind of feature. */
const step = (key: number, code: number): number => Math.imul(key ^ code, 0x01000193);
const [wordSeed, pairSeed, lettersSeed] = [0x811c9dc5, 0x1b873593, 0x2545f491];

function hash(seed: number, text: string): number {
  let key = seed;
  for (let at = 0; at < text.length; at++) key = step(key, text.charCodeAt(at));
  return key >>> 0;
}
