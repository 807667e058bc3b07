// Counts which edges and nodes conversations pass: stored tests, generated ones, and recorded turns
// (docs/why.md#coverage).
import type { CompiledFlow } from '@parley/flow-engine/compile/compiled';
import type { FlowModel } from '@parley/flow-engine/define/model';
import type { Bag } from '@parley/flow-engine/read/paths';
import type { RecordedTurn } from './recorded-turn.ts';
import { playScripted, type StepLimits, type ScriptTurn } from './script.ts';

/** A scripted conversation. */
export interface Script {
  readonly turns: readonly ScriptTurn[];
  readonly current_node?: string | null | undefined;
  readonly variables?: Bag | undefined;
  /** Epoch seconds. */
  readonly now?: number | undefined;
}

/** By edge and by node: the number of conversations or turns that passed. */
export interface PassCounts {
  readonly edges: ReadonlyMap<number, number>;
  readonly nodes: ReadonlyMap<string, number>;
}

/**
 * Each script counts once for an edge, however often it takes it. A refused turn ends its script.
 */
export function countScripts(
  flow: CompiledFlow,
  scripts: readonly Script[],
  nowMs: number,
  bounds: StepLimits = {},
): PassCounts {
  const edges = new Map<number, number>();
  const nodes = new Map<string, number>();
  for (const { turns, current_node, variables, now } of scripts) {
    const taken = new Set<number>();
    const visited = new Set<string>();
    let standing = { currentNode: current_node ?? null, variables: variables ?? {} };
    const playing = { ...bounds, nowMs: now === undefined ? nowMs : now * 1000 };
    for (const turn of turns) {
      const outcome = playScripted(flow, turn, standing, playing);
      if (outcome.kind !== 'turn') break;
      for (const edge of outcome.taken) if (edge !== undefined) taken.add(edge);
      for (const node of outcome.visited) visited.add(node);
      standing = { currentNode: outcome.nextNode, variables: outcome.variables };
    }
    for (const edge of taken) edges.set(edge, (edges.get(edge) ?? 0) + 1);
    for (const node of visited) nodes.set(node, (nodes.get(node) ?? 0) + 1);
  }
  return { edges, nodes };
}

/** Turns that ran on this very definition: positions mean nothing on another. */
export function countTurns(flow: FlowModel, turns: readonly RecordedTurn[]): PassCounts {
  const edges = new Map<number, number>();
  const nodes = new Map<string, number>();
  for (const { path } of turns)
    for (const [nodeIndex, edgeIndex] of path) {
      const node = flow.nodes[nodeIndex]?.id;
      if (node !== undefined) nodes.set(node, (nodes.get(node) ?? 0) + 1);
      if (edgeIndex !== null && edgeIndex < flow.edges.length)
        edges.set(edgeIndex, (edges.get(edgeIndex) ?? 0) + 1);
    }
  return { edges, nodes };
}
