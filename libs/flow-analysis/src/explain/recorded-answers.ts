// Replays recorded model answers to the questions of a version. A model may answer another question
// differently, so an answer counts only if the flow's part of the question is unchanged.
import { listAnsweringEdges, listCommandEdges } from '@parley/flow-engine/define/commands';
import type { EdgeModel, FlowModel } from '@parley/flow-engine/define/model';
import { toJson } from '@parley/answers/readings';
import { isWalked } from '../validate/node-kinds.ts';
import type { Classification } from '@parley/flow-engine/walk/turn';
import { nodeAsked, type AnswerSource, type WalkQuestion } from './drive.ts';
import type { RecordedAnswer } from './recorded-answer.ts';
import type { RecordedTurn } from './recorded-turn.ts';
import { serialiseContent, type NodeNow } from './same-nodes.ts';

/**
 * @param from the definition that the turn ran on; null = unknown: then questions of one node count
 * as equal.
 * @param given collects the replayed answers.
 */
export function replayAnswers(
  { answers }: RecordedTurn,
  from: FlowModel | null,
  to: FlowModel,
  nodeNow: NodeNow,
  given: RecordedAnswer[],
): AnswerSource {
  const left = [...(answers ?? [])];
  return (asked) => {
    const node = nodeAsked(asked);
    const at = left.findIndex(({ kind, node_id }) => kind === asked.kind && nodeNow(node_id) === node);
    const [recorded] = at === -1 ? [] : left.splice(at, 1);
    if (recorded === undefined) return null;
    const next = giveAgain(asked, recorded, from, to);
    if (next !== null) given.push(recorded);
    return next;
  };
}

function giveAgain(asked: WalkQuestion, recorded: RecordedAnswer, from: FlowModel | null, to: FlowModel) {
  const isSame = (contentOrMember: (flow: FlowModel, id: string) => string) =>
    from === null || contentOrMember(from, recorded.node_id) === contentOrMember(to, nodeAsked(asked));
  if (asked.kind === 'classify' && recorded.kind === 'classify') {
    const now = asked.question.candidates.map(({ nl }) => nl);
    const before = from === null ? now : findChoicesBefore(from, recorded.node_id, to, nodeAsked(asked), now);
    const answer = before === null ? null : chooseAgain(recorded.answer, before, now);
    return answer === null ? null : asked.resume(answer);
  }
  if (asked.kind === 'extract' && recorded.kind === 'extract') {
    const { answer } = recorded;
    return answer.kind === 'unavailable' || isSame(describeExtraction) ? asked.resume(answer) : null;
  }
  if (asked.kind !== 'run_agent' || recorded.kind !== 'run_agent' || !isSame(contentAt)) return null;
  // An agent that talks chooses among the edges beside its words.
  if (asked.spec.talk !== undefined && !isSame(describeChoices)) return null;
  const { tool_calls: toolCalls, ...outcome } = recorded.answer;
  return asked.resume({ ...outcome, toolCalls });
}

/** Removing an alternative keeps the choice; a new one might have been chosen instead. */
function chooseAgain(
  answer: Classification,
  before: readonly string[],
  now: readonly string[],
): Classification | null {
  const isSame = before.length === now.length && before.every((nl, index) => nl === now[index]);
  if (answer.kind === 'unavailable' || isSame) return answer;
  if (now.some((nl) => !before.includes(nl))) return null;
  if (answer.kind === 'none') return answer;
  const index = now.indexOf(before[answer.index] ?? '');
  return index === -1 ? null : { ...answer, index };
}

/**
 * The texts that the classifier chose between, in order: those of the node, and those of commands.
 * Only those of commands if an answer failed and may be asked again; null = that is unknown.
 */
function findChoicesBefore(
  from: FlowModel,
  id: string,
  to: FlowModel,
  idNow: string,
  now: readonly string[],
): readonly string[] | null {
  const [own, called] = [readChoiceTexts(from, from.outgoing.get(id) ?? []), calledAt(from, id)];
  if (own.length === 0 || called.length === 0) return [...own, ...called];
  const ownNow = readChoiceTexts(to, to.outgoing.get(idNow) ?? []);
  if (ownNow.length === 0 || contentAt(from, id) !== contentAt(to, idNow)) return null;
  // The words of a command may have answered the question, and call no other command.
  if (isAnsweredByCall(to, idNow) && toJson(now) === toJson(ownNow))
    return toJson(now) === toJson(calledAt(to, idNow)) ? null : own;
  return now.length < ownNow.length + calledAt(to, idNow).length ? called : [...own, ...called];
}

function calledAt(flow: FlowModel, id: string): string[] {
  if (flow.nodesById.get(id)?.type !== 'collect') return [];
  return readChoiceTexts(flow, [...listCommandEdges(flow, 'before'), ...listCommandEdges(flow, 'after')]);
}

const isAnsweredByCall = (flow: FlowModel, id: string): boolean =>
  listAnsweringEdges(flow).some(({ target }) => target === id);

const readChoiceTexts = ({ nodesById }: FlowModel, edges: readonly EdgeModel[]): string[] =>
  edges.flatMap(({ kind, nl, target }) => {
    const to = nodesById.get(target);
    return kind === 'nl' && nl !== null && to !== undefined && isWalked(to) ? [nl] : [];
  });

const describeChoices = (flow: FlowModel, id: string): string =>
  toJson(readChoiceTexts(flow, flow.outgoing.get(id) ?? []));

/** The extractor's question at a node; for a second reader with the cast's instructions. */
function describeExtraction({ nodesById }: FlowModel, id: string): string {
  const raw = nodesById.get(id)?.raw;
  const reader = raw?.['read_with'] ?? null;
  return toJson([raw?.extraction ?? null, reader && [reader, raw?.cast, raw?.choices, raw?.prompt]]);
}

function contentAt({ nodesById }: FlowModel, id: string): string {
  const node = nodesById.get(id);
  return node === undefined ? '' : serialiseContent(node);
}
