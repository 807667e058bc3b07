// Plays conversations through the walk itself, breadth first, until every edge was taken or nothing
// new appears. Wherever a conversation waits it tries every input that can make a difference, and
// every answer of a classifier. It executed what it found, so that is never wrong; what it did not
// find may still be possible.
import type { CompiledFlow } from '@parley/flow-engine/compile/compiled';
import { bookkeepingName, ownMember, transcriptName } from '@parley/flow-engine/read/paths';
import { openCallAt, talkTurnsAt } from '@parley/flow-engine/walk/bookkeeping';
import type { FlowIndex } from '../../validate/flow-index.ts';
import type { Step, TurnResult } from '@parley/flow-engine/walk/turn';
import { walkTurn } from '@parley/flow-engine/walk/walk';
import { scriptedInput, type Playing, type ScriptedChoice, type ScriptTurn } from '../script.ts';
import { isAwaiting, isTalk } from '@parley/flow-engine/walk/caller-answer';
import { listAgentWords, listCallerAnswers } from './answers-of-caller.ts';
import { listAnswers, listBagsThatSkip, countsFailures } from './answers-to.ts';
import { liveVariables, type LiveVariables } from './live-variables.ts';
import { beginning, Queue, type Place } from './places.ts';
import { analyseVariables, type Variables } from './variables.ts';

/** Turns of one conversation: the maximum of a stored test. */
export const scriptTurnsMax = 100;
/** Combinations of answers to the questions of one turn. */
const leavesMax = 256;
/** Conversations to remember for passing a node. */
const passagesMax = 8;

/** A turn to play, from where a conversation waits. */
export interface ScriptedTurn {
  readonly from: Place;
  readonly turn: ScriptTurn;
}

/** A played turn. */
export interface PlayedTurn extends ScriptedTurn {
  readonly result: TurnResult;
}

/** These read the turn, not a variable. */
const pseudoRoots: ReadonlySet<string> = new Set([
  'user_input',
  '_attempts',
  '_input_status',
  '_input_reading',
  '_filled',
  '_tool_status',
  '_tool_error',
  '_handoff_status',
  '_handoff_reason',
  bookkeepingName,
  transcriptName,
]);

export class Explorer {
  readonly flow: CompiledFlow;
  readonly index: FlowIndex;
  readonly playing: Playing;
  readonly variables: Variables;
  /** By edge: the first turn that took it. */
  readonly taken = new Map<number, ScriptedTurn>();
  /** By node: the first turn that visited it. */
  readonly visited = new Map<string, ScriptedTurn>();
  /** By node: the first turn that skipped its question. */
  readonly skipped = new Map<string, ScriptedTurn>();
  /** By node: the first turn that answered a question that may be skipped. */
  readonly answered = new Map<string, ScriptedTurn>();
  /** By node: turns that left it, by different edges. */
  readonly passed = new Map<string, ScriptedTurn[]>();
  readonly #live: LiveVariables;
  readonly #answers = new Map<string, ScriptTurn[]>();
  readonly #seen = new Set<string>();
  readonly #ways = new Set<string>();
  readonly #standing = new Map<string, Place[]>();
  /** Places at nodes where no conversation waited before, and all others. */
  readonly #first = new Queue();
  readonly #again = new Queue();
  readonly #placesMax: number;
  readonly #turnsMax: number;
  #turns = 0;

  constructor(flow: CompiledFlow, index: FlowIndex, playing: Playing) {
    this.flow = flow;
    this.index = index;
    this.playing = playing;
    this.variables = analyseVariables(index);
    const roots = this.variables.roots.filter((root) => !pseudoRoots.has(root));
    this.#live = liveVariables(index, roots);
    const size = index.nodes.length + flow.model.edges.length;
    this.#placesMax = Math.max(4, Math.min(64, Math.floor(40_000 / (size + 1))));
    this.#turnsMax = 5_000 + 20 * size;
    this.goOnFrom(beginning({}));
    for (const bag of listBagsThatSkip(flow, this.variables, playing.nowMs)) this.goOnFrom(beginning(bag));
  }

  /** Continues until nothing is left, the turns are used up, or `isDone`. */
  run(isDone: () => boolean): void {
    while (!isDone() && !this.isSpent) {
      const place = this.#next();
      if (place === undefined) return;
      for (const turn of this.saidAt(place)) {
        if (this.isSpent) return;
        this.hold(place, turn);
      }
    }
  }

