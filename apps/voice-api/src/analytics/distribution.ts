// Distributions of durations and latencies. Count, sum and maximum are exact. Percentiles come from
// a DDSketch (Masson, Rim, Lee: VLDB 2019), which merges without loss of accuracy. Values are
// integers (milliseconds of a duration, microseconds of a latency), so sums do not depend on the
// order.
//
// The encoding is our own: the library's protobuf form needs another package, spends eight bytes on
// each bin and drops sum and maximum. Ours needs a few hundred bytes for thousands of values.
import { DDSketch } from '@datadog/sketches-js';
import { VarintReader, VarintWriter, unzigzag, zigzag } from './varints.rules.ts';

/** The index is part of the encoding: append new measures at the end. */
export const MEASURES = ['duration', 'e2e', 'asr', 'llm', 'tts', 'webhook'] as const;
export type Measure = (typeof MEASURES)[number];

/** A measure without values is absent. */
export type Distributions = Partial<Record<Measure, DDSketch>>;

/**
 * Relative error of a percentile: a tenth below the promised 1 %, which leaves room for rounding.
 * Stored sketches cannot be merged with another accuracy: to change it, add a new VERSION.
 */
const RELATIVE_ACCURACY = 0.009;
const VERSION = 1;

export function addValue(into: Distributions, measure: Measure, value: number): void {
  (into[measure] ??= newSketch()).accept(value);
}

/**
 * Takes back a value that was added. The maximum stays: a sketch does not know the one before it.
 */
export function removeValue(from: Distributions, measure: Measure, value: number): void {
  const sketch = from[measure];
  if (!sketch) return;
  if (value > sketch.mapping.minPossible) sketch.store.add(sketch.mapping.key(value), -1);
  else sketch.zeroCount -= 1;
  sketch.count -= 1;
  sketch.sum -= value;
  if (sketch.count === 0) delete from[measure];
}

/** Adds `from` to `into`; `from` is unchanged. */
export function mergeDistributions(into: Distributions, from: Distributions): void {
  for (const measure of MEASURES) {
    const more = from[measure];
    if (more) (into[measure] ??= newSketch()).merge(more);
  }
}

export function encodeDistributions(distributions: Distributions): Buffer {
  const present = MEASURES.filter((measure) => distributions[measure]);
  if (present.length === 0) return Buffer.alloc(0);
  const writer = new VarintWriter();
  writer.write(VERSION);
  for (const measure of present) {
    writer.write(MEASURES.indexOf(measure));
    writeSketch(writer, distributions[measure]!);
  }
  return writer.bytes();
}

/** Adds encoded distributions to `into`. @throws Error when the bytes are not ours */
export function mergeEncoded(into: Distributions, bytes: Uint8Array): void {
  if (bytes.length === 0) return;
  const reader = new VarintReader(bytes);
  const version = reader.read();
  if (version !== VERSION) throw new Error(`distributions of an unknown version: ${version}`);
  while (!reader.done) {
    const measure = MEASURES[reader.read()];
    if (measure === undefined) throw new Error('a distribution of an unknown measure');
    readSketch(reader, (into[measure] ??= newSketch()));
  }
}

/**
 * The nearest-rank quantile (percentile_disc in Postgres), within 1 %. The library's
 * getValueAtQuantile rounds the rank down: it reports the smaller of two values as their p99.
 */
export function computeQuantile(sketch: DDSketch, quantile: number): number {
  const rank = Math.max(0, Math.ceil(quantile * sketch.count) - 1) - sketch.zeroCount;
  if (rank < 0) return 0;
  return Math.min(sketch.mapping.value(sketch.store.keyAtRank(rank)), sketch.max);
}

function newSketch(): DDSketch {
  return new DDSketch({ relativeAccuracy: RELATIVE_ACCURACY });
}

/** Values are not negative, so only the positive store is written. */
function writeSketch(writer: VarintWriter, { sum, max, zeroCount, store }: DDSketch): void {
  writer.write(sum);
  writer.write(max);
  writer.write(zeroCount);
  writer.write(store.count);
  if (store.count === 0) return;
  writer.write(zigzag(store.minKey));
  writer.write(store.maxKey - store.minKey);
  for (let key = store.minKey; key <= store.maxKey; key += 1) {
    const count = store.bins[key - store.offset]!;
    writer.write(count);
    if (count > 0) continue;
    // A run of empty bins is a zero and the number of further empty bins.
    const first = key;
    while (store.bins[key + 1 - store.offset] === 0) key += 1;
    writer.write(key - first);
  }
}

function readSketch(reader: VarintReader, into: DDSketch): void {
  const [sum, max, zeroCount, count] = [reader.read(), reader.read(), reader.read(), reader.read()];
  into.sum += sum;
  into.max = Math.max(into.max, max);
  into.zeroCount += zeroCount;
  into.count += zeroCount + count;
  if (count === 0) return;
  const minKey = unzigzag(reader.read());
  const maxKey = minKey + reader.read();
  const { store } = into;
  // Adding both ends first makes the store allocate its bins once.
  store.add(minKey, 0);
  store.add(maxKey, 0);
  const { bins, offset } = store;
  for (let key = minKey; key <= maxKey; key += 1) {
    const inBin = reader.read();
    if (inBin > 0) bins[key - offset]! += inBin;
    else key += reader.read();
  }
  store.count += count;
}
