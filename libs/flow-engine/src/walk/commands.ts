// Commands and the way back (docs/flow-language.md#commands): what every question accepts, and the
// questions that a command interrupted. A command captures nothing of its words: the variables stay
// as before. With `answers_question` the words also answer the question that the command leads to,
// as if the walk had asked it.
import type { CollectNode, CompiledNode, ToolNode } from '../compile/compiled.ts';
import { limits } from '../define/limits.ts';
import type { Scope } from '../read/paths.ts';
import {
  attemptsAt,
  forgetAttempts,
  forgetOthersFilled,
  interruptedAt,
  openCallAt,
  setInterrupted,
} from './bookkeeping.ts';
import { depart, type Departure } from './route.ts';
import { say, type Walk } from './walk-state.ts';

export type CommandDeparture = Departure & { readonly exit: NonNullable<Departure['exit']> };

/** The scope of a command's conditions: the utterance, and the variables before it changed any. */
export function toCommandScope(walk: Walk, unanswered: Walk['variables']): Scope {
  return {
    ...walk,
    variables: unanswered,
    inputStatus: null,
    attempts: null,
    inputReading: null,
    filled: null,
  };
}

/**
 * Leaves a question, or a running tool, for a command: it stays unanswered, uses up no attempt, and
 * is noted to go back to.
 */
export function followCommand(
  walk: Walk,
  node: CollectNode | ToolNode,
  unanswered: Walk['variables'],
  departure: CommandDeparture,
): CompiledNode {
  const attempts = attemptsAt(unanswered, node.id);
  if (walk.trace !== null)
    walk.traced = { input: { status: 'command', attempts, reason: null }, extraction: null };
  depart(walk, node, departure);
  walk.variables = { ...unanswered };
  walk.inputStatus = 'command';
  walk.attempts = null;
  walk.inputReading = null;
  walk.filled = null;
  const { id: nodeId } = node;
  const variable = node.type === 'collect' ? node.variable : null;
  const none = { ambiguous: false, reading: null, unread: [], filled: [] };
  const nothing = { ...none, attempts, decidedBy: null } as const;
  walk.input = { status: 'command', nodeId, variable, ...nothing };
  const interrupted = interruptedAt(walk.variables);
  // At the maximum, this question is not noted: earlier promises come first.
  if (interrupted.length < limits.interruptedMax) setInterrupted(walk.variables, [...interrupted, node.id]);
  walk.answering = walk.flow.commands!.answering.has(departure.exit.edgeIndex);
  return departure.exit.target;
}

/**
 * A question that the walk reaches by itself begins with no failed attempts, even if the caller
 * left it half-way before. It is no longer interrupted, nor is anything that was interrupted after
 * it.
 */
export function arriveAtQuestion(walk: Walk, node: CollectNode): void {
  forgetAttempts(walk.variables, node.id);
  forgetOthersFilled(walk.variables);
  arriveAgain(walk, node);
}

/** The walk reaches a node by itself: it is interrupted no more, nor is anything after it. */
export function arriveAgain(walk: Walk, node: CompiledNode): void {
  if (walk.flow.commands === null) return;
  const interrupted = interruptedAt(walk.variables);
  const place = interrupted.indexOf(node.id);
  if (place !== -1) setInterrupted(walk.variables, interrupted.slice(0, place));
}

/**
 * The question, or the running tool, to go back to from a node; null = none, or the node does not
 * go back.
 */
export function takeInterrupted(walk: Walk, node: CompiledNode): CollectNode | ToolNode | null {
  if (node.type !== 'end' || !node.resumes || walk.flow.commands === null) return null;
  const interrupted = [...interruptedAt(walk.variables)];
  for (let id = interrupted.pop(); id !== undefined; id = interrupted.pop()) {
    const question = walk.flow.nodes.get(id);
    // Another version may have no such question.
    const isRunning = question?.type === 'tool' && openCallAt(walk.variables, id) !== null;
    if (question?.type !== 'collect' && !isRunning) continue;
    setInterrupted(walk.variables, interrupted);
    return question;
  }
  return null;
}

/** Asks an interrupted question again. Its failed attempts still count. A tool just runs on. */
export function askAgain(walk: Walk, question: CollectNode | ToolNode): void {
  walk.visited.push(question.id);
  if (question.type === 'tool') return;
  say(walk, 'prompt', question, question.prompt);
}
