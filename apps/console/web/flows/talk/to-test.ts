// Converts between conversations and stored tests.
import type { ConversationTest as PlayableTest } from '@parley/flow-analysis';
import { readCallerAnswer } from '@parley/flow-engine';
import type { PlayedTurn, Script } from '../../engine/converse.ts';
import type { ConversationTest } from '../api.ts';

type Turn = ConversationTest['turns'][number];

/** Stops at the first turn without a result. Null when no turn has one. */
export function toTest(script: Script, played: readonly PlayedTurn[]): ConversationTest | null {
  const turns: Turn[] = [];
  for (const { input, brought, asked, outcome } of played) {
    if (outcome.kind !== 'turn') break;
    const classified = asked.flatMap(({ answer }) =>
      answer.kind !== 'classify'
        ? []
        : [answer.answer.kind === 'chosen' ? answer.answer.index : ('none' as const)],
    );
    const extracted = asked.find(({ answer }) => answer.kind === 'extract')?.answer;
    turns.push({
      user_input: input,
      ...broughtToWire(brought),
      ...(classified.length === 0
        ? {}
        : { classifier: classified.length === 1 ? classified[0]! : classified }),
      ...(extracted?.kind === 'extract' && extracted.answer.kind === 'extracted'
        ? { extraction: { ...extracted.answer.values } }
        : {}),
      expect: {
        messages: outcome.outputs.map(({ text }) => text),
        next_node: outcome.nextNode,
        status: outcome.status,
      },
    });
  }
  if (turns.length === 0) return null;
  return {
    turns,
    ...(script.startNode === null ? {} : { current_node: script.startNode }),
    ...(Object.keys(script.variables).length === 0 ? {} : { variables: { ...script.variables } }),
    now: Math.floor(script.nowMs / 1000),
  };
}

/** Omits the call id, which belongs to this conversation. */
function broughtToWire(brought: PlayedTurn['brought']): Pick<Turn, 'tool_result' | 'handoff_result'> {
  if (brought === null) return {};
  if (brought.kind === 'handoff_result') {
    const { status, reason } = brought;
    return { handoff_result: { status, ...(reason === null ? {} : { reason }) } };
  }
  const { outcome } = brought;
  if (outcome.status === 'pending') return { tool_result: { pending: true } };
  return {
    tool_result:
      outcome.status === 'ok'
        ? { result: outcome.result }
        : { error: { code: outcome.code, message: outcome.message } },
  };
}

export const toScript = (test: PlayableTest, nowMs: number): Script => ({
  startNode: test.current_node ?? null,
  variables: test.variables ?? {},
  nowMs: test.now === undefined ? nowMs : test.now * 1000,
  extractor: false,
  agent: false,
  turns: test.turns.map(({ user_input, classifier, extraction, ...brought }) => ({
    input: user_input ?? null,
    brought: readCallerAnswer(brought),
    answers: [],
    otherwise: { classifier: classifier ?? 'none', extraction: extraction ?? null },
  })),
});
