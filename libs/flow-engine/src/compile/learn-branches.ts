// Trains the embedded classifier of each node whose branches have examples.
import { trainInPieces } from '../classify/classifier.ts';
import type { Pieces } from '../define/pieces.ts';
import type { BranchClassifier, ChoiceExit, CompiledNode } from './compiled.ts';

/**
 * The edges of a node are learned together with those of commands: where these are no candidates,
 * they are evidence against the others.
 */
export function* learnBranches(
  nodes: ReadonlyMap<string, CompiledNode>,
  commands: readonly ChoiceExit[],
): Pieces<ReadonlyMap<string, BranchClassifier>> {
  const learned = new Map<string, BranchClassifier>();
  let ofCommands: BranchClassifier | null = null;
  for (const { id, type, routes } of nodes.values()) {
    const answersCommands = type === 'collect' || type === 'tool';
    if (![...routes.choices, ...(answersCommands ? commands : [])].some(({ examples }) => examples !== null))
      continue;
    if (routes.choices.length > 0) learned.set(id, yield* learn([...routes.choices, ...commands]));
    else learned.set(id, (ofCommands ??= yield* learn(commands)));
  }
  return learned;
}

function* learn(exits: readonly ChoiceExit[]): Pieces<BranchClassifier> {
  const taught = exits.map(({ nl, label, examples }) => ({
    described: `${label ?? ''} ${nl}`,
    examples: examples?.examples ?? [],
    counterExamples: examples?.counterExamples ?? [],
  }));
  return { exits, embedded: yield* trainInPieces(taught) };
}
