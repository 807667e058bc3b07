// Shows that two walks answer the same turns alike, before anything is measured.
import { isDeepStrictEqual } from 'node:util';
import type { CompiledFlow } from '@parley/flow-engine';
import type { BenchTurn } from './bench-flow.ts';
import { parleyWalk } from './parley-walk.ts';
import type { XstateTurn } from './xstate-walk.ts';

/** Parley's answer in the form of the other walk. */
export function saidBy(flow: CompiledFlow, turn: BenchTurn): XstateTurn {
  const { nextNode, outputs, variables } = parleyWalk(flow, turn);
  return { nextNode: nextNode ?? '', texts: outputs.map(({ text }) => text), variables };
}

/** @throws Error with the first turn that the two answer differently. */
export function refuseDifference(
  flow: CompiledFlow,
  other: (turn: BenchTurn) => XstateTurn,
  turns: readonly BenchTurn[],
): void {
  for (const turn of turns) {
    const [ours, theirs] = [saidBy(flow, turn), other(turn)];
    if (!isDeepStrictEqual(ours, theirs)) {
      throw new Error(
        `at ${turn.current_node} the walks differ: ${JSON.stringify(ours)} / ${JSON.stringify(theirs)}`,
      );
    }
  }
}
