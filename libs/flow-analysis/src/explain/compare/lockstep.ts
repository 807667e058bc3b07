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
import {
  playScripted,
  scriptedInput,
  type Playing,
  type StepLimits,
  type ScriptTurn,
  type Standing,
} from '../script.ts';

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

/** Where both versions stand after some turns, with the turns that were played from there. */
interface Stand {
  readonly before: Standing;
  readonly after: Standing;
  readonly played: Map<string, PairedTurn>;
}

/** A turn of both versions. Next = null: one of them has ended. */
interface PairedTurn {
  readonly parting: Pick<Parting, 'before' | 'after' | 'differences'> | null;
  readonly next: Stand | null;
}

/** The version that a script was made for; null = any. */
type Origin = 'from' | 'to' | null;

/** Turns to remember, in characters of JSON. */
const rememberedCharsMax = 16_000_000;

/**
 * Plays scripts on both versions. Remembers turns: nine of ten turns of generated conversations
 * begin as another conversation did.
 */
export class Lockstep {
  readonly #versions: Versions;
  readonly #bounds: StepLimits;
  readonly #beginnings = new Map<string, Stand>();
  #charsLeft = rememberedCharsMax;

  constructor(versions: Versions, bounds: StepLimits) {
    this.#versions = versions;
    this.#bounds = bounds;
  }

  /**
   * @param origin classifier answers of the script are choices between the edges of that version.
   * Null = they are numbers.
   */
  findFirstParting(script: Script, origin: Origin, nowMs: number): Parting | null {
    const playing = { ...this.#bounds, nowMs: script.now === undefined ? nowMs : script.now * 1000 };
    let stand = this.#begin(script, origin, playing);
    for (const [at, said] of script.turns.entries()) {
      const { parting, next } = this.#play(stand, said, origin, playing);
      if (parting !== null) return { at, said, ...parting };
      if (next === null) return null;
      stand = next;
    }
    return null;
  }

  #begin({ current_node = null, variables = {} }: Script, origin: Origin, { nowMs }: Playing): Stand {
    const key = JSON.stringify([current_node, variables, origin, nowMs]);
    const { nodeNow } = this.#versions;
    const stand: Stand = this.#beginnings.get(key) ?? {
      before: { currentNode: current_node, variables },
      after: {
        currentNode: current_node === null ? null : (nodeNow(current_node) ?? current_node),
        variables,
      },
      played: new Map(),
    };
    this.#beginnings.set(key, stand);
    return stand;
  }

  #play(stand: Stand, said: ScriptTurn, origin: Origin, playing: Playing): PairedTurn {
    const key = serialiseSaid(said);
    const known = stand.played.get(key);
    if (known !== undefined) return known;
    const turn = playBoth(this.#versions, stand, said, origin, playing);
    this.#charsLeft -= key.length + JSON.stringify(turn).length;
    if (this.#charsLeft >= 0) stand.played.set(key, turn);
    return turn;
  }
}

/** Without what the turn of a test expects. */
function serialiseSaid(said: ScriptTurn & { readonly expect?: unknown }): string {
  const { expect: _, ...played } = said;
  return JSON.stringify(played);
}

function playBoth(
  versions: Versions,
  { before, after }: Stand,
  said: ScriptTurn,
  origin: Origin,
  playing: Playing,
): PairedTurn {
  const [wasInput, isInput] = [scriptedInput(said, before, playing), scriptedInput(said, after, playing)];
  const [was, is] = bothOutcomes(versions, said, [before, after], origin, playing);
  const pair = [walked(versions.from, wasInput, was), walked(versions.to, isInput, is)] as const;
  const differences = compareWalkedTurns(pair, versions.nodeNow);
  if (differences.length > 0)
    return { parting: { before: pair[0], after: pair[1], differences }, next: null };
  if (was.kind !== 'turn' || is.kind !== 'turn' || was.nextNode === null || is.nextNode === null)
    return { parting: null, next: null };
  const next = {
    before: { currentNode: was.nextNode, variables: was.variables },
    after: { currentNode: is.nextNode, variables: is.variables },
    played: new Map(),
  };
  return { parting: null, next };
}

type Outcome = TurnOutcome | WalkQuestion;

function bothOutcomes(
  versions: Versions,
  said: ScriptTurn,
  [before, after]: readonly [Standing, Standing],
  origin: Origin,
  playing: Playing,
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
