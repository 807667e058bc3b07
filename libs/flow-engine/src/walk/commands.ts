// Commands and the way back (docs/flow-language.md#commands): what may be called at every question, and the questions that were
// interrupted for it. A command takes nothing from the words that called it: the bag is as it was when they were said. Only where it says so
// are they the answer of the question that it leads to, which then is taken as if it had been asked.
import type { CollectNode, CompiledNode } from '../compile/compiled.ts';
import { limits } from '../define/limits.ts';
import type { Scope } from '../read/paths.ts';
import {
  attemptsAt,
  forgetAttempts,
  forgetOthersFilled,
  interruptedAt,
  setInterrupted,
} from './bookkeeping.ts';
import { depart, type Departure } from './route.ts';
import { say, type Walk } from './walk-state.ts';

/** What the conditions of commands read: the words, and the bag before anything was taken from them. */
export function asSaid(walk: Walk, unanswered: Walk['variables']): Scope {
  return {
    ...walk,
    variables: unanswered,
    inputStatus: null,
    attempts: null,
    inputReading: null,
    filled: null,
  };
}

/** Leaves a question for a command: it stays unanswered, none of its attempts is used up, and it is kept to go back to. */
export function obey(
  walk: Walk,
  node: CollectNode,
  unanswered: Walk['variables'],
  departure: Departure & { readonly exit: NonNullable<Departure['exit']> },
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
  const { id: nodeId, variable } = node;
  const none = { ambiguous: false, reading: null, unread: [], filled: [] };
  const nothing = { ...none, attempts, decidedBy: null } as const;
  walk.input = { status: 'command', nodeId, variable, ...nothing };
  const interrupted = interruptedAt(walk.variables);
  // With as many as there may be, the one that is left now is not kept: what was promised before goes first.
  if (interrupted.length < limits.interruptedMax) setInterrupted(walk.variables, [...interrupted, node.id]);
  walk.answering = walk.flow.commands!.answering.has(departure.exit.edgeIndex);
  return departure.exit.target;
}

/**
 * A question that the walk comes to by itself begins with no failed attempts, also when the caller left it half-way before. It is
 * interrupted no more, nor is what was interrupted after it.
 */
export function comeTo(walk: Walk, node: CollectNode): void {
  forgetAttempts(walk.variables, node.id);
  forgetOthersFilled(walk.variables);
  if (walk.flow.commands === null) return;
  const interrupted = interruptedAt(walk.variables);
  const place = interrupted.indexOf(node.id);
  if (place !== -1) setInterrupted(walk.variables, interrupted.slice(0, place));
}

/** The question to go back to from a node; null = none, or the node does not go back. */
export function takeInterrupted(walk: Walk, node: CompiledNode): CollectNode | null {
  if (node.type !== 'end' || !node.resumes || walk.flow.commands === null) return null;
  const interrupted = [...interruptedAt(walk.variables)];
  for (let id = interrupted.pop(); id !== undefined; id = interrupted.pop()) {
    const question = walk.flow.nodes.get(id);
    // Another version may have no such question.
    if (question?.type !== 'collect') continue;
    setInterrupted(walk.variables, interrupted);
    return question;
  }
  return null;
}

/** Asks a question again that was interrupted. Its failed attempts still count. */
export function askAgain(walk: Walk, question: CollectNode): void {
  walk.visited.push(question.id);
  say(walk, 'prompt', question, question.prompt);
}
