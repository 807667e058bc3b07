// What a turn looks like on the canvas.
import { ownNode } from '../../engine/called.ts';
import type { PlayedTurn } from '../../engine/converse.ts';

export interface Walked {
  readonly visited: readonly string[];
  readonly taken: ReadonlySet<number>;
  readonly refused: ReadonlySet<number>;
}

export const nowhere: Walked = { visited: [], taken: new Set(), refused: new Set() };

export function walkedBy(turn: PlayedTurn | null): Walked {
  if (turn === null) return nowhere;
  const { outcome } = turn;
  if (outcome.kind === 'turn_did_not_settle') return { ...nowhere, visited: outcome.path.map(ownNode) };
  if (outcome.kind === 'asks') {
    const { question } = outcome;
    const at = 'question' in question ? question.question.nodeId : question.spec.nodeId;
    return { ...nowhere, visited: [ownNode(at)] };
  }
  if (outcome.kind !== 'turn') return nowhere;
  const steps = outcome.trace ?? [];
  const edges = steps.flatMap((step) => step.edges);
  return {
    visited: steps.map(({ nodeId }) => ownNode(nodeId)),
    taken: new Set(steps.flatMap(({ edgeIndex }) => edgeIndex ?? [])),
    refused: new Set(edges.flatMap(({ edgeIndex, result }) => (result ? [] : [edgeIndex]))),
  };
}
