// A turn that brings the answer of the calling program. The result of a tool that lacks a member
// counts as an error of the tool (docs/flow-language.md#missing-members).
import type { CompiledNode } from '../compile/compiled.ts';
import { isPending, type CallerAnswer } from '../define/waits.ts';
import { ownMember } from '../read/paths.ts';
import { applyCallerAnswer, type AwaitingNode } from './caller-answer.ts';
import { keepWaiting } from './pending.ts';
import type { Step, TurnInput } from './turn.ts';
import type { Walk } from './walk-state.ts';

interface Proceed {
  readonly begin: (flow: Walk['flow'], turn: TurnInput) => Step;
  readonly walkFrom: (walk: Walk, next: CompiledNode) => Step;
  readonly walkOn: (walk: Walk, from: CompiledNode) => Step;
}

/**
 * Takes the answer. A turn whose texts read what the result lacks is walked again with an error in
 * place of the result, unless a model or an agent has answered before the gap was found: their
 * effects cannot be undone.
 */
export function resumeWithAnswer(
  walk: Walk,
  node: AwaitingNode,
  answer: CallerAnswer,
  { begin, walkFrom, walkOn }: Proceed,
): Step {
  const beginWithError = (missing: string) =>
    begin(walk.flow, { ...walk.turn, answer: toMissingMember(answer, missing) });
  const missing = findMissingMember(node, answer);
  if (missing !== null) return beginWithError(missing);
  walk.visited.push(node.id);
  applyCallerAnswer(walk, node, answer);
  if (isPending(answer)) return keepWaiting(walk, node, walkFrom);
  const step = walkOn(walk, node);
  return walk.gap !== null && isResult(answer) ? beginWithError(walk.gap) : step;
}

const isResult = (answer: CallerAnswer): boolean =>
  answer.kind === 'tool_result' && answer.outcome.status === 'ok';

/** The path of the first member that the tool declares as required and that its result lacks. */
function findMissingMember(node: AwaitingNode, answer: CallerAnswer): string | null {
  if (node.type !== 'tool' || answer.kind !== 'tool_result' || answer.outcome.status !== 'ok') return null;
  const { result } = answer.outcome;
  const name = node.required.find((member) => (ownMember(result, member) ?? null) === null);
  return name === undefined ? null : [node.outputVar, name].filter((step) => step !== null).join('.');
}

const toMissingMember = (answer: CallerAnswer, missing: string): CallerAnswer => ({
  kind: 'tool_result',
  callId: answer.kind === 'tool_result' ? answer.callId : null,
  outcome: {
    status: 'error',
    code: 'missing_member',
    message: `The result has no ${missing}.`,
    missing,
  },
});
