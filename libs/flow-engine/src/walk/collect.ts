// Collect nodes (docs/flow-language.md#collect): what an utterance does to the node at which the
// conversation waits.
import type { CapturedAnswer, CastOutcome, FoundValue } from '@parley/answers';
import { compose } from '@parley/answers/readings';
import type { FailureStatus } from '../define/answer-rules.ts';
import { limits } from '../define/limits.ts';
import {
  attemptsAt,
  countOthersFilled,
  forgetAttempts,
  forgetOthersFilled,
  othersFilledAt,
  setAttempts,
} from './bookkeeping.ts';
import type { CollectNode } from '../compile/compiled.ts';
import type { OtherQuestions } from '../compile/other-questions.ts';
import { mergeExtracted, type CompiledExtraction } from './extraction.ts';
import type { InputStatus } from '../read/paths.ts';
import { readingContext } from '../read/reading-context.ts';
import { findEqualChoice, findLikeChoice, type ChoiceDecision } from './choice-by-examples.ts';
import type { TraceExamples, TraceFill } from './trace-step.ts';
import type { Extraction, ExtractQuestion } from './turn.ts';
import { say, type Walk } from './walk-state.ts';

/**
 * wait = ask again and end the turn; leave = by the routing order; extract = the same, after a
 * question to the extractor.
 */
export type AnswerEffect = 'wait' | 'leave' | 'extract';

/** What an utterance means to a node. */
export type Reading =
  | {
      readonly status: 'captured';
      readonly value: unknown;
      readonly how?: CapturedAnswer | null;
      readonly others?: readonly FoundValue[];
      /** The examples of a choice decided. */
      readonly examples?: TraceExamples;
    }
  | {
      readonly status: FailureStatus;
      readonly reason: string | null;
      readonly others?: readonly FoundValue[];
    };

/** Reads the utterance of the turn as the answer to a node, without changing anything. */
export function readAnswer(walk: Walk, node: CollectNode): Reading {
  const answer = walk.userInput;
  // An empty speech result is silence, not an answer.
  if (answer === null || (answer.trim() === '' && !node.allowEmpty))
    return { status: 'no_input', reason: null };
  const { variables, budget } = walk;
  const equal = node.taught === null ? null : findEqualChoice(node.taught, answer, budget);
  if (equal !== null) return toChoiceReading(equal);
  const { nowMs } = walk.turn;
  // An answer that is captured unchanged needs neither, and looking both up takes a tenth of such a
  // turn.
  const context = node.isRead || node.others !== null ? readingContext(walk) : { nowMs, budget };
  const outcome = node.cast(answer, context);
  if (node.others === null) {
    const reading = toReading(walk, node, outcome);
    return isModelFirst(walk, node) ? reading : readByExamples(walk, node, reading);
  }
  const { read, questions } = node.others;
  const { own, others } = read(answer, outcome, context, (index, value) => {
    const { accepts } = questions[index] ?? node;
    return accepts === null || accepts(value, nowMs, variables, budget);
  });
  const reading = { ...toReading(walk, node, own ?? outcome), others };
  return isModelFirst(walk, node) ? reading : readByExamples(walk, node, reading);
}

/** A model reads the answer before the examples are compared with it. */
const isModelFirst = (walk: Walk, { reader, taught }: CollectNode): boolean =>
  taught !== null &&
  reader !== null &&
  walk.flow.classifierOrder === 'model_first' &&
  walk.turn.extractorAvailable;

/** An answer that names no choice, by the examples of the choices. */
export function readByExamples(walk: Walk, node: CollectNode, reading: Reading): Reading {
  const isUnread = reading.status === 'no_match' && reading.reason === 'not_a_choice';
  if (node.taught === null || !isUnread || (reading.others ?? []).length > 0) return reading;
  const { earlier } = walk.turn;
  if (earlier?.choices.has(node.id) === true) {
    const value = earlier.choices.get(node.id);
    return value === undefined ? reading : { status: 'captured', value };
  }
  const like = findLikeChoice(node.taught, walk.userInput ?? '', walk.budget);
  return like === null ? reading : toChoiceReading(like);
}

const toChoiceReading = ({ value, how }: ChoiceDecision): Reading => ({
  status: 'captured',
  value,
  examples: how,
});

function toReading(walk: Walk, node: CollectNode, cast: CastOutcome): Reading {
  if (!cast.ok) return { status: 'no_match', reason: cast.reason };
  if (node.accepts !== null && !node.accepts(cast.value, walk.turn.nowMs, walk.variables, walk.budget))
    return { status: 'out_of_range', reason: 'out_of_range' };
  return { status: 'captured', value: cast.value, how: node.isRead ? cast : null };
}

/** Applies a reading to the turn. A failure leaves the node's variable unchanged. */
export function recordReading(walk: Walk, node: CollectNode, reading: Reading): AnswerEffect {
  const others = node.others === null ? [] : (reading.others ?? []);
  if (others.length === 0) return takeOwn(walk, node, reading);
  const filled = fillOthers(walk, node.others!, others);
  const isLimit = othersFilledAt(walk.variables, node.id) >= limits.filledOthersMax;
  const isForOthers = reading.status === 'no_match' && !isLimit;
  const effect = isForOthers ? askForOwn(walk, node, reading.reason) : takeOwn(walk, node, reading);
  walk.input = { ...walk.input!, filled: walk.filled! };
  const { input = null } = walk.traced ?? {};
  if (walk.traced !== null && input !== null) walk.traced.input = { ...input, filled };
  return effect;
}

