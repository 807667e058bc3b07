// How well the embedded classifier tells the branches of each node apart: every example is left out
// and decided by the others (docs/branches-without-a-model.md#measure).
import type { BranchClassifier, ChoiceExit, CompiledFlow } from '@parley/flow-engine/compile/compiled';
import { limits } from '@parley/flow-engine/define/limits';

/** A branch with examples, and what became of them without themselves. */
export interface MeasuredBranch {
  readonly edge_index: number;
  readonly target: string;
  readonly label: string | null;
  readonly nl: string;
  /** Examples that differ. */
  readonly examples: number;
  /** Of the examples that go to this branch, the share that belongs to it; null = none goes. */
  readonly precision: number | null;
  /** Of its examples, the share that goes to it. */
  readonly recall: number;
}

export interface MeasuredNode {
  /** Null = the commands of the flow, at questions without branches of their own. */
  readonly node_id: string | null;
  readonly branches: readonly MeasuredBranch[];
  /** A row a branch: its examples by where they go, and last those that go to the default edge. */
  readonly confusion: readonly (readonly number[])[];
}

/** @returns `omitted`: nodes beyond the bound of examples */
export function measureClassifiers(flow: CompiledFlow): {
  readonly nodes: readonly MeasuredNode[];
  readonly omitted: number;
} {
  const nodes: MeasuredNode[] = [];
  const measured = new Set<BranchClassifier>();
  let left: number = limits.examplesLeftOutMax;
  let omitted = 0;
  for (const [id, learned] of flow.classifiers) {
    if (measured.has(learned)) continue;
    measured.add(learned);
    const { routes, type } = flow.nodes.get(id)!;
    const answersCommands = type === 'collect' || type === 'tool';
    const offered = new Set(answersCommands ? learned.exits : routes.choices);
    left -= learned.embedded.size;
    if (left < 0) omitted += 1;
    else nodes.push({ node_id: routes.choices.length === 0 ? null : id, ...measureNode(learned, offered) });
  }
  return { nodes, omitted };
}

function measureNode(
  { exits, embedded }: BranchClassifier,
  offered: ReadonlySet<ChoiceExit>,
): Omit<MeasuredNode, 'node_id'> {
  const isOffered = (branch: number) => offered.has(exits[branch]!);
  const branches = [...exits.keys()].filter(
    (branch) => isOffered(branch) && (exits[branch]!.examples?.said.size ?? 0) > 0,
  );
  const rows = new Map(branches.map((branch, place) => [branch, place]));
  const confusion = branches.map(() => new Array<number>(branches.length + 1).fill(0));
  for (const { branch, decided } of embedded.leaveOneOut(isOffered)) {
    const row = confusion[rows.get(branch) ?? -1];
    if (row === undefined) continue;
    const column = decided?.isSure === true ? rows.get(decided.branch)! : branches.length;
    row[column]! += 1;
  }
  return {
    branches: branches.map((branch, place) => describeBranch(exits[branch]!, place, confusion)),
    confusion,
  };
}

function describeBranch(
  { edgeIndex, target, label, nl }: ChoiceExit,
  place: number,
  confusion: readonly (readonly number[])[],
): MeasuredBranch {
  const own = confusion[place]!;
  const right = own[place]!;
  const chosen = confusion.reduce((sum, row) => sum + row[place]!, 0);
  const examples = own.reduce((sum, count) => sum + count, 0);
  return {
    edge_index: edgeIndex,
    target: target.id,
    label,
    nl,
    examples,
    precision: chosen === 0 ? null : right / chosen,
    recall: right / examples,
  };
}
