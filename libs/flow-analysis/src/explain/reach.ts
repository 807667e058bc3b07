// Finds the shortest conversation that reaches a node or takes an edge, or why there is none
// (docs/why.md#reach).
import type { CompiledFlow } from '@parley/flow-engine/compile/compiled';
import { generatedNowMs, playAgain, type ScriptedConversation } from './generate-tests.ts';
import type { StepLimits } from './script.ts';
import type { Explorer, ScriptedTurn } from './search/explorer.ts';
import { findEdges, type UncoveredEdge } from './search/find-edges.ts';

export type ReachTarget = { readonly nodeId: string } | { readonly edgeIndex: number };

export type Reach =
  | { readonly reached: true; readonly edges: readonly number[]; readonly test: ScriptedConversation }
  | ({ readonly reached: false } & Pick<UncoveredEdge, 'reason' | 'witness'>);

export function reach(flow: CompiledFlow, target: ReachTarget, bounds: StepLimits = {}): Reach {
  const playing = { ...bounds, nowMs: generatedNowMs };
  const found = ({ taken, visited }: Explorer): ScriptedTurn | undefined =>
    'edgeIndex' in target ? taken.get(target.edgeIndex) : visited.get(target.nodeId);
  const { explorer, uncovered } = findEdges(flow, playing, (explorer) => found(explorer) !== undefined);
  const said = found(explorer);
  if (said !== undefined) {
    const { test, edges } = playAgain(flow, said, playing);
    return { reached: true, test, edges };
  }
  if ('edgeIndex' in target) {
    const why = uncovered.find(({ edge }) => edge === target.edgeIndex);
    return why === undefined ? noSuch('edge') : { reached: false, reason: why.reason, witness: why.witness };
  }
  if (!flow.nodes.has(target.nodeId)) return noSuch('node that a conversation can stand at');
  return explainUnreached(flow, target.nodeId, uncovered);
}

function noSuch(what: string): Reach {
  return { reached: false, reason: 'proved_dead', witness: { message: `there is no such ${what}` } };
}

/** Only its incoming edges lead to a node. */
function explainUnreached(
  { model }: CompiledFlow,
  nodeId: string,
  uncovered: readonly UncoveredEdge[],
): Reach {
  const leading = uncovered.filter(({ edge }) => model.edges[edge]!.target === nodeId);
  const living = leading.filter(({ reason }) => reason !== 'proved_dead');
  const [why] = [...living].sort((a, b) => Number(a.reason === 'opaque') - Number(b.reason === 'opaque'));
  if (why !== undefined) return { reached: false, reason: why.reason, witness: why.witness };
  const message = leading.length === 0 ? 'no edge leads to it' : 'no edge that leads to it is ever taken';
  return {
    reached: false,
    reason: 'proved_dead',
    witness: { message, edges: leading.map(({ edge }) => edge) },
  };
}
