// All examples of one branch as a compact inverted index: which of them has a feature, and how
// strongly.
import type { Features } from './features.ts';

export interface ExampleRow {
  /** Ascending from row to row. */
  readonly branch: number;
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
  const keys = listKeys(rows);
  const find = compileFind(keys);
  const places = rows.map(({ features }) => findAll(features.keys, find.place));
  const factors = weighKeys(rows, places, keys.length, branches);
  const starts = new Uint32Array(keys.length + 1);
  for (const row of places) for (const place of row) starts[place + 1]! += 1;
  for (let at = 1; at < starts.length; at++) starts[at]! += starts[at - 1]!;
  const inRows = new Uint16Array(starts.at(-1)!);
  const strengths = new Uint16Array(starts.at(-1)!);
  const filled = starts.slice();
  for (const [row, { features }] of rows.entries()) {
    const length = measure(features, places[row]!, factors);
    for (let at = 0; at < features.keys.length; at++) {
      const place = places[row]![at]!;
      const slot = filled[place]!++;
      inRows[slot] = row;
      strengths[slot] = Math.round(((features.weights[at]! * factors[place]!) / length) * strengthUnits);
    }
  }
  const parts = [keys, find.table, factors, starts, inRows, strengths];
  const lists = { rows: rows.length, factors, starts, inRows, strengths };
  return {
    bytes: parts.reduce((sum, { byteLength }) => sum + byteLength, 0),
    compare: (said) => {
      const places = findAll(said.keys, find.place);
      return addUp(lists, said, places, measure(said, places, factors) * strengthUnits);
    },
  };
}

interface RowLists {
  readonly rows: number;
  readonly factors: Float32Array;
  /** Where the list of each feature begins. */
  readonly starts: Uint32Array;
  readonly inRows: Uint16Array;
  readonly strengths: Uint16Array;
}

/** Most of the time of a decision. The arrays are locals: the loop reads none from a closure. */
function addUp(
  { rows, factors, starts, inRows, strengths }: RowLists,
  { weights }: Features,
  places: Int32Array,
  length: number,
): Float64Array {
  const likeness = new Float64Array(rows);
  for (let at = 0; at < places.length; at++) {
    const place = places[at]!;
    if (place === -1) continue;
    const weight = (weights[at]! * factors[place]!) / length;
    const end = starts[place + 1]!;
    for (let slot = starts[place]!; slot < end; slot++) likeness[inRows[slot]!]! += weight * strengths[slot]!;
  }
  return likeness;
}

/** A loop, because `Int32Array.from` takes ten times as long. */
function findAll(keys: Uint32Array, find: (key: number) => number): Int32Array {
  const places = new Int32Array(keys.length);
  for (let at = 0; at < keys.length; at++) places[at] = find(keys[at]!);
  return places;
}

/** The features of all rows, ascending, each once. */
function listKeys(rows: readonly ExampleRow[]): Uint32Array {
  const all = new Uint32Array(rows.reduce((sum, { features }) => sum + features.keys.length, 0));
  let filled = 0;
  for (const { features } of rows) {
    all.set(features.keys, filled);
    filled += features.keys.length;
  }
  all.sort();
  let kept = 0;
  for (let at = 0; at < all.length; at++) if (at === 0 || all[at] !== all[at - 1]) all[kept++] = all[at]!;
  return all.slice(0, kept);
}

/** A hash table over the keys; they are hashes, so that their low bits spread. -1 = absent. */
function compileFind(keys: Uint32Array) {
  let size = 2;
  while (size < keys.length * 2) size *= 2;
  const mask = size - 1;
  const table = new Uint32Array(size);
  for (let place = 0; place < keys.length; place++) {
    let slot = keys[place]! & mask;
    while (table[slot] !== 0) slot = (slot + 1) & mask;
    table[slot] = place + 1;
  }
  const place = (key: number): number => {
    for (let slot = key & mask; ; slot = (slot + 1) & mask) {
      const found = table[slot]!;
      if (found === 0) return -1;
      if (keys[found - 1] === key) return found - 1;
    }
  };
  return { table, place };
}

/** How much a feature counts: less the more branches have it. */
function weighKeys(
  rows: readonly ExampleRow[],
  places: readonly Int32Array[],
  keys: number,
  branches: number,
): Float32Array {
  const holders = new Uint32Array(keys);
  const last = new Int32Array(keys).fill(-1);
  for (const [row, { branch }] of rows.entries())
    for (const place of places[row]!) {
      if (last[place] !== branch) holders[place]! += 1;
      last[place] = branch;
    }
  const spread = Math.max(1, branches - 1);
  return Float32Array.from(holders, (count) => 1 - (sharedLoss * (count - 1)) / spread);
}

/** The length of the vector; a feature that no example has counts fully. */
function measure({ weights }: Features, places: Int32Array, factors: Float32Array): number {
  let squares = 0;
  for (let at = 0; at < places.length; at++) {
    const place = places[at]!;
    const weight = weights[at]! * (place === -1 ? 1 : factors[place]!);
    squares += weight * weight;
  }
  return squares === 0 ? 1 : Math.sqrt(squares);
}
