// Decides a branch by the examples of its edges, before or after a model is asked
// (docs/flow-language.md#examples).
import { normaliseUtterance } from '@parley/answers';
import type { EmbeddedClassifier, Likeness } from '../classify/classifier.ts';
import type { ChoiceExit, CompiledNode } from '../compile/compiled.ts';
import type { TurnBudget } from '../read/turn-budget.ts';
import type { ClassifierDecision } from './route.ts';
import type { Walk } from './walk-state.ts';

const haveExamples = (choices: readonly ChoiceExit[]): boolean =>
  choices.some(({ examples }) => examples !== null);

/** Null = a model is to be asked. */
export function decideByExamples(
  walk: Walk,
  node: CompiledNode,
  choices: readonly ChoiceExit[],
): ClassifierDecision | null {
  if (!haveExamples(choices)) return null;
  const equal = findEqual(walk, choices);
  const { classifierOrder } = walk.flow;
  if (equal !== null || classifierOrder === 'model_first') return equal;
  const like = findLike(walk, node, choices);
  if (classifierOrder === 'examples_only' || like?.exit != null) return like ?? undecided;
  return null;
}

/** The decision of the model; where it made no choice, that of the examples. */
export function decideAfterModel(
  walk: Walk,
  node: CompiledNode,
  choices: readonly ChoiceExit[],
  decision: ClassifierDecision,
): ClassifierDecision {
  if (!haveExamples(choices)) return decision;
  if (decision.exit !== null) return { ...decision, by: 'model' };
  const like = walk.flow.classifierOrder === 'model_first' ? findLike(walk, node, choices) : null;
  return like === null || like.exit === null ? decision : like;
}

const undecided = { outcome: 'none', index: null, confidence: null, exit: null } as const;

/** An example that equals the utterance. One of two edges decides nothing. */
function findEqual(walk: Walk, choices: readonly ChoiceExit[]): ClassifierDecision | null {
  const words = normaliseUtterance(walk.userInput ?? '', walk.budget);
  const equal = choices.filter(({ examples }) => examples?.said.has(words));
  const [exit] = equal;
  if (exit === undefined || equal.length > 1) return null;
  const index = choices.indexOf(exit);
  const nearest = exit.examples?.said.get(words);
  return { outcome: 'chosen', index, confidence: 1, by: 'example', nearest, exit };
}

/** Cost of comparing with one example, and of reading one character, in characters. */
const exampleChars = 32;
const readingChars = 64;

/** Null = the utterance is like nothing that is on offer. */
export function compareWithExamples(
  embedded: EmbeddedClassifier,
  utterance: string,
  budget: TurnBudget,
  isOffered?: (branch: number) => boolean,
): Likeness | null {
  budget.text(readingChars * Math.min(utterance.length, 500) + exampleChars * embedded.size);
  return embedded.decide(utterance, isOffered);
}

/** What the embedded classifier says; null = the utterance is like no edge. */
function findLike(
  walk: Walk,
  { id }: CompiledNode,
  choices: readonly ChoiceExit[],
): ClassifierDecision | null {
  const learned = walk.flow.classifiers.get(id);
  if (learned === undefined) return null;
  const { exits, embedded } = learned;
  const earlier = walk.turn.earlier?.branches.get(id);
  if (earlier !== undefined) return toEarlierDecision(choices, earlier);
  const isOffered = (branch: number) => choices.includes(exits[branch]!);
  const like = compareWithExamples(embedded, walk.userInput ?? '', walk.budget, isOffered);
  if (like === null) return null;
  const exit = exits[like.branch]!;
  return {
    outcome: like.isSure ? 'chosen' : 'low_confidence',
    index: choices.indexOf(exit),
    confidence: like.confidence,
    by: 'embedded',
    nearest: like.nearest,
    runner_up: like.runnerUp === null ? undefined : exits[like.runnerUp]!.edgeIndex,
    exit: like.isSure ? exit : null,
  };
}

function toEarlierDecision(
  choices: readonly ChoiceExit[],
  edgeIndex: number | null,
): ClassifierDecision | null {
  const index = choices.findIndex((exit) => exit.edgeIndex === edgeIndex);
  if (index === -1) return null;
  return { outcome: 'chosen', index, confidence: null, by: 'embedded', exit: choices[index]! };
}
