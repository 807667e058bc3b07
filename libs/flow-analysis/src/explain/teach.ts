// Teaches a branch from a recorded turn (docs/why.md#teach). Pure.
import { normaliseUtterance } from '@parley/answers';
import type { CompiledFlow } from '@parley/flow-engine/compile/compiled';
import type { AuthoredEdge, AuthoredFlow } from '@parley/flow-engine/define/definition';
import { limits } from '@parley/flow-engine/define/limits';
import type { FlowModel } from '@parley/flow-engine/define/model';
import { turnResultToWire } from '@parley/flow-engine/walk/wire';
import type { ConversationTest } from './play-test.ts';
import type { RecordedTurn } from './recorded-turn.ts';
import { startReplay, type ReplayOptions } from './replay.ts';
import { matchNodes } from './same-nodes.ts';
import { playScripted, type Playing } from './script.ts';

export type LessonMember = 'examples' | 'counter_examples';

/** What a turn teaches: the utterance belongs to the edge, or does not. */
export interface Lesson {
  readonly edge: number;
  readonly member: LessonMember;
  readonly utterance: string;
}

/** A turn that teaches nothing, and what to do instead. */
export interface NotTeachable {
  readonly problem: string;
}

/**
 * @param edge in the version that learns; null: the branch that the turn took is wrong
 * @param from the version that the turn ran on; null = unknown
 */
export function readLesson(
  turn: RecordedTurn,
  edge: number | null,
  from: FlowModel | null,
  to: FlowModel,
): Lesson | NotTeachable {
  const utterance = turn.input?.user_input?.trim() ?? '';
  if (utterance === '') return problem('The turn has no recorded utterance. Choose a turn that has one.');
  if ((turn.redacted ?? []).length > 0 && utterance.includes('[redacted '))
    return problem(
      'The utterance is redacted, so nothing can be learned from it. Write an example yourself.',
    );
  if (utterance.length > limits.exampleCharsMax)
    return problem(
      `An example has at most ${limits.exampleCharsMax} characters. Write a shorter one yourself.`,
    );
  if (edge === null) {
    const taken = from === null ? null : findTakenBranch(turn, from, to);
    return taken === null
      ? problem('The turn took no natural-language edge that the draft has. Name the right edge instead.')
      : { edge: taken, member: 'counter_examples', utterance };
  }
  return to.edges[edge]?.kind === 'nl'
    ? { edge, member: 'examples', utterance }
    : problem(`Edge ${edge} of the draft is not a natural-language edge. Name one that has \`nl\`.`);
}

const problem = (text: string): NotTeachable => ({ problem: text });

/** The natural-language edge that the turn took, in the other version; null = none. */
function findTakenBranch({ path }: RecordedTurn, from: FlowModel, to: FlowModel): number | null {
  const [, index] = path.find(([, , decidedBy]) => decidedBy === 'classifier') ?? [];
  const edge = from.edges[index ?? -1];
  if (edge === undefined) return null;
  const nodeNow = matchNodes(from, to);
  const [source, target] = [nodeNow(edge.source), nodeNow(edge.target)];
  const isSame = (other: typeof edge) =>
    other.kind === 'nl' && other.source === source && other.target === target && other.nl === edge.nl;
  return to.edges.find(isSame)?.index ?? null;
}

/**
 * The definition with the example. The same text is removed where it would contradict: from the
 * other list of the edge, and from the examples of the other edges of its node.
 */
export function applyLesson(
  definition: AuthoredFlow,
  { edge: index, member, utterance }: Lesson,
): AuthoredFlow | NotTeachable {
  const edges = definition.edges ?? [];
  const taught = edges[index]!;
  const words = normaliseUtterance(utterance);
  const without = (edge: AuthoredEdge, name: LessonMember): AuthoredEdge => {
    const list = edge[name];
    if (!Array.isArray(list)) return edge;
    const left = list.filter((text) => typeof text !== 'string' || normaliseUtterance(text) !== words);
    return left.length === list.length ? edge : { ...edge, [name]: left };
  };
  const other = member === 'examples' ? 'counter_examples' : 'examples';
  const [own, list] = [without(taught, other), taught[member]];
  const texts: readonly unknown[] = Array.isArray(list) ? list : [];
  if (texts.length >= limits.examplesMax)
    return problem(`The edge has ${limits.examplesMax} ${member}, which is the limit. Remove one first.`);
  const isKnown = texts.some((text) => typeof text === 'string' && normaliseUtterance(text) === words);
  return {
    ...definition,
    edges: edges.map((edge, at) => {
      if (at === index) return isKnown ? own : { ...own, [member]: [...texts, utterance] };
      return member === 'examples' && edge.source === taught.source ? without(edge, 'examples') : edge;
    }),
  };
}

