// All examples of one branch as a compact inverted index: which of them has a feature, and how
// strongly.
import type { Features } from './features.ts';

export interface ExampleRow {
  readonly branch: number;
  readonly kind: 'example' | 'counter' | 'described';
  /** As written. */
  readonly text: string;
  readonly features: Features;
}

export interface ExampleIndex {
  readonly bytes: number;
  /** The likeness of each row to an utterance, from 0 to 1. */
  compare(said: Features): Float64Array;
}

/** What a feature of all branches loses: it tells none of them apart. */
const sharedLoss = 0.5;
/** A strength takes 16 bits. */
const strengthUnits = 65_535;

export function createIndex(rows: readonly ExampleRow[], branches: number): ExampleIndex {
  const holders = countHolders(rows);
  const spread = Math.max(1, branches - 1);
  const keys = Uint32Array.from(holders.keys()).sort();
  const factors = Float32Array.from(keys, (key) => 1 - (sharedLoss * (holders.get(key)!.size - 1)) / spread);
  const starts = new Uint32Array(keys.length + 1);
  for (const { features } of rows) for (const key of features.keys) starts[find(keys, key) + 1]! += 1;
  for (let at = 1; at < starts.length; at++) starts[at]! += starts[at - 1]!;
  const inRows = new Uint16Array(starts.at(-1)!);
  const strengths = new Uint16Array(starts.at(-1)!);
  const filled = starts.slice();
  for (const [row, { features }] of rows.entries()) {
    const length = measure(features, keys, factors);
    for (let at = 0; at < features.keys.length; at++) {
      const place = find(keys, features.keys[at]!);
      const slot = filled[place]!++;
      inRows[slot] = row;
      strengths[slot] = Math.round(((features.weights[at]! * factors[place]!) / length) * strengthUnits);
    }
  }
  const parts = [keys, factors, starts, inRows, strengths];
  return {
    bytes: parts.reduce((sum, { byteLength }) => sum + byteLength, 0),
    compare: (said) => {
      const likeness = new Float64Array(rows.length);
      const length = measure(said, keys, factors) * strengthUnits;
      for (let at = 0; at < said.keys.length; at++) {
        const place = find(keys, said.keys[at]!);
        if (place === -1) continue;
        const weight = (said.weights[at]! * factors[place]!) / length;
        const end = starts[place + 1]!;
        for (let slot = starts[place]!; slot < end; slot++)
          likeness[inRows[slot]!]! += weight * strengths[slot]!;
      }
      return likeness;
    },
  };
}

/** The branches that have a feature. */
function countHolders(rows: readonly ExampleRow[]): ReadonlyMap<number, ReadonlySet<number>> {
  const holders = new Map<number, Set<number>>();
  for (const { branch, features } of rows)
    for (const key of features.keys) {
      const having = holders.get(key);
      if (having === undefined) holders.set(key, new Set([branch]));
      else having.add(branch);
    }
  return holders;
}

/** The length of the vector; a feature that no example has counts fully. */
function measure({ keys: own, weights }: Features, keys: Uint32Array, factors: Float32Array): number {
  let squares = 0;
  for (let at = 0; at < own.length; at++) {
    const place = find(keys, own[at]!);
    const weight = weights[at]! * (place === -1 ? 1 : factors[place]!);
    squares += weight * weight;
  }
  return squares === 0 ? 1 : Math.sqrt(squares);
}

/** Binary search; -1 = absent. */
function find(keys: Uint32Array, key: number): number {
  let low = 0;
  let high = keys.length - 1;
  while (low <= high) {
    const middle = (low + high) >> 1;
    const found = keys[middle]!;
    if (found === key) return middle;
    if (found < key) low = middle + 1;
    else high = middle - 1;
  }
  return -1;
}
