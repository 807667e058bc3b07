// Finds what callers notice between two versions (docs/why.md#compare): plays conversations on
// both, and groups those that part by where they do. Ignores changes that only look different
// (order, layout, another id of a node).
import type { CompiledFlow } from '@parley/flow-engine/compile/compiled';
import type { FlowModel } from '@parley/flow-engine/define/model';
import type { Script } from '../coverage.ts';
import type { Difference } from '../differences.ts';
import { generatedNowMs } from '../generate-tests.ts';
import type { RecordedTurn } from '../recorded-turn.ts';
import { startReplay, type ReplayedTurn } from '../replay.ts';
import type { StepLimits, ScriptTurn } from '../script.ts';
import { generateConversations, type EdgeSearch } from './conversations.ts';
import { compareWalkedTurns, Lockstep, pairVersions, type Parting, type Versions } from './lockstep.ts';
import { partingPlace, describeDifference, type PartingPlace } from './sentence.ts';

export type ComparedKind = 'generated' | 'stored' | 'recorded';
type Counts = Readonly<Record<ComparedKind, number>>;

export interface ParallelRun {
  /** Tests that are stored with the flow. */
  readonly scripts: readonly { readonly name: string; readonly test: Script }[];
  readonly turns: readonly RecordedTurn[];
  readonly recordedOn: (turn: RecordedTurn) => FlowModel | null;
  /** The clock of scripts without a time. */
  readonly nowMs: number;
  readonly bounds?: StepLimits;
  /** Default: findEdges. Callers that compare one version with many search it once. */
  readonly search?: EdgeSearch;
}

export interface DifferenceGroup {
  readonly sentence: string;
  /** Of the older version. */
  readonly node_id: string | null;
  readonly edge_before: number | null;
  readonly edge_after: number | null;
  /** Conversations that part here. */
  readonly conversations: Counts;
  readonly example: {
    readonly kind: ComparedKind;
    /** The name of a stored test, the session of a recorded conversation. */
    readonly name: string | null;
    /** Up to the turn that differs, which is the last. */
    readonly turns: readonly Omit<ScriptTurn, 'expect'>[];
    readonly differences: readonly Difference[];
  };
}

export interface BehaviouralDiff {
  readonly same: boolean;
  /** Conversations that were played on both versions, and those that part. */
  readonly compared: Counts;
  readonly different: Counts;
  /** Recorded conversations that reached a question whose answer is unknown. */
  readonly stopped: number;
  /** False when the versions are too large or too different to play every conversation. */
  readonly complete: boolean;
  /** The group with the shortest conversation first. */
  readonly groups: readonly DifferenceGroup[];
  readonly groups_omitted: number;
}

/** Turns of generated conversations that are played, and groups in the result. */
const turnsMax = 200_000;
const groupsMax = 50;

export function compareBehaviour(from: CompiledFlow, to: CompiledFlow, run: ParallelRun): BehaviouralDiff {
  const versions = pairVersions(from, to);
  const { bounds = {}, nowMs } = run;
  const groups = new Groups(versions);
  const lockstep = new Lockstep(versions, bounds);
  for (const { name, test } of run.scripts) {
    const parting = lockstep.findFirstParting(test, null, nowMs);
    groups.add('stored', name, test.turns, parting);
  }
  const stopped = compareRecorded(versions, run, groups);
  let left = turnsMax;
  let complete = true;
  for (const { script, origin } of generateConversations(versions, bounds, run.search)) {
    left -= script.turns.length;
    if (left < 0) {
      complete = false;
      break;
    }
    const parting = lockstep.findFirstParting(script, origin, generatedNowMs);
    groups.add('generated', null, script.turns, parting);
  }
  return { ...groups.told(), stopped, complete };
}

class Groups {
  readonly #versions: Versions;
  readonly #compared = { generated: 0, stored: 0, recorded: 0 };
  readonly #different = { generated: 0, stored: 0, recorded: 0 };
  readonly #groups = new Map<
    string,
    DifferenceGroup & { readonly conversations: Record<ComparedKind, number> }
  >();

  constructor(versions: Versions) {
    this.#versions = versions;
  }

