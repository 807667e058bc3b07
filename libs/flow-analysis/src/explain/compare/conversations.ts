// Generates the conversations in which two versions may part: those that take every edge of either,
// and variations with other answers wherever a condition or a question changed, close to the moved
// threshold.
import type { CompiledFlow } from '@parley/flow-engine/compile/compiled';
import { toJson } from '@parley/answers/readings';
import { comparisonsByVariable } from '../../validate/clauses.ts';
import type { FlowModel, EdgeModel } from '@parley/flow-engine/define/model';
import type { Script } from '../coverage.ts';
import { generatedNowMs, selectTests } from '../generate-tests.ts';
import { serialiseContent, type NodeNow } from '../same-nodes.ts';
import { spell } from '../search/answers-to.ts';
import type { Explorer } from '../search/explorer.ts';
import { findEdges, type FoundEdges } from '../search/find-edges.ts';
import type { Playing, StepLimits } from '../script.ts';
import type { Versions } from './lockstep.ts';

export interface Comparable {
  readonly script: Script;
  readonly origin: 'from' | 'to';
}

/** Conversations that take the edges of a flow. */
export type EdgeSearch = (flow: CompiledFlow, playing: Playing) => FoundEdges;

/** Other answers that are tried in place of one. */
const otherAnswersMax = 24;

/** Deterministic: the shortest first, unchanged; then with other answers. */
export function* generateConversations(
  versions: Versions,
  bounds: StepLimits,
  search: EdgeSearch = findEdges,
): Generator<Comparable> {
  const playing = { ...bounds, nowMs: generatedNowMs };
  const made = (['from', 'to'] as const).map((origin) => {
    const flow = versions[origin];
    const found = search(flow, playing);
    const scripts: readonly Script[] = selectTests(flow, found, playing).map(({ test }) => test);
    return { origin, explorer: found.explorer, scripts };
  });
  for (const { origin, scripts } of made) for (const script of scripts) yield { script, origin };
  const others = listOtherAnswers(
    versions,
    made.map(({ explorer }) => explorer),
  );
  for (const { origin, scripts } of made)
    for (const script of scripts)
      for (const [at, turn] of script.turns.entries()) {
        const node = findAnsweredNode(script, at);
        for (const user_input of node === null ? [] : others(origin, node)) {
          if (user_input === turn.user_input) continue;
          const turns = script.turns.map((other, place) => (place === at ? { ...other, user_input } : other));
          yield { script: { ...script, turns }, origin };
        }
      }
}

/** The node that a turn of a generated conversation answers. */
function findAnsweredNode({ turns }: Script, at: number): string | null {
  const before = turns[at - 1] as { readonly expect?: { readonly next_node: string | null } } | undefined;
  return before?.expect?.next_node ?? null;
}

/** Other answers at a node; none when nothing that reads the answer has changed. */
function listOtherAnswers(
  versions: Versions,
  explorers: readonly Explorer[],
): (origin: 'from' | 'to', node: string) => readonly string[] {
  const { from, to, nodeNow } = versions;
  const changed = findChangedEdges(from.model, to.model, nodeNow);
  const known = new Map<string, readonly string[]>();
  const list = (flow: CompiledFlow, id: string): readonly string[] => {
    const model = flow.model.nodesById.get(id);
    const node = flow.nodes.get(id);
    if (model === undefined || node?.type !== 'collect') return [];
    const path = node.variable ?? '';
    const values = explorers.flatMap((explorer) => {
      const compared = comparisonsByVariable(changed, explorer.index.readPath).get(path) ?? [];
      return explorer.variables.valuesAt(compared);
    });
    const borders = compared(changed, path, explorers)
      ? values.flatMap((value) => spell(value, model.cast))
      : [];
    const asked = isUnchanged(versions, id)
      ? []
      : explorers.flatMap((explorer) =>
          explorer.saidAt({ currentNode: id }).map(({ user_input }) => user_input ?? ''),
        );
    return [...new Set([...borders, ...asked])].slice(0, otherAnswersMax);
  };
  return (origin, node) => {
    const key = `${origin} ${node}`;
    const answers = known.get(key) ?? list(versions[origin], node);
    known.set(key, answers);
    return answers;
  };
}

function compared(changed: readonly EdgeModel[], path: string, [explorer]: readonly Explorer[]): boolean {
  return explorer !== undefined && comparisonsByVariable(changed, explorer.index.readPath).has(path);
}

/** The question and its answer rules are the same in both versions. */
function isUnchanged({ from, to, nodeNow }: Versions, id: string): boolean {
  const [was, is] = [from.model.nodesById.get(id), to.model.nodesById.get(nodeNow(id) ?? id)];
  return was !== undefined && is !== undefined && serialiseContent(was) === serialiseContent(is);
}

/** Edges with a condition that the other version does not have at the same node. */
function findChangedEdges(from: FlowModel, to: FlowModel, nodeNow: NodeNow): EdgeModel[] {
  const key = (edge: EdgeModel, source: string) =>
    toJson([source, edge.condition, edge.group, edge.caseSensitive]);
  const was = new Set(from.edges.map((edge) => key(edge, nodeNow(edge.source) ?? edge.source)));
  const is = new Set(to.edges.map((edge) => key(edge, edge.source)));
  return [
    ...to.edges.filter((edge) => !was.has(key(edge, edge.source))),
    ...from.edges.filter((edge) => !is.has(key(edge, nodeNow(edge.source) ?? edge.source))),
  ];
}
