// What a turn looks like on the canvas.
import type { TraceStep } from '@parley/flow-engine';
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
  if (outcome.kind === 'turn_did_not_settle') return { ...nowhere, visited: outcome.path };
  if (outcome.kind === 'asks') {
    const { question } = outcome;
    const at = 'question' in question ? question.question.nodeId : question.spec.nodeId;
    return { ...nowhere, visited: [at] };
  }
  return outcome.kind === 'turn' ? walkOf(outcome.trace ?? []) : nowhere;
}

export function walkOf(steps: readonly TraceStep[]): Walked {
  const edges = steps.flatMap((step) => step.edges);
  return {
    visited: steps.map(({ nodeId }) => nodeId),
    taken: new Set(steps.flatMap(({ edgeIndex }) => edgeIndex ?? [])),
    refused: new Set(edges.flatMap(({ edgeIndex, result }) => (result ? [] : [edgeIndex]))),
  };
}
