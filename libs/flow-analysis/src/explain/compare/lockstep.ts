// Plays one conversation on two versions at once, up to the first turn in which they differ.
import type { ChoiceExit, CompiledFlow } from '@parley/flow-engine/compile/compiled';
import { pairEdges } from '../../diff/pairing.ts';
import type { EdgeModel, FlowModel } from '@parley/flow-engine/define/model';
import type { TurnInput, TurnOutcome } from '@parley/flow-engine/walk/turn';
import { walkTurn } from '@parley/flow-engine/walk/walk';
import { compareTurns, type Difference } from '../differences.ts';
import { drive, nodeAsked, type AnswerSource, type WalkQuestion } from '../drive.ts';
import { recordTurn, type RecordedTurn } from '../recorded-turn.ts';
import { matchNodes, type NodeNow } from '../same-nodes.ts';
import type { Script } from '../coverage.ts';
import { playScripted, scriptedInput, type StepLimits, type ScriptTurn, type Standing } from '../script.ts';

export interface Versions {
  readonly from: CompiledFlow;
  readonly to: CompiledFlow;
  readonly nodeNow: NodeNow;
  /** The edge of the newer version that corresponds to one of the older; undefined = none. */
  readonly edgeNow: (edge: number) => number | undefined;
  readonly edgeBefore: (edge: number) => number | undefined;
}

export function pairVersions(from: CompiledFlow, to: CompiledFlow): Versions {
  const nodeNow = matchNodes(from.model, to.model);
  const pairing = pairEdges(
    from.model.edges.map((edge) => toNodesNow(edge, nodeNow)),
    to.model.edges,
  );
  const now = new Map<number, number>();
  pairing.forEach((older, newer) => {
    if (older !== -1) now.set(older, newer);
  });
  return {
    from,
    to,
    nodeNow,
    edgeNow: (edge) => now.get(edge),
    edgeBefore: (edge) => (pairing[edge] === -1 ? undefined : pairing[edge]),
  };
}

/** Another id of a node makes no other edges. */
function toNodesNow(edge: EdgeModel, nodeNow: NodeNow): EdgeModel {
  const [source, target] = [nodeNow(edge.source) ?? edge.source, nodeNow(edge.target) ?? edge.target];
  if (source === edge.source && target === edge.target) return edge;
  return { ...edge, source, target, raw: { ...edge.raw, source, target } };
}

/** A turn of one version, in comparable form. */
export interface WalkedTurn {
  readonly turn: RecordedTurn | null;
  /** Why there is no turn. */
  readonly refused: string | null;
  readonly taken: readonly (number | undefined)[];
}

export interface Parting {
  /** Place among the turns of the conversation. */
  readonly at: number;
  readonly said: ScriptTurn;
  readonly before: WalkedTurn;
  readonly after: WalkedTurn;
  readonly differences: readonly Difference[];
}

/**
 * Plays a script on both versions.
 * @param origin the version that the script was made for: its classifier answers are choices
 * between the edges of that version. Null = they are numbers.
 */
export function findFirstParting(
  versions: Versions,
  script: Script,
  origin: 'from' | 'to' | null,
  nowMs: number,
  bounds: StepLimits,
): Parting | null {
  const { from, to, nodeNow } = versions;
  const begins = script.current_node ?? null;
  const variables = script.variables ?? {};
  let before: Standing = { currentNode: begins, variables };
  let after: Standing = { currentNode: begins === null ? null : (nodeNow(begins) ?? begins), variables };
  const playing = { ...bounds, nowMs: script.now === undefined ? nowMs : script.now * 1000 };
  for (const [at, said] of script.turns.entries()) {
    const [wasInput, isInput] = [scriptedInput(said, before, playing), scriptedInput(said, after, playing)];
    const [was, is] = bothOutcomes(versions, said, [before, after], origin, playing);
    const pair = [walked(from, wasInput, was), walked(to, isInput, is)] as const;
    const differences = compareWalkedTurns(pair, nodeNow);
    if (differences.length > 0) return { at, said, before: pair[0], after: pair[1], differences };
    if (was.kind !== 'turn' || is.kind !== 'turn' || was.nextNode === null || is.nextNode === null)
      return null;
    before = { currentNode: was.nextNode, variables: was.variables };
    after = { currentNode: is.nextNode, variables: is.variables };
  }
  return null;
}

type Outcome = TurnOutcome | WalkQuestion;

function bothOutcomes(
  versions: Versions,
  said: ScriptTurn,
  [before, after]: readonly [Standing, Standing],
  origin: 'from' | 'to' | null,
  playing: Parameters<typeof playScripted>[3],
): readonly [Outcome, Outcome] {
  const { from, to, edgeNow, edgeBefore } = versions;
  if (origin === null)
    return [playScripted(from, said, before, playing), playScripted(to, said, after, playing)];
  const [flow, other] = origin === 'from' ? [from, to] : [to, from];
  const [standing, otherStanding] = origin === 'from' ? [before, after] : [after, before];
  const paired = origin === 'from' ? edgeNow : edgeBefore;
  const outcome = playScripted(flow, said, standing, playing);
  const chosen =
    outcome.kind === 'turn'
      ? outcome.taken.map((edge) => (edge === undefined ? undefined : paired(edge)))
      : [];
  const answers = makeChooser(other, new Set(chosen), said);
  const otherOutcome = drive(walkTurn(other, scriptedInput(said, otherStanding, playing)), answers);
  return origin === 'from' ? [outcome, otherOutcome] : [otherOutcome, outcome];
}

/** Chooses those edges whenever the classifier is asked about one of them. */
function makeChooser(
  flow: CompiledFlow,
  edges: ReadonlySet<number | undefined>,
  { extraction = {} }: ScriptTurn,
): AnswerSource {
  return (asked) => {
    if (asked.kind === 'extract') return asked.resume({ kind: 'extracted', values: extraction });
    if (asked.kind !== 'classify') return null;
    const node = flow.nodes.get(nodeAsked(asked));
    const own = node?.routes.choices ?? [];
    const called = node?.type === 'collect' ? (flow.commands?.choices ?? []) : [];
    const { candidates } = asked.question;
    const isAsked = (choices: readonly ChoiceExit[]) =>
      choices.length === candidates.length && choices.every(({ nl }, at) => nl === candidates[at]!.nl);
    // A question has those of the node, those of commands, or both.
    const choices = [[...own, ...called], own, called].find(isAsked) ?? [];
    const index = choices.findIndex(({ edgeIndex }) => edges.has(edgeIndex));
    return asked.resume(index === -1 ? { kind: 'none' } : { kind: 'chosen', index, confidence: 1 });
  };
}

const ofNoVersion = { flowId: '', version: 1 };

export function walked(
  { model }: { readonly model: FlowModel },
  input: TurnInput,
  outcome: Outcome,
): WalkedTurn {
  if (outcome.kind !== 'turn') return { turn: null, refused: outcome.kind, taken: [] };
  return {
    turn: recordTurn(ofNoVersion, model, input, [], outcome, Infinity),
    refused: null,
    taken: outcome.taken,
  };
}

export function compareWalkedTurns(
  [before, after]: readonly [WalkedTurn, WalkedTurn],
  nodeNow: NodeNow,
): readonly Difference[] {
  if (before.turn !== null && after.turn !== null) return compareTurns(before.turn, after.turn, nodeNow);
  const [was, is] = [before.turn?.status ?? before.refused, after.turn?.status ?? after.refused];
  return was === is ? [] : [{ what: 'status', before: was, after: is }];
}
