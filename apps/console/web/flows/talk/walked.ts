// The path of a turn, for the canvas.
import type { TraceStep } from '@parley/flow-engine';
import { ownNode } from '../../engine/called.ts';
import type { PlayedTurn } from '../../engine/converse.ts';

export interface Walked {
  readonly visited: readonly string[];
  readonly taken: ReadonlySet<number>;
  readonly refused: ReadonlySet<number>;
  /** Visited nodes of called flows, by the calling node. */
  readonly inside: ReadonlyMap<string, readonly string[]>;
}

export const nowhere: Walked = { visited: [], taken: new Set(), refused: new Set(), inside: new Map() };

export function walkedBy(turn: PlayedTurn | null): Walked {
  if (turn === null) return nowhere;
  const { outcome } = turn;
  if (outcome.kind === 'turn_did_not_settle') return { ...nowhere, visited: outcome.path.map(ownNode) };
  if (outcome.kind === 'asks') {
    const { question } = outcome;
    const at = 'question' in question ? question.question.nodeId : question.spec.nodeId;
    return { ...nowhere, visited: [ownNode(at)] };
  }
  return outcome.kind === 'turn' ? walkOf(outcome.trace ?? []) : nowhere;
}

export function walkOf(steps: readonly TraceStep[]): Walked {
  const edges = steps.flatMap((step) => step.edges);
  return {
    visited: steps.map(({ nodeId }) => ownNode(nodeId)),
    inside: insideOf(steps.map(({ nodeId }) => nodeId)),
    taken: new Set(steps.flatMap(({ edgeIndex }) => edgeIndex ?? [])),
    refused: new Set(edges.flatMap(({ edgeIndex, result }) => (result ? [] : [edgeIndex]))),
  };
}

/** `who/ask` is the node `ask` of the flow that `who` calls. Deeper calls are not shown. */
function insideOf(visited: readonly string[]): ReadonlyMap<string, readonly string[]> {
  const inside = new Map<string, string[]>();
  for (const id of visited) {
    const [caller, inner] = id.split('/');
    if (inner === undefined || inner === '') continue;
    inside.set(caller!, [...(inside.get(caller!) ?? []), inner]);
  }
  return inside;
}