/** Writes the values of other questions, and returns their words for the trace. */
function fillOthers(
  walk: Walk,
  { questions }: OtherQuestions,
  others: readonly FoundValue[],
): readonly TraceFill[] {
  const utterance = compose(walk.userInput ?? '');
  const filled = others.map(({ index, value, how }) => {
    const { id, variable, write } = questions[index]!;
    walk.budget.json(value);
    write?.(walk.variables, value);
    const words = how.spans.map(([from, to]) => utterance.slice(from, to));
    return { variable: variable!, node_id: id, words };
  });
  walk.filled = filled.map(({ variable }) => variable);
  walk.budget.json(walk.filled);
  return filled;
}

/** The answer filled other variables only: the node asks again without using up an attempt. */
function askForOwn(walk: Walk, node: CollectNode, reason: string | null): AnswerEffect {
  settle(walk, node, 'filled_others', attemptsAt(walk.variables, node.id), reason);
  countOthersFilled(walk.variables, node.id);
  say(walk, 'reprompt', node, node.reprompts.filled_others);
  return 'wait';
}

/** Skips a question whose variable holds an answer: edges read it as an answered one. */
export function skipQuestion(walk: Walk): void {
  walk.inputStatus = 'captured';
  walk.attempts = 0;
  walk.inputReading = null;
  if (walk.trace === null) return;
  const input = { status: 'captured', attempts: 0, reason: null, skipped: true } as const;
  walk.traced = { input, extraction: null };
}

function takeOwn(walk: Walk, node: CollectNode, reading: Reading): AnswerEffect {
  const failures = attemptsAt(walk.variables, node.id);
  forgetOthersFilled(walk.variables);
  if (reading.status !== 'captured')
    return takeFailure(walk, node, reading.status, failures + 1, reading.reason);
  const { examples } = reading;
  if (examples !== undefined) walk.decider = examples.by;
  capture(walk, node, reading.value, failures, reading.how ?? null);
  const input = walk.traced?.input ?? null;
  if (examples !== undefined && input !== null) walk.traced!.input = { ...input, examples };
  // The one model call of the turn may be used up.
  return node.extraction !== null && walk.turn.extractorAvailable && walk.proposal === null
    ? 'extract'
    : 'leave';
}

/** Another failure would be the one after which the node stops asking. */
export const isLastAttempt = (walk: Walk, { id, attemptsMax }: CollectNode): boolean =>
  attemptsMax !== null && attemptsAt(walk.variables, id) + 1 >= attemptsMax;

function capture(
  walk: Walk,
  node: CollectNode,
  value: unknown,
  failures: number,
  how: CapturedAnswer | null,
): void {
  settle(walk, node, 'captured', failures, null, how);
  forgetAttempts(walk.variables, node.id);
  if (node.write === null) return;
  walk.budget.json(value);
  node.write(walk.variables, value);
}

function takeFailure(
  walk: Walk,
  node: CollectNode,
  status: FailureStatus,
  attempts: number,
  reason: string | null,
): AnswerEffect {
  if (node.attemptsMax !== null && attempts >= node.attemptsMax) {
    if (node.defaultAnswer !== undefined) {
      walk.decider = 'default';
      capture(walk, node, node.defaultAnswer, attempts, null);
      return 'leave';
    }
    settle(walk, node, status, attempts, reason);
    // All attempts are used up: a conversation that comes back here later starts again at none.
    forgetAttempts(walk.variables, node.id);
    return 'leave';
  }
  settle(walk, node, status, attempts, reason);
  setAttempts(walk.variables, node.id, attempts);
  say(walk, 'reprompt', node, node.reprompts[status]);
  return 'wait';
}

/** Publishes the status to edges (`_input_status`, `_attempts`), to the result and to the trace. */
function settle(
  walk: Walk,
  node: CollectNode,
  status: InputStatus,
  attempts: number,
  reason: string | null,
  how: CapturedAnswer | null = null,
): void {
  walk.inputStatus = status;
  walk.attempts = attempts;
  const ambiguous = node.strict && reason === 'ambiguous';
  const reading = how === null ? null : how.reading;
  const unread = how === null ? nothing : how.unread;
  walk.inputReading = reading;
  const { id: nodeId, variable } = node;
  const decidedBy = status === 'captured' ? walk.decider : null;
  walk.input = { status, nodeId, variable, ambiguous, reading, unread, attempts, decidedBy, filled: nothing };
  if (unread.length > 0) walk.budget.json(unread);
  if (walk.trace === null) return;
  const read = how === null ? {} : traceReading(how);
  const isProposed = walk.proposal !== null && decidedBy !== 'cast';
  const proposed = isProposed ? { proposal: walk.proposal! } : {};
  walk.traced = { input: { status, attempts, reason, ...read, ...proposed }, extraction: null };
}

/** How the answer was read, as a trace shows it. */
function traceReading({ reading, unread, discarded }: CapturedAnswer) {
  const words = unread.length > 0 ? { unread } : {};
  return { reading, ...words, ...(discarded === null ? {} : { discarded }) };
}

const nothing: readonly string[] = [];

export function extractQuestion(
  walk: Walk,
  node: CollectNode,
  extraction: CompiledExtraction,
): ExtractQuestion {
  return {
    nodeId: node.id,
    utterance: walk.userInput ?? '',
    prompt: node.prompt?.(walk) ?? null,
    schema: extraction.schema,
  };
}

/** Merges extracted values; a failure merges nothing and the walk continues. */
export function applyExtraction(
  walk: Walk,
  node: CollectNode,
  extraction: CompiledExtraction,
  answer: Extraction,
): void {
  const answered = answer.kind === 'extracted';
  if (answered) walk.budget.json(answer.values);
  const found = mergeExtracted(extraction, answered ? answer.values : null, walk.variables);
  walk.questions.push({ kind: 'extract', nodeId: node.id, outcome: answer.kind });
  if (walk.traced !== null)
    walk.traced.extraction = { ...found, unavailable: answered ? null : answer.reason };
}
