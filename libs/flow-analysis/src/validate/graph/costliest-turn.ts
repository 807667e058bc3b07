// Computes the highest cost of a turn (turn-budget.ts) that follows from the flow alone: its own
// texts, and its conditions over texts as long as one utterance. Follows the same paths as
// longest-turn.ts.
import { listComparisons } from '@parley/flow-engine/define/conditions';
import { operators } from '@parley/flow-engine/define/operators';
import { limits } from '@parley/flow-engine/define/limits';
import { isResuming } from '@parley/flow-engine/define/commands';
import type { Condition, EdgeModel, NodeModel } from '@parley/flow-engine/define/model';
import type { Interruption } from '../interruption.ts';
import { rulesChars } from '@parley/answers';
import { patternSize, patternSteps } from '@parley/flow-engine/read/pattern-size';
import { scalarText } from '@parley/answers/readings';
import { jsonBytes, type TurnCost } from '@parley/flow-engine/read/turn-budget';
import { listOtherQuestions, questionsByVariable } from '@parley/flow-engine/compile/other-questions';
import { conditionChars } from '@parley/flow-engine/walk/route';
import { components, cycles, type Graph } from './flow-graph.ts';
import { isInterruptible, mayPass, isWait } from '../node-kinds.ts';

export interface TurnCostBound {
  readonly cost: TurnCost;
  readonly most: number;
  readonly max: number;
  /** The vertex at which such a turn begins. */
  readonly first: number;
}

/** Characters of a text that a turn brings. */
const broughtChars = limits.castCharsMax;

const weights: Readonly<
  Partial<
    Record<
      TurnCost,
      { readonly max: number; of(node: Pick<NodeModel, 'type' | 'raw'>, edges: readonly EdgeModel[]): number }
    >
  >
> = {
  text_characters: {
    max: limits.turnTextCharsMax,
    of: ({ raw }, edges) =>
      // The value and the words of a second reader are read as well.
      rulesChars({ choices: raw.choices ?? [] }) * (raw['read_with'] === 'model' ? 3 : 1) +
      sum(edges, (edge) => conditionChars + sum(comparedBy(edge), searchedChars)),
  },
  pattern_steps: {
    max: limits.turnPatternStepsMax,
    of: ({ type, raw }, edges) =>
      sum(edges, (edge) => sum(comparedBy(edge), searchSteps)) +
      (type === 'collect' ? countSteps(raw['pattern']) : 0),
  },
  result_bytes: { max: limits.turnResultBytesMax, of: ({ raw }) => saidBytes(raw) },
};

interface Walked {
  readonly nodes: readonly NodeModel[];
  readonly walk: Graph;
  readonly silent: Graph;
}

interface Costed extends Walked {
  readonly edgesOf: readonly (readonly EdgeModel[])[];
  readonly interruption: Interruption | null;
}

/** The costs that a turn can exceed by the flow alone. */
export function findExcessiveCosts(flow: Costed, stepsMax: number): TurnCostBound[] {
  const { nodes, edgesOf, interruption } = flow;
  const byVariable = questionsByVariable({ nodes });
  const countOthers = (node: NodeModel) =>
    node.type === 'collect' ? listOtherQuestions(node, byVariable) : nothing;
  return Object.entries(weights).flatMap(([cost, { max, of }]) => {
    const weight = nodes.map(
      (node, vertex) =>
        of(node, edgesOf[vertex]!) +
        (cost === 'result_bytes' ? 0 : sum(countOthers(node), (other) => of(other, nothing))),
    );
    const commands = interruption && { ...interruption, weight: of(silence, interruption.edges) };
    const { most, first } = costliest(flow, weight, stepsMax, commands);
    return most > max ? [{ cost: cost as TurnCost, most, max, first }] : [];
  });
}

const nothing: readonly never[] = [];

/** A node without effect, for the cost of edges alone. */
const silence: Pick<NodeModel, 'type' | 'raw'> = { type: null, raw: { id: '' } };

function costliest(
  { nodes, walk, silent }: Walked,
  weight: readonly number[],
  stepsMax: number,
  commands: (Interruption & { readonly weight: number }) | null,
): { most: number; first: number } {
  let [most, first] = [0, -1];
  const take = (cost: number, vertex: number) => {
    if (cost > most) [most, first] = [cost, vertex];
  };
  const rounds = cycles(silent);
  for (const members of rounds)
    take((sum(members, (vertex) => weight[vertex]!) * stepsMax) / members.length, members[0]!);
  if (rounds.length > 0) return { most, first };
  // Components are numbered backwards, so every target of a silent vertex is already settled.
  const { of } = components(silent);
  const total = [...weight];
  if (commands !== null) {
    const asking = greatest(commands.questions.map((question) => weight[question]!));
    for (const [vertex, node] of nodes.entries()) if (isResuming(node)) total[vertex]! += asking;
  }
  const onwards = (vertex: number): number => {
    let best = 0;
    for (let at = walk.offsets[vertex]!; at < walk.offsets[vertex + 1]!; at++)
      best = Math.max(best, total[walk.targets[at]!]!);
    return best;
  };
  const backwards = [...nodes.keys()].sort((a, b) => of[a]! - of[b]!);
  for (const vertex of backwards)
    if (mayPass(nodes[vertex]!)) total[vertex] = weight[vertex]! + onwards(vertex);
  const called = greatest([
    ...(commands?.targets.map((target) => total[target]!) ?? []),
    ...(commands?.answering.map((target) => weight[target]! + onwards(target)) ?? []),
  ]);
  for (const [vertex, node] of nodes.entries()) {
    const [tried, by] = isInterruptible(node) ? [commands?.weight ?? 0, called] : [0, 0];
    const resumed = weight[vertex]! + tried + Math.max(onwards(vertex), by);
    take(isWait(node) ? resumed : total[vertex]!, vertex);
  }
  return { most, first };
}

const greatest = (numbers: readonly number[]): number => numbers.reduce((a, b) => Math.max(a, b), 0);

function sum<T>(items: readonly T[], of: (item: T) => number): number {
  return items.reduce((total, item) => total + of(item), 0);
}

const searching: ReadonlySet<string> = new Set(['contains', 'not_contains']);

const comparedBy = (edge: EdgeModel): readonly Condition[] =>
  edge.kind === 'deterministic' ? listComparisons(edge) : [];

function searchedChars({ op }: Condition): number {
  return op !== null && searching.has(op) ? broughtChars : 0;
}

function searchSteps({ op, value }: Condition): number {
  return op === null || operators[op].takes !== 'pattern' ? 0 : countSteps(value);
}

function countSteps(pattern: unknown): number {
  const text = scalarText(pattern) ?? '';
  if (text === '') return 0;
  const size = Math.min(patternSize(text), limits.patternInstructionsMax);
  return patternSteps(size, broughtChars);
}

/**
 * Minimum bytes that a visit adds to the result: the authored texts, and the run spec of an agent.
 */
function saidBytes({
  text,
  prompt,
  message,
  reason,
  args,
  tools,
  tool_dispatch,
  documents,
  mcp,
  goal,
}: NodeModel['raw']): number {
  const members = [text ?? message, prompt, reason, args, tools, tool_dispatch, documents, mcp, goal];
  return jsonBytes(
    members.filter((member) => member != null),
    limits.turnResultBytesMax,
  );
}
