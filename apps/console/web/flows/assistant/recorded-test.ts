// Makes a test of recorded turns: what the caller brought and what models answered, without what
// should have happened at the last turn.
import type { RecordedTurn } from '@parley/flow-analysis';
import type { ConversationTest } from '../api.ts';
import type { FailedConversation } from './assistant-store.ts';

type Turn = ConversationTest['turns'][number];

/**
 * The turns of one flow up to a turn, oldest first. Null when the recording lacks what a test
 * needs.
 */
export function toFailed(turns: readonly RecordedTurn[], last: RecordedTurn): FailedConversation | null {
  const own = turns.filter((turn) => turn.flow_id === last.flow_id && turn.turn <= last.turn);
  const [first] = own;
  if (first === undefined || first.variables_in === null || own.some(({ input }) => input === null))
    return null;
  const session = (last.input?.session_id ?? '').replaceAll(/[^A-Za-z0-9_.:-]/g, '-').slice(0, 90);
  return {
    flowId: last.flow_id,
    name: `fixed.${session}.${last.turn}`,
    test: {
      turns: own.map((turn) => toTurn(turn, turn === last)),
      current_node: first.current_node,
      variables: first.variables_in,
      now: first.now,
    },
  };
}

/** Answers of models at the last turn are left out: the flow should decide another way. */
function toTurn({ input, answers }: RecordedTurn, isLast: boolean): Turn {
  const said = { user_input: input?.user_input ?? null, ...toBrought(input), expect: {} };
  if (isLast) return said;
  const choices = (answers ?? []).flatMap(({ kind, answer }) =>
    kind === 'classify' ? [answer.kind === 'chosen' ? answer.index : ('none' as const)] : [],
  );
  const [values] = (answers ?? []).flatMap(({ kind, answer }) =>
    kind === 'extract' && answer.kind === 'extracted' ? [answer.values] : [],
  );
  return {
    ...said,
    ...(choices.length > 0 && { classifier: choices }),
    ...(values !== undefined && { extraction: { ...values } }),
  };
}

function toBrought(input: RecordedTurn['input']): Partial<Turn> {
  const answer = input?.answer;
  if (answer === undefined) return {};
  if (answer.kind === 'handoff_result')
    return { handoff_result: { status: answer.status, reason: answer.reason } };
  const { outcome } = answer;
  if (outcome.status === 'pending') return {};
  const { code, message } = outcome.status === 'error' ? outcome : { code: '', message: '' };
  return { tool_result: outcome.status === 'ok' ? { result: outcome.result } : { error: { code, message } } };
}
