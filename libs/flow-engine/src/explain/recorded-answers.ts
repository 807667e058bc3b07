// Answers of models that were recorded, given again to the questions of a version. A model may answer another question differently: an
// answer counts only where the question is the same as far as the flow says it.
import { answeringEdges, commandEdges } from '../define/commands.ts';
import type { EdgeModel, FlowModel } from '../define/model.ts';
import { toJson } from '@parley/answers/readings';
import { isWalked } from '../validate/node-kinds.ts';
import type { Classification } from '../walk/turn.ts';
import { nodeAsked, type Answering, type Asked } from './drive.ts';
import type { RecordedAnswer, RecordedTurn } from './recorded-turn.ts';
import { contentOf, type NodeNow } from './same-nodes.ts';

/**
 * @param from the definition that the turn ran on; null = unknown: then questions of one node are taken for the same.
 * @param given collects the answers that were given again.
 */
export function recordedAnswers(
  { answers }: RecordedTurn,
  from: FlowModel | null,
  to: FlowModel,
  nodeNow: NodeNow,
  given: RecordedAnswer[],
): Answering {
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

function giveAgain(asked: Asked, recorded: RecordedAnswer, from: FlowModel | null, to: FlowModel) {
  const isSame = (contentOrMember: (flow: FlowModel, id: string) => string) =>
    from === null || contentOrMember(from, recorded.node_id) === contentOrMember(to, nodeAsked(asked));
  if (asked.kind === 'classify' && recorded.kind === 'classify') {
    const now = asked.question.candidates.map(({ nl }) => nl);
    const before = from === null ? now : choicesBefore(from, recorded.node_id, to, nodeAsked(asked), now);
    const answer = before === null ? null : chosenAgain(recorded.answer, before, now);
    return answer === null ? null : asked.resume(answer);
  }
  if (asked.kind === 'extract' && recorded.kind === 'extract') {
    const { answer } = recorded;
    return answer.kind === 'unavailable' || isSame(extractionAt) ? asked.resume(answer) : null;
  }
  if (asked.kind !== 'run_agent' || recorded.kind !== 'run_agent' || !isSame(contentAt)) return null;
  const { tool_calls: toolCalls, ...outcome } = recorded.answer;
  return asked.resume({ ...outcome, toolCalls });
}

/** Taking away what was not chosen changes no choice; anything new might have been chosen instead. */
function chosenAgain(
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
 * The texts between which the classifier chose, in their order: those of the node, and those of commands. Where an answer failed and may
 * be given again, only those of commands; null = it cannot be told whether that was so.
 */
function choicesBefore(
  from: FlowModel,
  id: string,
  to: FlowModel,
  idNow: string,
  now: readonly string[],
): readonly string[] | null {
  const [own, called] = [textsOf(from, from.outgoing.get(id) ?? []), calledAt(from, id)];
  if (own.length === 0 || called.length === 0) return [...own, ...called];
  const ownNow = textsOf(to, to.outgoing.get(idNow) ?? []);
  if (ownNow.length === 0 || contentAt(from, id) !== contentAt(to, idNow)) return null;
  // The words of a command may have answered it, and call no other.
  if (isAnsweredByCall(to, idNow) && toJson(now) === toJson(ownNow))
    return toJson(now) === toJson(calledAt(to, idNow)) ? null : own;
  return now.length < ownNow.length + calledAt(to, idNow).length ? called : [...own, ...called];
}

function calledAt(flow: FlowModel, id: string): string[] {
  if (flow.nodesById.get(id)?.type !== 'collect') return [];
  return textsOf(flow, [...commandEdges(flow, 'before'), ...commandEdges(flow, 'after')]);
}

const isAnsweredByCall = (flow: FlowModel, id: string): boolean =>
  answeringEdges(flow).some(({ target }) => target === id);

const textsOf = ({ nodesById }: FlowModel, edges: readonly EdgeModel[]): string[] =>
  edges.flatMap(({ kind, nl, target }) => {
    const to = nodesById.get(target);
    return kind === 'nl' && nl !== null && to !== undefined && isWalked(to) ? [nl] : [];
  });

/** What an extractor is asked at a node: as a second reader, also what the cast says of it. */
function extractionAt({ nodesById }: FlowModel, id: string): string {
  const raw = nodesById.get(id)?.raw;
  const reader = raw?.['read_with'] ?? null;
  return toJson([raw?.extraction ?? null, reader && [reader, raw?.cast, raw?.choices, raw?.prompt]]);
}

function contentAt({ nodesById }: FlowModel, id: string): string {
  const node = nodesById.get(id);
  return node === undefined ? '' : contentOf(node);
}
