// What an edge on the status of a waiting node proves about its variable.
import { compileComparison } from '@parley/flow-engine/read/compare';
import { compileValue } from '@parley/flow-engine/compile/interpolate';
import type { Condition, NodeModel } from '@parley/flow-engine/define/model';
import { attemptsMax, waitStatus } from '../node-kinds.ts';

/**
 * Whether a comparison, holding or not, proves that its node was answered; and which statuses
 * remain possible.
 */
export interface ComparisonProof {
  readonly taken: boolean;
  readonly passed: boolean;
  readonly held: ReadonlySet<string> | null;
  readonly failed: ReadonlySet<string> | null;
}

export const noTelling: ComparisonProof = { taken: false, passed: false, held: null, failed: null };

/**
 * For a comparison of the status of a node, or of `_attempts`: a question is given up at the last
 * attempt, and answered before it.
 */
export function analyseStatus(
  { variable, op, value }: Condition,
  caseSensitive: boolean,
  node: NodeModel,
  left: ReadonlySet<string>,
): ComparisonProof {
  const { waitsFor } = node;
  const untold = { taken: false, passed: false, held: left, failed: left };
  if (waitsFor === null || waitsFor === 'talk' || op === null || !compileValue(value, null).constant)
    return untold;
  const status = waitStatus[waitsFor];
  const compared = variable?.trim();
  const counts = compared === '_attempts' && waitsFor === 'user_input';
  if (compared !== status.variable && !counts) return untold;
  const compare = compileComparison(op, value, { caseSensitive });
  const isCaught = (one: string) =>
    counts ? one !== status.set && compare(attemptsMax(node)).matched : compare(one).matched;
  const caught = [...left].filter(isCaught);
  const failed = new Set([...left].filter((one) => !caught.includes(one)));
  // The number of earlier failures is unknown.
  const held = new Set(
    counts ? [...left].filter((one) => one === status.set || caught.includes(one)) : caught,
  );
  const onlyAnswered = (statuses: Iterable<string>) => [...statuses].join() === status.set;
  const taken = counts ? caught.length === 0 : onlyAnswered(caught);
  return { taken, passed: caught.length > 0 && onlyAnswered(failed), held, failed };
}