/**
 * The turn as a stored test. It has the variables of the turn only if the turn goes another way
 * without them.
 * @param playing without `nowMs`: the test has the time of the turn
 */
export function writeTest(
  flow: CompiledFlow,
  { input, current_node, variables_in, now, answers }: RecordedTurn,
  { edge, member, utterance }: Lesson,
  playing: Omit<Playing, 'nowMs'>,
): ConversationTest | NotTeachable {
  const [extraction] = (answers ?? []).flatMap(({ kind, answer }) =>
    kind === 'extract' && answer.kind === 'extracted' ? [{ extraction: answer.values }] : [],
  );
  const turn = { user_input: input?.user_input ?? utterance, ...extraction };
  for (const variables of [{}, variables_in ?? {}]) {
    const standing = { currentNode: current_node, variables };
    const outcome = playScripted(flow, turn, standing, { ...playing, nowMs: now * 1000 });
    if (outcome.kind !== 'turn' || outcome.taken.includes(edge) !== (member === 'examples')) continue;
    const { next_node, status, outputs } = turnResultToWire(outcome);
    // Without a next node the texts show which end was reached.
    const said = next_node === null ? { messages: outputs.map(({ text }) => String(text)) } : {};
    return { turns: [{ ...turn, expect: { next_node, status, ...said } }], current_node, variables, now };
  }
  return problem(
    member === 'examples'
      ? `The turn does not come to edge ${edge}, even with the example: other edges are taken before it.`
      : `The turn takes edge ${edge} even with the counter-example. Name the right edge instead.`,
  );
}

/** How a turn leaves a node: an edge with its target, or none. */
export interface Way {
  readonly edge_index: number | null;
  readonly target: string | null;
}

/** A recorded turn that two versions lead to different places. */
export interface WayChange {
  readonly session_id: string | null;
  readonly turn: number;
  readonly user_input: string | null;
  /** Where the ways part. */
  readonly node_id: string;
  /** Null: the recording has no answer of the model that the version asks. */
  readonly from: Way | null;
  readonly to: Way | null;
  /** false: the recording omits or replaces values. */
  readonly exact: boolean;
}

const UTTERANCE_CHARS_MAX = 300;

/**
 * The turns that go another way after a lesson. Both versions have the same nodes and edges.
 * @returns `unknown`: turns that neither version can replay
 */
export function compareWays(
  [before, after]: readonly [CompiledFlow, CompiledFlow],
  turns: readonly RecordedTurn[],
  options: Omit<ReplayOptions, 'mode' | 'trace'>,
): { readonly changes: readonly WayChange[]; readonly same: number; readonly unknown: number } {
  const [replayBefore, replayAfter] = [before, after].map((flow) =>
    startReplay(flow, { ...options, mode: 'pinned' }),
  );
  const changes: WayChange[] = [];
  let unknown = 0;
  for (const turn of turns) {
    const [was, now] = [replayBefore!(turn), replayAfter!(turn)];
    if (was.after === null && now.after === null) unknown += 1;
    else {
      const change = findChange(before.model, turn, was.after, now.after);
      if (change !== null) changes.push({ ...change, exact: was.exact });
    }
  }
  return { changes, same: turns.length - changes.length - unknown, unknown };
}

function findChange(
  { nodes, edges }: FlowModel,
  turn: RecordedTurn,
  was: RecordedTurn | null,
  now: RecordedTurn | null,
): Omit<WayChange, 'exact'> | null {
  const [before, after] = [was?.path ?? [], now?.path ?? []];
  const at =
    was === null || now === null
      ? Math.max(
          0,
          (was ?? now)!.path.findIndex(([, , decidedBy]) => decidedBy === 'classifier'),
        )
      : before.findIndex(([node, edge], step) => node !== after[step]?.[0] || edge !== after[step]?.[1]);
  if (at === -1) return null;
  const toWay = (step: RecordedTurn['path'][number] | undefined): Way => ({
    edge_index: step?.[1] ?? null,
    target: edges[step?.[1] ?? -1]?.target ?? null,
  });
  const { input, turn: number } = turn;
  return {
    session_id: input?.session_id ?? null,
    turn: number,
    user_input: input?.user_input?.slice(0, UTTERANCE_CHARS_MAX) ?? null,
    node_id: nodes[(before[at] ?? after[at])?.[0] ?? -1]?.id ?? '',
    from: was && toWay(before[at]),
    to: now && toWay(after[at]),
  };
}
