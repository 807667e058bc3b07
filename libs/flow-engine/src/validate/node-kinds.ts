// What a node is to the walk, as the rules ask it. The facts are in the table of node types.
import { readAnswerRules } from '../define/answer-rules.ts';
import type { NodeModel } from '../define/model.ts';
import { nodeTypes } from '../define/node-types.ts';
import type { InputStatus } from '../read/paths.ts';

/** The failure at which a collect node is left without an answer; null = never. As compile.ts reads it. */
export function attemptsMax({ raw }: NodeModel): number | null {
  const attempts = raw.max_attempts;
  return attempts != null && Number.isInteger(attempts) && attempts >= 1 ? attempts : null;
}

/** What a collect node can be left with. */
export function leavingStatuses(node: NodeModel): readonly InputStatus[] {
  if (!canGiveUp(node)) return ['captured'];
  const { min, max, pattern } = readAnswerRules(node.raw, node.cast).rules;
  const bounded = min !== null || max !== null || pattern !== null;
  return ['captured', 'no_match', 'no_input', ...(bounded ? (['out_of_range'] as const) : [])];
}

/** A collect node may be left without an answer: its attempts have an end, and nothing stands in for the answer. */
export const canGiveUp = (node: NodeModel): boolean =>
  attemptsMax(node) !== null && node.raw['default_answer'] == null;

/** The walk may stand here. A node of unknown type is taken for a step, so that one typing error is reported once. */
export const isWalked = ({ type }: NodeModel): boolean => type === null || nodeTypes[type].walked;
export const isTerminal = ({ type }: NodeModel): boolean => type !== null && nodeTypes[type].terminal;
export const isDeclarative = ({ type }: NodeModel): boolean => type !== null && nodeTypes[type].declarative;
/** The walk goes on from here by the edges. */
export const isLeft = (node: NodeModel): boolean => isWalked(node) && !isTerminal(node);
/** The walk passes here without waiting. */
export const isSilent = (node: NodeModel): boolean => isLeft(node) && node.type !== 'collect';
