// The embedded classifier (docs/flow-language.md#examples): how like an utterance is to the
// examples of each branch, against those of the others. Pure, and the same in every JavaScript
// engine; the order of branches and examples does not matter. A change of any decision is a new
// version.
import { normaliseUtterance } from '@parley/answers';
import { runPieces, type Pieces } from '../define/pieces.ts';
import { createIndex, type ExampleIndex, type ExampleRow } from './example-index.ts';
import { readFeatures } from './features.ts';

/** Recorded with a turn, so that a replay decides alike. */
export const classifierVersion = 1;

export interface TaughtBranch {
  /** Its condition and its label. */
  readonly described: string;
  readonly examples: readonly string[];
  readonly counterExamples: readonly string[];
}

export interface Likeness {
  /** Positions of the likest branch and the next one. */
  readonly branch: number;
  readonly runnerUp: number | null;
  /** The nearest example of the branch, as written. */
  readonly nearest: string;
  /** How often such a decision is right, from 0 to 1. */
  readonly confidence: number;
  /** Sure enough to be taken. */
  readonly isSure: boolean;
}

/** An example, and where it would go without itself; null = it is like none. */
export interface LeftOut {
  readonly branch: number;
  readonly example: string;
  readonly decided: Likeness | null;
}

export interface EmbeddedClassifier {
  readonly bytes: number;
  /** Examples, counter-examples and descriptions. */
  readonly size: number;
  /**
   * @param isOffered whether a branch may be taken: the others are evidence against it. Null when
   *   the utterance is like no branch.
   */
  decide(utterance: string, isOffered?: (branch: number) => boolean): Likeness | null;
  /** Decides every example of the branches on offer without itself. */
  leaveOneOut(isOffered?: (branch: number) => boolean): Generator<LeftOut>;
}

/** Tuned on half of the intents of two public sets (docs/branches-without-a-model.md). */
const describedWeight = 0.15;
const thresholdMin = 1.02;
/** Cross-validation raises the threshold at most so far: one odd example must not silence all. */
const thresholdMax = 1.15;
/** The likeness among the examples of a branch that has only one. */
const ownLikenessDefault = 0.3;
const ownLikenessMin = 0.05;
/** Of scores, how many decisions were right on the same sets; between two rows on a line. */
const confidences: readonly (readonly [score: number, confidence: number])[] = [
  [0, 0],
  [0.35, 0.1],
  [0.55, 0.25],
  [0.75, 0.4],
  [0.95, 0.67],
  [1.05, 0.74],
  [1.2, 0.8],
  [1.4, 0.9],
  [1.65, 0.97],
  [2, 0.98],
  [3, 1],
];
/** Examples between two pauses of the training. */
const perPiece = 16;

export const trainClassifier = (branches: readonly TaughtBranch[]): EmbeddedClassifier =>
  runPieces(trainInPieces(branches));

/** The same in pieces of a few examples. */
export function* trainInPieces(branches: readonly TaughtBranch[]): Pieces<EmbeddedClassifier> {
  const { texts, places } = listRows(branches);
  const rows: ExampleRow[] = [];
  for (const [branch, { from, to }] of places.entries())
    for (let at = from; at < to; at++) {
      if (at % perPiece === 0) yield;
      rows.push({ branch, features: readFeatures(texts[at]!) });
    }
  const index = createIndex(rows, branches.length);
  const likenesses: Float64Array[] = [];
  const scales: number[] = [];
  for (const { examples, counters } of places) {
    const near: number[] = [];
    for (let at = examples; at < counters; at++) {
      if (at % perPiece === 0) yield;
      const likeness = index.compare(rows[at]!.features);
      likenesses[at] = likeness;
      const best = findBest(likeness, examples, counters, at);
      if (best !== -1) near.push(likeness[best]!);
    }
    scales.push(toScale(near));
  }
  let threshold = thresholdMin;
  for (const [branch, { examples, counters }] of places.entries())
    for (let at = examples; at < counters; at++) {
      if (at % perPiece === 0) yield;
      const likest = findLikest({ places, scales }, likenesses[at]!, everything, at);
      if (likest !== null && likest.branch !== branch)
        threshold = Math.max(threshold, Math.min(thresholdMax, likest.score));
    }
  return toClassifier({ texts, places, index, scales, threshold });
}

/** The rows of a branch: its description, examples and counter-examples, in this order. */
interface BranchRows {
  readonly from: number;
  readonly examples: number;
  readonly counters: number;
  readonly to: number;
}

interface Model {
  /** Of each row, as written. */
  readonly texts: readonly string[];
  readonly places: readonly BranchRows[];
  readonly index: ExampleIndex;
  /** By branch: an utterance is less like branches whose examples differ among themselves. */
  readonly scales: readonly number[];
  readonly threshold: number;
}

