// Explains word by word how one question would read an utterance
// (docs/spoken-answers.md#try-an-answer), without a walk.
import { explainAnswer, type ReadingLevel, type ReadToken } from '@parley/answers';
import type { CompiledFlow } from '@parley/flow-engine/compile/compiled';
import type { FailureStatus } from '@parley/flow-engine/define/answer-rules';
import type { Bag } from '@parley/flow-engine/read/paths';
import { readingContext } from '@parley/flow-engine/read/reading-context';
import { TurnBudget, tryWithinBudget } from '@parley/flow-engine/read/turn-budget';
import { findEqualChoice, findLikeChoice } from '@parley/flow-engine/walk/choice-by-examples';
import type { TraceExamples } from '@parley/flow-engine/walk/trace-step';
import type { CostlyTurn } from '@parley/flow-engine/walk/turn';

/** As on the wire. */
export interface ExplainedAnswer {
  readonly kind: 'read';
  readonly status: 'captured' | FailureStatus;
  /** Present when it was captured. */
  readonly value?: unknown;
  /** Why it was not. */
  readonly reason: string | null;
  /** Null also for a cast that captures the utterance unchanged. */
  readonly reading: ReadingLevel | null;
  readonly discarded: string | null;
  readonly unread: readonly string[];
  readonly tokens: readonly ReadToken[];
  /** The examples of a choice decided. */
  readonly examples?: TraceExamples;
}

/** Null: the flow has no such collect node. */
export function readAt(
  flow: CompiledFlow,
  nodeId: string,
  utterance: string,
  { variables, nowMs }: { readonly variables: Bag; readonly nowMs: number },
): ExplainedAnswer | CostlyTurn | null {
  const node = flow.nodes.get(nodeId);
  if (node?.type !== 'collect') return null;
  const none = { kind: 'read', reading: null, discarded: null, unread: [] } as const;
  if (utterance.trim() === '' && !node.allowEmpty)
    return { ...none, status: 'no_input', reason: null, tokens: [] };
  const budget = new TurnBudget();
  const context = readingContext({ turn: { nowMs }, variables, budget });
  const read = (): ExplainedAnswer => {
    const taught = flow.classifierOrder === 'model_first' && node.reader !== null ? null : node.taught;
    const equal = node.taught && findEqualChoice(node.taught, utterance, budget);
    const { tokens, ...answer } = explainAnswer(node.cast, utterance, context);
    const like =
      taught !== null && !answer.ok && answer.reason === 'not_a_choice'
        ? findLikeChoice(taught, utterance, budget)
        : null;
    const chosen = equal ?? like;
    if (chosen !== null) {
      const { value, how } = chosen;
      return { ...none, status: 'captured', value, reason: null, tokens, examples: how };
    }
    if (!answer.ok) return { ...none, status: 'no_match', reason: answer.reason, tokens };
    const { value, unread, discarded } = answer;
    const how = { ...none, reading: node.isRead ? answer.reading : null, unread, discarded, tokens };
    if (node.accepts !== null && !node.accepts(value, nowMs, variables, budget))
      return { ...how, status: 'out_of_range', reason: 'out_of_range' };
    return { ...how, status: 'captured', value, reason: null };
  };
  return tryWithinBudget<ExplainedAnswer | CostlyTurn>(read, ({ cost, max }) => ({
    kind: 'turn_too_costly',
    cost,
    max,
  }));
}
