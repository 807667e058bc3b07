// Collect nodes (docs/flow-language.md#collect): what an utterance does to the node the conversation waits at.
import type { Captured } from '@parley/answers';
import type { FailureStatus } from '../define/answer-rules.ts';
import { attemptsAt, forgetAttempts, setAttempts } from './bookkeeping.ts';
import type { CollectNode } from '../compile/compiled.ts';
import { mergeExtracted, type CompiledExtraction } from './extraction.ts';
import { ownMember, type InputStatus } from '../read/paths.ts';
import type { Extraction, ExtractQuestion } from './turn.ts';
import { say, type Walk } from './walk-state.ts';

/** wait = ask again and end the turn; leave = by the routing order; extract = the same, after a question to the extractor. */
export type AnswerEffect = 'wait' | 'leave' | 'extract';

/** What an utterance is to a node. */
export type Reading =
  | { readonly status: 'captured'; readonly value: unknown; readonly how?: Captured | null }
  | { readonly status: FailureStatus; readonly reason: string | null };

/** Reads the turn's utterance as the answer to a node, and takes nothing yet. */
export function readAnswer(walk: Walk, node: CollectNode): Reading {
  const answer = walk.userInput;
  // An empty speech result is silence, not an answer.
  if (answer === null || (answer.trim() === '' && !node.allowEmpty))
    return { status: 'no_input', reason: null };
  const { variables, budget } = walk;
  // An answer that is taken as it is needs neither, and looking both up takes a tenth of such a turn.
  const [timezone, language] = node.isRead
    ? [ownMember(variables, 'timezone'), ownMember(variables, 'language')]
    : unplaced;
  const cast = node.cast(answer, { nowMs: walk.turn.nowMs, timezone, language, budget });
  if (!cast.ok) return { status: 'no_match', reason: cast.reason };
  if (node.accepts !== null && !node.accepts(cast.value, walk.turn.nowMs, walk.variables, walk.budget))
    return { status: 'out_of_range', reason: 'out_of_range' };
  return { status: 'captured', value: cast.value, how: node.isRead ? cast : null };
}

const unplaced = [undefined, undefined] as const;

/** Takes what was read into the turn. A failure leaves the node's variable alone. */
export function takeReading(walk: Walk, node: CollectNode, reading: Reading): AnswerEffect {
  const failures = attemptsAt(walk.variables, node.id);
  if (reading.status !== 'captured')
    return takeFailure(walk, node, reading.status, failures + 1, reading.reason);
  capture(walk, node, reading.value, failures, reading.how ?? null);
  // The model call of the turn may be used up.
  return node.extraction !== null && walk.turn.extractorAvailable && walk.proposal === null
    ? 'extract'
    : 'leave';
}

/** Another failure would be the one that does not ask again. */
export const isLastAttempt = (walk: Walk, { id, attemptsMax }: CollectNode): boolean =>
  attemptsMax !== null && attemptsAt(walk.variables, id) + 1 >= attemptsMax;

function capture(
  walk: Walk,
  node: CollectNode,
  value: unknown,
  failures: number,
  how: Captured | null,
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
    // All attempts are used up: a conversation that comes back here later starts anew.
    forgetAttempts(walk.variables, node.id);
    return 'leave';
  }
  settle(walk, node, status, attempts, reason);
  setAttempts(walk.variables, node.id, attempts);
  say(walk, 'reprompt', node, node.reprompts[status]);
  return 'wait';
}

/** Makes the status readable by edges (`_input_status`, `_attempts`), by the result and by the trace. */
function settle(
  walk: Walk,
  node: CollectNode,
  status: InputStatus,
  attempts: number,
  reason: string | null,
  how: Captured | null = null,
): void {
  walk.inputStatus = status;
  walk.attempts = attempts;
  const ambiguous = node.strict && reason === 'ambiguous';
  const reading = how === null ? null : how.reading;
  const unread = how === null ? nothingUnread : how.unread;
  walk.inputReading = reading;
  const { id: nodeId, variable } = node;
  const decidedBy = status === 'captured' ? walk.decider : null;
  walk.input = { status, nodeId, variable, ambiguous, reading, unread, attempts, decidedBy };
  if (unread.length > 0) walk.budget.json(unread);
  if (walk.trace === null) return;
  const read = how === null ? {} : traceReading(how);
  const isProposed = walk.proposal !== null && decidedBy !== 'cast';
  const proposed = isProposed ? { proposal: walk.proposal! } : {};
  walk.traced = { input: { status, attempts, reason, ...read, ...proposed }, extraction: null };
}

/** How the answer was read, as a trace shows it. */
function traceReading({ reading, unread, discarded }: Captured) {
  const words = unread.length > 0 ? { unread } : {};
  return { reading, ...words, ...(discarded === null ? {} : { discarded }) };
}

const nothingUnread: readonly string[] = [];

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

/** Merges what was extracted; a failure merges nothing and the walk goes on. */
export function takeExtraction(
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