const everything = (): boolean => true;

function listRows(branches: readonly TaughtBranch[]): Pick<Model, 'texts' | 'places'> {
  const texts: string[] = [];
  const places = branches.map(({ described, examples, counterExamples }): BranchRows => {
    const from = texts.length;
    const examplesFrom = texts.push(...listOnce([described]));
    const countersFrom = texts.push(...listOnce(examples));
    return {
      from,
      examples: examplesFrom,
      counters: countersFrom,
      to: texts.push(...listOnce(counterExamples)),
    };
  });
  return { texts, places };
}

/** Each text once, in an order of its own, so that sums do not depend on the author's. */
function listOnce(texts: readonly string[]): string[] {
  const byWords = new Map([...texts].sort().map((text) => [normaliseUtterance(text), text]));
  byWords.delete('');
  return [...byWords].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, text]) => text);
}

function toScale(near: readonly number[]): number {
  const mean = near.reduce((sum, one) => sum + one, 0) / near.length;
  return Math.sqrt(near.length === 0 ? ownLikenessDefault : Math.max(ownLikenessMin, mean));
}

/** The likest of a range of rows; -1 = none is like it. */
function findBest(likeness: Float64Array, from: number, to: number, without: number): number {
  let best = -1;
  for (let at = from; at < to; at++)
    if (likeness[at]! > (best === -1 ? 0 : likeness[best]!) && at !== without) best = at;
  return best;
}

interface Likest {
  readonly branch: number;
  readonly runnerUp: number | null;
  /** The row of the nearest example. */
  readonly nearest: number;
  readonly score: number;
}

/** @param without a row that does not count */
function findLikest(
  { places, scales }: Pick<Model, 'places' | 'scales'>,
  likeness: Float64Array,
  isOffered: (branch: number) => boolean,
  without = -1,
): Likest | null {
  const scores = places.map((rows, at) => scoreBranch(rows, scales[at]!, likeness, without));
  let branch = -1;
  for (let at = 0; at < scores.length; at++)
    if (scores[at]! > (scores[branch] ?? 0) && isOffered(at)) branch = at;
  if (branch === -1) return null;
  let runnerUp: number | null = null;
  for (let at = 0; at < scores.length; at++)
    if (at !== branch && scores[at]! > (runnerUp === null ? 0 : scores[runnerUp]!)) runnerUp = at;
  const score = scores[branch]!;
  const { examples, counters, to } = places[branch]!;
  const counter = findBest(likeness, counters, to, without);
  const against = counter === -1 ? 0 : likeness[counter]! / scales[branch]!;
  const rival = Math.max(against, runnerUp === null ? 0 : scores[runnerUp]!);
  // Of two equal ones neither is right.
  if (rival >= score) return null;
  const nearest = findBest(likeness, examples, counters, without);
  return { branch, runnerUp, nearest, score: score + (score - rival) };
}

/** 0 = like none of its examples. */
function scoreBranch(rows: BranchRows, scale: number, likeness: Float64Array, without: number): number {
  const { from, examples, counters } = rows;
  const best = findBest(likeness, examples, counters, without);
  if (best === -1) return 0;
  const described = from < examples ? likeness[from]! : 0;
  return (likeness[best]! + describedWeight * described) / scale;
}

function toClassifier(model: Model): EmbeddedClassifier {
  const { texts, places, index, threshold } = model;
  const decide = (utterance: string, isOffered: (branch: number) => boolean, without?: number) => {
    const likest = findLikest(model, index.compare(readFeatures(utterance)), isOffered, without);
    if (likest === null) return null;
    const { branch, runnerUp, nearest, score } = likest;
    const confidence = toConfidence(score);
    return { branch, runnerUp, nearest: texts[nearest]!, confidence, isSure: score >= threshold };
  };
  return {
    bytes: index.bytes,
    size: texts.length,
    decide: (utterance, isOffered = everything) => decide(utterance, isOffered),
    leaveOneOut: function* (isOffered = everything) {
      for (const [branch, { examples, counters }] of places.entries())
        for (let at = examples; isOffered(branch) && at < counters; at++) {
          const example = texts[at]!;
          yield { branch, example, decided: decide(example, isOffered, at) };
        }
    },
  };
}

/** Two decimals: more would claim too much. */
function toConfidence(score: number): number {
  const place = confidences.findIndex(([from]) => score < from);
  if (place === -1) return 1;
  const [[from, low], [to, high]] = [confidences[place - 1] ?? [0, 0], confidences[place]!];
  return Math.round((low + ((score - from) / (to - from)) * (high - low)) * 100) / 100;
}
