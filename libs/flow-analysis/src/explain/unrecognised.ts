// Utterances that no branch recognised, grouped by likeness: examples to be (docs/why.md#coverage).
import { normaliseUtterance } from '@parley/answers';
import { createIndex } from '@parley/flow-engine/classify/example-index';
import { readFeatures } from '@parley/flow-engine/classify/features';
import type { CompiledFlow, CompiledNode } from '@parley/flow-engine/compile/compiled';
import { limits } from '@parley/flow-engine/define/limits';
import type { RecordedTurn } from './recorded-turn.ts';

/** A node whose natural-language edges recognised nothing, so that its default edge was taken. */
export interface UnrecognisedNode {
  readonly node_id: string;
  /** Turns. */
  readonly count: number;
  /** The largest first. */
  readonly groups: readonly UtteranceGroup[];
}

export interface UtteranceGroup {
  /** Turns. */
  readonly count: number;
  /** Different ones, the most frequent first. */
  readonly utterances: readonly string[];
  /** The edge that they are most like; null = none. */
  readonly edge_index: number | null;
}

export const groupsMax = 20;
const utterancesMax = 10;
/** From 0 to 1: how like an utterance is to the most frequent one of its group. */
const likeMin = 0.4;

/** Turns that ran on this very definition. */
export function groupUnrecognised(
  flow: CompiledFlow,
  turns: readonly RecordedTurn[],
): readonly UnrecognisedNode[] {
  const byNode = new Map<CompiledNode, string[]>();
  for (const turn of turns) {
    const utterance = readUtterance(turn);
    if (utterance === null) continue;
    for (const [index, , decidedBy] of turn.path) {
      const node = flow.nodes.get(flow.model.nodes[index]?.id ?? '');
      if (decidedBy !== 'default' || node === undefined || node.routes.choices.length === 0) continue;
      const list = byNode.get(node);
      if (list === undefined) byNode.set(node, [utterance]);
      else list.push(utterance);
    }
  }
  return [...byNode].map(([node, utterances]) => ({
    node_id: node.id,
    count: utterances.length,
    groups: groupUtterances(utterances)
      .slice(0, groupsMax)
      .map((group) => ({ ...group, edge_index: findNearestEdge(flow, node, group.utterances[0]!) })),
  }));
}

/** Null: nothing was said, or nothing that may be an example. */
function readUtterance({ input, redacted = [] }: RecordedTurn): string | null {
  const utterance = input?.user_input?.trim() ?? '';
  const isSecret = redacted.length > 0 && utterance.includes('[redacted ');
  if (isSecret || utterance.length > limits.exampleCharsMax) return null;
  return normaliseUtterance(utterance) === '' ? null : utterance;
}

interface Counted {
  readonly text: string;
  readonly count: number;
}

/** Each joins the group whose most frequent utterance it is most like, or begins one. */
function groupUtterances(utterances: readonly string[]): { count: number; utterances: string[] }[] {
  const counted = countUtterances(utterances);
  const rows = counted.map(({ text }) => ({
    branch: 0,
    kind: 'example' as const,
    text,
    features: readFeatures(text),
  }));
  const index = createIndex(rows, 1);
  const groups = new Map<number, { count: number; utterances: string[] }>();
  for (const [at, { text, count }] of counted.entries()) {
    const likeness = index.compare(rows[at]!.features);
    let best = -1;
    for (const leader of groups.keys())
      if (likeness[leader]! >= Math.max(likeMin, likeness[best] ?? 0)) best = leader;
    const group = groups.get(best);
    if (group === undefined) groups.set(at, { count, utterances: [text] });
    else {
      group.count += count;
      if (group.utterances.length < utterancesMax) group.utterances.push(text);
    }
  }
  return [...groups.values()].sort((one, other) => other.count - one.count);
}

/** Equal words are one utterance. The most frequent first. */
function countUtterances(utterances: readonly string[]): readonly Counted[] {
  const byWords = new Map<string, Counted>();
  for (const text of utterances) {
    const words = normaliseUtterance(text);
    const known = byWords.get(words);
    byWords.set(words, { text: known?.text ?? text, count: (known?.count ?? 0) + 1 });
  }
  return [...byWords.values()].sort(
    (one, other) => other.count - one.count || (one.text < other.text ? -1 : 1),
  );
}

function findNearestEdge({ classifiers }: CompiledFlow, { id, routes }: CompiledNode, text: string) {
  const learned = classifiers.get(id);
  if (learned === undefined) return null;
  const { exits, embedded } = learned;
  const like = embedded.decide(text, (branch) => routes.choices.includes(exits[branch]!));
  return like === null ? null : exits[like.branch]!.edgeIndex;
}
