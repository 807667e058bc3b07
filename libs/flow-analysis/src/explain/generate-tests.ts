// Generates a few conversations that take every edge that can be taken, as tests to store
// (docs/why.md#generated-tests). Deterministic: the same definition gives the same tests.
import type { CompiledFlow } from '@parley/flow-engine/compile/compiled';
import type { Bag } from '@parley/flow-engine/read/paths';
import type { TurnResult } from '@parley/flow-engine/walk/turn';
import { findSkipped, type ScriptedTurn } from './search/explorer.ts';
import { listTurnsTo } from './search/places.ts';
import { findEdges, type FoundEdges, type UncoveredEdge } from './search/find-edges.ts';
import { playScripted, type StepLimits, type Playing, type ScriptTurn } from './script.ts';

export interface TestedTurn extends ScriptTurn {
  readonly expect: {
    readonly messages: readonly string[];
    readonly next_node: string | null;
    readonly status: TurnResult['status'];
  };
}

/** A conversation in the form of a stored test. */
export interface ScriptedConversation {
  /** Epoch seconds. */
  readonly now: number;
  /** The caller's initial variables; absent when there are none. */
  readonly variables?: Bag;
  readonly turns: readonly TestedTurn[];
}

export interface GeneratedTest {
  /** Names its target edge. */
  readonly name: string;
  readonly edge_index: number;
  /** All edges that it takes. */
  readonly edges: readonly number[];
  readonly test: ScriptedConversation;
}

export interface GeneratedTests {
  /** Shortest first. */
  readonly tests: readonly GeneratedTest[];
  readonly edges: { readonly all: number; readonly taken: number; readonly proved_dead: number };
  readonly uncovered: readonly UncoveredEdge[];
}

/** The clock of generated conversations: Friday, 20 November 2026, 12:00 UTC. */
export const generatedNowMs = 1_795_176_000_000;

export function generateTests(flow: CompiledFlow, bounds: StepLimits = {}): GeneratedTests {
  const playing = { ...bounds, nowMs: generatedNowMs };
  const found = findEdges(flow, playing);
  const dead = found.uncovered.filter(({ reason }) => reason === 'proved_dead').length;
  const edges = { all: flow.model.edges.length, taken: found.taken.size, proved_dead: dead };
  return { tests: selectTests(flow, found, playing), edges, uncovered: found.uncovered };
}

/** Picks the conversations with most edges first, then shorter ones for the rest. */
export function selectTests(
  flow: CompiledFlow,
  { taken, explorer }: Pick<FoundEdges, 'taken' | 'explorer'>,
  playing: Playing,
): GeneratedTest[] {
  const covered = new Set<number>();
  const passed = { answered: new Set<string | null>(), skipped: new Set<string>() };
  const note = ({ test, edges, skipped }: PlayedConversation) => {
    for (const one of edges) covered.add(one);
    for (const nodeId of skipped) passed.skipped.add(nodeId);
    for (const { expect } of test.turns.slice(0, -1)) passed.answered.add(expect.next_node);
  };
  const tests: GeneratedTest[] = [];
  const longestFirst = [...taken].sort(([a, one], [b, other]) => other.from.depth - one.from.depth || a - b);
  for (const [edge, said] of longestFirst) {
    if (covered.has(edge)) continue;
    const held = playAgain(flow, said, playing);
    note(held);
    const { test, edges } = held;
    tests.push({ name: `generated.edge-${edge}`, edge_index: edge, edges, test });
  }
  // A question that may be skipped has two ways by the same edges.
  for (const way of ['answered', 'skipped'] as const)
    for (const [nodeId, said] of explorer[way]) {
      if (passed[way].has(nodeId)) continue;
      const held = playAgain(flow, said, playing);
      const [first] = held.edges;
      if (first === undefined) continue;
      note(held);
      const name = `generated.${way}-${flow.model.nodesById.get(nodeId)!.index}`;
      tests.push({ name, edge_index: first, edges: held.edges, test: held.test });
    }
  return tests.sort((a, b) => a.test.turns.length - b.test.turns.length || a.edge_index - b.edge_index);
}

interface PlayedConversation {
  readonly test: ScriptedConversation;
  readonly edges: readonly number[];
  /** Questions that were skipped because their variable held an answer. */
  readonly skipped: readonly string[];
}

/** A conversation from its beginning, with the outcome of each turn and the edges that it took. */
export function playAgain(
  flow: CompiledFlow,
  { from, turn }: ScriptedTurn,
  playing: Playing,
): PlayedConversation {
  const edges = new Set<number>();
  const skipped = new Set<string>();
  const turns: TestedTurn[] = [];
  let standing = { currentNode: null as string | null, variables: from.brought };
  for (const scripted of [...listTurnsTo(from), turn]) {
    const outcome = playScripted(flow, scripted, standing, playing);
    // Unreachable: it was played before on the same flow.
    if (outcome.kind !== 'turn') break;
    const { outputs, nextNode, status, variables, taken } = outcome;
    for (const edge of taken) if (edge !== undefined) edges.add(edge);
    for (const nodeId of findSkipped(flow, standing.currentNode, outcome)) skipped.add(nodeId);
    turns.push({
      ...scripted,
      expect: { messages: outputs.map(({ text }) => text), next_node: nextNode, status },
    });
    standing = { currentNode: nextNode, variables };
  }
  const brought = Object.keys(from.brought).length === 0 ? {} : { variables: from.brought };
  return {
    test: { now: playing.nowMs / 1000, ...brought, turns },
    edges: [...edges].sort((a, b) => a - b),
    skipped: [...skipped],
  };
}
