// Properties of a node that the rules ask for. The facts are in the table of node types.
import { readAnswerRules } from '@parley/flow-engine/define/answer-rules';
import type { NodeModel } from '@parley/flow-engine/define/model';
import { nodeTypes } from '@parley/flow-engine/define/node-types';
import type { EngineVariable } from '@parley/flow-engine/define/engine-variables';
import type { WaitsFor } from '@parley/flow-engine/define/waits';

/**
 * The failure at which a collect node is left without an answer; null = never. As compile.ts reads
 * it.
 */
export function attemptsMax({ raw }: NodeModel): number | null {
  const attempts = raw.max_attempts;
  return attempts != null && Number.isInteger(attempts) && attempts >= 1 ? attempts : null;
}

/**
 * By what a node waits for (an agent that talks has no status of its own): the engine variable with
 * the outcome, and the status with which the node's variable is set.
 */
export const waitStatus = {
  user_input: { variable: '_input_status', set: 'captured' },
  tool_result: { variable: '_tool_status', set: 'ok' },
  handoff_result: { variable: '_handoff_status', set: null },
} as const satisfies Record<
  Exclude<WaitsFor, 'talk'>,
  { readonly variable: EngineVariable; readonly set: string | null }
>;

/** The statuses after a waiting node; empty for any other. */
export function leavingStatuses(node: NodeModel): readonly string[] {
  if (node.waitsFor === null) return [];
  // An agent that talks may run out of band, and then its words come as the result of a tool.
  if (node.waitsFor === 'tool_result' || node.waitsFor === 'talk') return ['ok', 'error'];
  if (node.waitsFor === 'handoff_result') return ['failed', 'returned'];
  if (!canGiveUp(node)) return ['captured'];
  const { min, max, pattern } = readAnswerRules(node.raw, node.cast).rules;
  const bounded = min !== null || max !== null || pattern !== null;
  return ['captured', 'no_match', 'no_input', ...(bounded ? ['out_of_range'] : [])];
}

/** A command may be called here: at a question, and while a tool runs. */
export const isInterruptible = ({ waitsFor }: NodeModel): boolean =>
  waitsFor === 'user_input' || waitsFor === 'tool_result';

/**
 * A node may be left without setting its variable: a waiting tool may fail, and a collect node may
 * run out of attempts without a default.
 */
export const canGiveUp = (node: NodeModel): boolean =>
  node.waitsFor === 'tool_result' ||
  (node.waitsFor === 'user_input' && attemptsMax(node) !== null && node.raw['default_answer'] == null);

/**
 * The walk may visit it. A node of unknown type counts as a step, so that one typo is reported
 * once.
 */
export const isWalked = ({ type }: NodeModel): boolean => type === null || nodeTypes[type].walked;
/** The conversation may be over here. */
export const isTerminal = ({ type }: NodeModel): boolean => type !== null && nodeTypes[type].terminal;
export const isDeclarative = ({ type }: NodeModel): boolean => type !== null && nodeTypes[type].declarative;
/** A turn ends here, and the next one resumes here. */
export const isWait = ({ waitsFor }: NodeModel): boolean => waitsFor !== null;
/** The walk continues from here by the edges. */
export const isLeft = (node: NodeModel): boolean => isWalked(node) && (!isTerminal(node) || isWait(node));
/**
 * The walk may pass here without waiting: always, or when the variable of a question holds an
 * answer.
 */
export const mayPass = (node: NodeModel): boolean => isLeft(node) && (!isWait(node) || node.skips);