  add(kind: ComparedKind, name: string | null, turns: readonly ScriptTurn[], parting: Parting | null): void {
    this.#compared[kind] += 1;
    if (parting === null) return;
    this.#different[kind] += 1;
    const place = partingPlace(this.#versions, parting);
    const key = toGroupKey(place, parting);
    const known = this.#groups.get(key);
    const shown = turns.slice(0, parting.at + 1).map(plainTurn);
    const example = { kind, name, turns: shown, differences: parting.differences };
    if (known === undefined || shown.length < known.example.turns.length)
      this.#groups.set(key, {
        sentence: describeDifference(this.#versions, parting, place),
        node_id: place.node,
        edge_before: place.edgeBefore,
        edge_after: place.edgeAfter,
        conversations: known?.conversations ?? { generated: 0, stored: 0, recorded: 0 },
        example,
      });
    this.#groups.get(key)!.conversations[kind] += 1;
  }

  told(): Omit<BehaviouralDiff, 'stopped' | 'complete'> {
    const groups = [...this.#groups.values()].sort((a, b) => a.example.turns.length - b.example.turns.length);
    return {
      same: groups.length === 0,
      compared: this.#compared,
      different: this.#different,
      groups: groups.slice(0, groupsMax),
      groups_omitted: Math.max(0, groups.length - groupsMax),
    };
  }
}

/** By the edge where they part; if they take the same edges, by the differences and their node. */
function toGroupKey({ node, edgeBefore, edgeAfter }: PartingPlace, { differences }: Parting): string {
  const whats = edgeBefore === null && edgeAfter === null ? differences.map(({ what }) => what) : [];
  return JSON.stringify([node, edgeBefore, edgeAfter, ...whats]);
}

function plainTurn({
  user_input,
  classifier,
  extraction,
  tool_result,
  handoff_result,
}: ScriptTurn): ScriptTurn {
  return {
    user_input: user_input ?? null,
    ...(classifier === undefined ? {} : { classifier }),
    ...(extraction === undefined ? {} : { extraction }),
    ...(tool_result == null ? {} : { tool_result }),
    ...(handoff_result == null ? {} : { handoff_result }),
  };
}

/**
 * Replays each conversation on both versions, and compares the results turn by turn.
 * @returns those that stopped
 */
function compareRecorded(
  versions: Versions,
  { turns, recordedOn, bounds = {} }: ParallelRun,
  groups: Groups,
): number {
  const replayWith = (flow: CompiledFlow) =>
    startReplay(flow, { mode: 'free', of: { flowId: '', version: 1 }, recordedOn, ...bounds });
  const [before, after] = [replayWith(versions.from), replayWith(versions.to)];
  let stopped = 0;
  for (const conversation of splitConversations(turns)) {
    let parting: Parting | null = null;
    let isStopped = false;
    conversation.forEach((turn, at) => {
      const [was, is] = [before(turn), after(turn)];
      if (parting !== null || isStopped) return;
      parting = toParting(versions, turn, at, was, is);
      isStopped = parting === null && (was.same === null || is.same === null);
    });
    stopped += Number(isStopped);
    const said = conversation.map(({ input }) => ({ user_input: input?.user_input ?? null }));
    groups.add('recorded', conversation[0]!.input?.session_id ?? null, said, parting);
  }
  return stopped;
}

function toParting(
  versions: Versions,
  turn: RecordedTurn,
  at: number,
  was: ReplayedTurn,
  is: ReplayedTurn,
): Parting | null {
  const told = (replayed: ReplayedTurn) => {
    const refused = replayed.stopped === undefined ? String(replayed.differences[0]?.after) : null;
    const taken = replayed.after?.path.map(([, edge]) => edge ?? undefined) ?? [];
    return { turn: replayed.after, refused: replayed.after === null ? refused : null, taken };
  };
  const pair = [told(was), told(is)] as const;
  if (was.stopped !== undefined || is.stopped !== undefined) return null;
  const differences = compareWalkedTurns(pair, versions.nodeNow);
  const said = { user_input: turn.input?.user_input ?? null };
  return differences.length === 0 ? null : { at, said, before: pair[0], after: pair[1], differences };
}

/** Consecutive turns of one session. */
function splitConversations(turns: readonly RecordedTurn[]): RecordedTurn[][] {
  const conversations: RecordedTurn[][] = [];
  for (const turn of turns) {
    const last = conversations.at(-1)?.at(-1);
    const goesOn =
      last !== undefined && last.input?.session_id === turn.input?.session_id && turn.turn > last.turn;
    if (goesOn) conversations.at(-1)!.push(turn);
    else conversations.push([turn]);
  }
  return conversations;
}
