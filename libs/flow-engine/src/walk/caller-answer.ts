// Nodes that wait for their caller instead of an utterance (docs/flow-language.md#waits): what a
// turn that resumes at one must bring, and what it does. The utterance of such a turn answers
// nothing.
import type { AutonomousNode, CompiledNode, HandoffNode, ToolNode } from '../compile/compiled.ts';
import type { CallerAnswer } from '../define/waits.ts';
import { openCallAt } from './bookkeeping.ts';
import type { AnswerMismatch } from './turn.ts';
import type { Walk } from './walk-state.ts';

export type AwaitingNode = ToolNode | HandoffNode;

/** The walk continues from the node only with an answer of the calling program. */
export const isAwaiting = (node: CompiledNode): node is AwaitingNode =>
  (node.type === 'tool' || node.type === 'handoff') && node.waits;

/** An agent that talks with the caller (docs/flow-language.md#agents-that-talk). */
export const isTalk = (node: CompiledNode): node is AutonomousNode =>
  node.type === 'autonomous' && node.talkTurnsMax !== null;

/**
 * The fault in the answer of a turn that resumes at a node, or begins the flow (null); null when it
 * is valid.
 */
export function findAnswerMismatch(walk: Walk, node: CompiledNode | null): AnswerMismatch | null {
  const { answer = null } = walk.turn;
  const asked = node === null ? null : askedBy(walk, node);
  if (asked === (answer?.kind ?? null) && (answer === null || isForOpenCall(walk, node!, answer)))
    return null;
  return { kind: `${asked ?? answer!.kind}_mismatch`, nodeId: node?.id ?? null };
}

/** An agent that talks waits for its own words while its call is open, else for the caller's. */
function askedBy(walk: Walk, node: CompiledNode): CallerAnswer['kind'] | null {
  if (isTalk(node)) return openCallAt(walk.variables, node.id) === null ? null : 'tool_result';
  if (!isAwaiting(node)) return null;
  return node.type === 'tool' ? 'tool_result' : 'handoff_result';
}

function isForOpenCall(walk: Walk, { id }: CompiledNode, answer: CallerAnswer): boolean {
  if (answer.kind !== 'tool_result' || answer.callId === null) return true;
  return answer.callId === openCallAt(walk.variables, id);
}

/**
 * Stores the result of a tool, where the edges can read it. An error leaves the variable unchanged.
 */
export function applyCallerAnswer(walk: Walk, node: AwaitingNode, answer: CallerAnswer): void {
  const result = answer.kind === 'tool_result' && answer.outcome.status === 'ok' ? answer.outcome : null;
  if (result !== null && node.type === 'tool' && node.write !== null) {
    walk.budget.json(result.result);
    node.write(walk.variables, result.result);
  }
  if (walk.trace !== null) walk.traced = { input: null, extraction: null, result: toTraceResult(answer) };
}

export function toTraceResult(answer: CallerAnswer) {
  if (answer.kind === 'handoff_result') return { status: answer.status, reason: answer.reason };
  const { outcome } = answer;
  if (outcome.status !== 'error') return { status: outcome.status, reason: null };
  const { code, missing } = outcome;
  return { status: outcome.status, reason: code, ...(missing === undefined ? {} : { missing }) };
}
