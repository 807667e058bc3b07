// What an earlier version of the embedded classifier decided in a recorded turn, from its path and
// its variables: a replay takes it instead of deciding again.
import { toJson } from '@parley/answers/readings';
import type { CompiledFlow } from '@parley/flow-engine/compile/compiled';
import { isCommand } from '@parley/flow-engine/define/commands';
import { exampleMembers } from '@parley/flow-engine/define/examples';
import type { EdgeModel, FlowModel } from '@parley/flow-engine/define/model';
import type { EarlierDecisions } from '@parley/flow-engine/walk/turn';
import { bagAfter } from './differences.ts';
import type { RecordedTurn } from './recorded-turn.ts';
import type { NodeNow } from './same-nodes.ts';

/**
 * Only of nodes whose branches and choices are unchanged: changed ones are decided by the current
 * version, as the next turn would be.
 */
export function readEarlierDecisions(
  turn: RecordedTurn,
  version: number,
  from: FlowModel,
  to: CompiledFlow,
  nodeNow: NodeNow,
): EarlierDecisions {
  const branches = new Map<string, number | null>();
  const choices = new Map<string, unknown>();
  const isFirst = to.classifierOrder !== 'model_first';
  for (const [index, edgeIndex, decidedBy] of turn.path) {
    const node = from.nodes[index];
    const now = node === undefined ? null : nodeNow(node.id);
    if (node === undefined || now === null) continue;
    const wasAsked = (kind: string) =>
      (turn.answers ?? []).some((answer) => answer.kind === kind && answer.node_id === node.id);
    const [before, after] = [listDecided(from, node.id), listDecided(to.model, now)];
    if (!branches.has(now) && serialise(from, before) === serialise(to.model, after)) {
      const taken = decidedBy === 'classifier' ? before.findIndex((edge) => edge.index === edgeIndex) : -1;
      // Asked after the examples, a model decided because they did not.
      const isUndecided = isFirst && wasAsked('classify');
      branches.set(now, isUndecided ? null : (after[taken]?.index ?? null));
    }
    const nodeAfter = to.model.nodesById.get(now);
    const isSameQuestion =
      nodeAfter !== undefined && toJson(node.raw.choices ?? null) === toJson(nodeAfter.raw.choices ?? null);
    if (choices.has(now) || !isSameQuestion) continue;
    const isCaptured =
      turn.answer_outcome?.node === index && turn.answer_outcome.outcome.startsWith('understood');
    const isByModel = isFirst && node.raw['read_with'] != null && wasAsked('extract');
    const variable = node.raw.variable?.trim() ?? '';
    choices.set(now, isCaptured && !isByModel ? bagAfter(turn)?.[variable] : undefined);
  }
  return { version, branches, choices };
}

/** The edges that are decided together at a node: its own, and those of commands. */
const listDecided = (flow: FlowModel, id: string): readonly EdgeModel[] =>
  flow.edges.filter(({ kind, source }) => {
    const node = flow.nodesById.get(source);
    return kind === 'nl' && (source === id || (node !== undefined && isCommand(node)));
  });

const serialise = (flow: FlowModel, edges: readonly EdgeModel[]): string =>
  toJson(
    edges.map(({ nl, label, raw, source }) => [
      [nl, label, ...exampleMembers.map((member) => raw[member] ?? null)],
      flow.nodesById.get(source)?.type ?? null,
    ]),
  );
