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
  const rows: ExampleRow[] = [];
  for (const row of branches.flatMap(listRows)) {
    rows.push({ ...row, features: readFeatures(row.text) });
    if (rows.length % perPiece === 0) yield;
  }
  const index = createIndex(rows, branches.length);
  const near = branches.map((): number[] => []);
  const likenesses: Float64Array[] = [];
  for (const [at, row] of rows.entries()) {
    if (at % perPiece === 0) yield;
    if (row.kind !== 'example') continue;
    const likeness = index.compare(row.features);
    likenesses[at] = likeness;
    const best = findBest(rows, likeness, (other, place) => place !== at && isExampleOf(other, row.branch));
    if (best !== null) near[row.branch]!.push(likeness[best]!);
  }
  const scales = near.map(toScale);
  let threshold = thresholdMin;
  for (const [at, row] of rows.entries()) {
    if (at % perPiece === 0) yield;
    const likeness = likenesses[at];
    if (likeness === undefined) continue;
    const likest = findLikest({ rows, scales }, likeness, everything, at);
    if (likest !== null && likest.branch !== row.branch)
      threshold = Math.max(threshold, Math.min(thresholdMax, likest.score));
  }
  return toClassifier({ rows, index, scales, threshold });
}

interface Model {
  readonly rows: readonly ExampleRow[];
  readonly index: ExampleIndex;
  /** By branch: an utterance is less like branches whose examples differ among themselves. */
  readonly scales: readonly number[];
  readonly threshold: number;
}

const everything = (): boolean => true;
const isExampleOf = ({ kind, branch }: ExampleRow, wanted: number): boolean =>
  kind === 'example' && branch === wanted;

/** Each text once, in an order of its own, so that sums do not depend on the author's. */
function listRows({ described, examples, counterExamples }: TaughtBranch, branch: number) {
  const once = (texts: readonly string[], kind: ExampleRow['kind']) => {
    const byWords = new Map([...texts].sort().map((text) => [normaliseUtterance(text), text]));
    byWords.delete('');
    const sorted = [...byWords].sort(([one], [other]) => (one < other ? -1 : 1));
    return sorted.map(([, text]) => ({ branch, kind, text }));
  };
  return [
    ...once([described], 'described'),
    ...once(examples, 'example'),
    ...once(counterExamples, 'counter'),
  ];
}

function toScale(near: readonly number[]): number {
  const mean = near.reduce((sum, one) => sum + one, 0) / near.length;
  return Math.sqrt(near.length === 0 ? ownLikenessDefault : Math.max(ownLikenessMin, mean));
}

function findBest(
  rows: readonly ExampleRow[],
  likeness: Float64Array,
  counts: (row: ExampleRow, at: number) => boolean,
): number | null {
  let best: number | null = null;
  for (let at = 0; at < rows.length; at++)
    if (counts(rows[at]!, at) && likeness[at]! > (best === null ? 0 : likeness[best]!)) best = at;
  return best;
}

interface Likest {
  readonly branch: number;
  readonly runnerUp: number | null;
  readonly nearest: string;
  readonly score: number;
}

/** @param without a row that does not count */
function findLikest(
  { rows, scales }: Pick<Model, 'rows' | 'scales'>,
  likeness: Float64Array,
  isOffered: (branch: number) => boolean,
  without = -1,
): Likest | null {
  const { scores, against, nearest } = scoreBranches(rows, scales, likeness, without);
  let branch = -1;
  for (let at = 0; at < scores.length; at++)
    if (isOffered(at) && scores[at]! > (scores[branch] ?? 0)) branch = at;
  if (branch === -1) return null;
  let runnerUp: number | null = null;
  for (let at = 0; at < scores.length; at++)
    if (at !== branch && scores[at]! > (runnerUp === null ? 0 : scores[runnerUp]!)) runnerUp = at;
  const score = scores[branch]!;
  const rival = Math.max(against[branch]!, runnerUp === null ? 0 : scores[runnerUp]!);
  // Of two equal ones neither is right.
  if (rival >= score) return null;
  return { branch, runnerUp, nearest: rows[nearest[branch]!]!.text, score: score + (score - rival) };
}

/** Of each branch: its score, that of its counter-examples, and the row of its best example. */
function scoreBranches(
  rows: readonly ExampleRow[],
  scales: readonly number[],
  likeness: Float64Array,
  without: number,
) {
  const scores = scales.map(() => 0);
  const against = scales.map(() => 0);
  const described = scales.map(() => 0);
  const nearest = scales.map(() => -1);
  for (let at = 0; at < rows.length; at++) {
    if (at === without) continue;
    const { branch, kind } = rows[at]!;
    const like = likeness[at]!;
    if (kind === 'described') described[branch] = like;
    else if (kind === 'counter') against[branch] = Math.max(against[branch]!, like);
    else if (like > scores[branch]!) {
      scores[branch] = like;
      nearest[branch] = at;
    }
  }
  for (const [branch, scale] of scales.entries()) {
    if (scores[branch]! > 0)
      scores[branch] = (scores[branch]! + describedWeight * described[branch]!) / scale;
    against[branch] = against[branch]! / scale;
  }
  return { scores, against, nearest };
}

function toClassifier(model: Model): EmbeddedClassifier {
  const { rows, index, threshold } = model;
  const toLikeness = (likest: Likest | null): Likeness | null => {
    if (likest === null) return null;
    const { score, ...decided } = likest;
    return { ...decided, confidence: toConfidence(score), isSure: score >= threshold };
  };
  return {
    bytes: index.bytes,
    size: rows.length,
    decide: (utterance, isOffered = everything) =>
      toLikeness(findLikest(model, index.compare(readFeatures(utterance)), isOffered)),
    leaveOneOut: function* (isOffered = everything) {
      for (const [at, { kind, branch, text, features }] of rows.entries()) {
        if (kind !== 'example' || !isOffered(branch)) continue;
        const likest = findLikest(model, index.compare(features), isOffered, at);
        yield { branch, example: text, decided: toLikeness(likest) };
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