  get isSpent(): boolean {
    return this.#turns >= this.#turnsMax;
  }

  /**
   * Plays a turn with every combination of answers, queues new places, and returns the outcomes.
   */
  hold(from: Place, turn: ScriptTurn): readonly PlayedTurn[] {
    const leaves = this.#leaves(from, turn);
    for (const held of leaves) this.#note(held);
    return leaves;
  }

  /** Inputs worth trying there. */
  saidAt({ currentNode }: Pick<Place, 'currentNode'>): readonly ScriptTurn[] {
    const key = currentNode ?? '';
    const known = this.#answers.get(key) ?? this.#listSaid(currentNode);
    this.#answers.set(key, known);
    return known;
  }

  /** Tries an input that made a difference at a node wherever a conversation waits there. */
  learn(currentNode: string | null, turn: ScriptTurn): void {
    const said = this.saidAt({ currentNode });
    if (said.some((known) => JSON.stringify(known) === JSON.stringify(turn))) return;
    (said as ScriptTurn[]).push(turn);
    for (const place of [...(this.#standing.get(currentNode ?? '') ?? [])]) this.hold(place, turn);
  }

  #listSaid(currentNode: string | null): ScriptTurn[] {
    const node = currentNode === null ? undefined : this.flow.nodes.get(currentNode);
    if (node?.type === 'collect') {
      const model = this.flow.model.nodesById.get(node.id)!;
      return listAnswers(node, model, this.variables, this.playing.nowMs).map(({ turn }) => turn);
    }
    if (node !== undefined && isAwaiting(node)) return listCallerAnswers(node, this.variables);
    // The walk refuses those that it does not wait for.
    const words = node !== undefined && isTalk(node) ? listAgentWords(node, this.variables) : [];
    const texts = this.variables.valuesOf('user_input').filter((value) => typeof value === 'string');
    const said = [null, 'hello', ...texts.slice(0, 20)].map((user_input) => ({ user_input }));
    return [...words, ...said];
  }

  /** The shortest conversation first; after half of the turns, places at new nodes first. */
  #next(): Place | undefined {
    const [first, again] = [this.#first.head, this.#again.head];
    const isAgain =
      first === undefined ||
      (again !== undefined && again.depth < first.depth && this.#turns * 2 < this.#turnsMax);
    return (isAgain ? this.#again : this.#first).shift();
  }

  #leaves(from: Place, turn: ScriptTurn): PlayedTurn[] {
    const leaves: PlayedTurn[] = [];
    const first = () => walkTurn(this.flow, scriptedInput(turn, from, this.playing));
    const open: { readonly step: () => Step; readonly given: readonly ScriptedChoice[] }[] = [
      { step: first, given: [] },
    ];
    for (let way = open.pop(); way !== undefined && leaves.length < leavesMax; way = open.pop()) {
      this.#turns += 1;
      const step = way.step();
      const { given } = way;
      if (step.kind === 'done') {
        if (step.result.kind === 'turn')
          leaves.push({ from, turn: answered(turn, given), result: step.result });
      } else if (step.kind === 'extract') {
        const values = turn.extraction ?? {};
        open.push({ step: () => step.resume({ kind: 'extracted', values }), given });
      } else if (step.kind === 'classify') {
        open.push({ step: () => step.resume({ kind: 'none' }), given: [...given, 'none'] });
        for (const { index } of step.question.candidates.toReversed())
          open.push({
            step: () => step.resume({ kind: 'chosen', index, confidence: 1 }),
            given: [...given, index],
          });
      }
    }
    return leaves;
  }

  #note({ from, turn, result }: PlayedTurn): void {
    for (const edgeIndex of result.taken)
      if (edgeIndex !== undefined && !this.taken.has(edgeIndex)) this.taken.set(edgeIndex, { from, turn });
    for (const nodeId of findSkipped(this.flow, from.currentNode, result))
      if (!this.skipped.has(nodeId)) this.skipped.set(nodeId, { from, turn });
    const asked = this.flow.nodes.get(from.currentNode ?? '');
    const isAnswered = asked?.type === 'collect' && asked.skips !== null && result.taken[0] !== undefined;
    if (isAnswered && !this.answered.has(asked.id)) this.answered.set(asked.id, { from, turn });
    result.visited.forEach((nodeId, visit) => {
      if (!this.visited.has(nodeId)) this.visited.set(nodeId, { from, turn });
      const edge = result.taken[visit];
      const isLeft = edge !== undefined || (result.status === 'no_route' && nodeId === result.lastNode);
      const way = `${nodeId} ${edge}`;
      const passages = this.passed.get(nodeId) ?? [];
      if (!isLeft || this.#ways.has(way) || passages.length >= passagesMax) return;
      this.#ways.add(way);
      this.passed.set(nodeId, [...passages, { from, turn }]);
    });
    this.#learnExamples(from, result);
    const { nextNode: currentNode, variables } = result;
    if (currentNode === null || from.depth + 1 >= scriptTurnsMax) return;
    this.goOnFrom({
      before: from,
      turn,
      currentNode,
      variables,
      depth: from.depth + 1,
      brought: from.brought,
    });
  }

  /** The words that take an edge without a classifier: one of its examples. */
  #learnExamples({ currentNode }: Place, { visited }: Pick<TurnResult, 'visited'>): void {
    const choices = visited.flatMap((id) => this.flow.nodes.get(id)?.routes.choices ?? []);
    for (const { examples } of [...choices, ...(this.flow.commands?.choices ?? [])]) {
      const [text] = examples?.examples ?? [];
      if (text !== undefined && !this.isSpent) this.learn(currentNode, { user_input: text });
    }
  }

  /**
   * Continues from one of several places with the same future, and from as many at one node as
   * there is time for.
   */
  goOnFrom(place: Place): void {
    const { currentNode, variables } = place;
    const at = currentNode ?? '';
    const known = this.#standing.get(at) ?? [];
    if (known.length >= this.#placesMax) return;
    const live = currentNode === null ? Object.keys(variables) : this.#live(currentNode);
    const marks = live.map((root) => markOfMember(this.variables, root, ownMember(variables, root)));
    const key = JSON.stringify([
      at,
      this.#failuresAt(place),
      this.#interruptedAt(place),
      this.#talkAt(place),
      ...marks,
    ]);
    if (this.#seen.has(key)) return;
    this.#seen.add(key);
    this.#standing.set(at, [...known, place]);
    (known.length === 0 ? this.#first : this.#again).push(place);
  }

  /** Two conversations that go back to different questions part after the command, if not at it. */
  #interruptedAt({ variables }: Place): unknown {
    return this.flow.commands === null ? 0 : (ownMember(variables[bookkeepingName], 'interrupted') ?? 0);
  }

  /** Whether it waits for the words of an agent that talks, and for the first ones. */
  #talkAt({ currentNode, variables }: Place): unknown {
    const node = currentNode === null ? undefined : this.flow.nodes.get(currentNode);
    if (node === undefined || !isTalk(node)) return 0;
    return [openCallAt(variables, node.id) !== null, talkTurnsAt(variables, node.id) > 0];
  }

  #failuresAt({ currentNode, variables }: Place): unknown {
    const node = currentNode === null ? undefined : this.flow.nodes.get(currentNode);
    if (node?.type !== 'collect' || !countsFailures(node, this.variables)) return 0;
    return ownMember(ownMember(variables[bookkeepingName], 'attempts'), node.id) ?? 0;
  }
}

/**
 * Questions that a turn passed without an answer. A question that the words of a command answer was
 * not skipped.
 */
export function findSkipped(
  { nodes, commands }: CompiledFlow,
  currentNode: string | null,
  { visited, taken }: Pick<TurnResult, 'visited' | 'taken'>,
): readonly string[] {
  const isCalled = commands?.answering.has(taken[0] ?? -1) === true;
  const first = currentNode === null ? 0 : isCalled ? 2 : 1;
  return visited.filter((nodeId, visit) => {
    const node = nodes.get(nodeId);
    return visit >= first && taken[visit] !== undefined && node?.type === 'collect' && node.skips !== null;
  });
}

function answered(turn: ScriptTurn, given: readonly ScriptedChoice[]): ScriptTurn {
  const [first] = given;
  if (first === undefined) return turn;
  return { ...turn, classifier: given.every((choice) => choice === first) ? first : given };
}

function markOfMember(variables: Variables, root: string, value: unknown): string {
  // Its presence alone decides whether a question is skipped.
  return value === undefined ? '' : `=${variables.mark(root, value)}`;
}
