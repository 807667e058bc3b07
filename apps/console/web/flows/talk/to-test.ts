// A conversation as a stored test, what was said and answered and what it must come to again; and a stored test as a conversation.
import { callerAnswer, type ConversationTest as PlayableTest } from '@parley/flow-engine';
import type { PlayedTurn, Script } from '../../engine/converse.ts';
import type { ConversationTest } from '../api.ts';

type Turn = ConversationTest['turns'][number];

/** null: no turn of it has a result. Turns from the first one without a result on are left out. */
export function toTest(script: Script, played: readonly PlayedTurn[]): ConversationTest | null {
  const turns: Turn[] = [];
  for (const { input, asked, outcome } of played) {
    if (outcome.kind !== 'turn') break;
    const classified = asked.find(({ answer }) => answer.kind === 'classify')?.answer;
    const extracted = asked.find(({ answer }) => answer.kind === 'extract')?.answer;
    turns.push({
      user_input: input,
      ...(classified?.kind === 'classify'
        ? { classifier: classified.answer.kind === 'chosen' ? classified.answer.index : 'none' }
        : {}),
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

export const toScript = (test: PlayableTest, nowMs: number): Script => ({
  startNode: test.current_node ?? null,
  variables: test.variables ?? {},
  nowMs: test.now === undefined ? nowMs : test.now * 1000,
  extractor: false,
  agent: false,
  turns: test.turns.map(({ user_input, classifier, extraction, ...brought }) => ({
    input: user_input ?? null,
    brought: callerAnswer(brought),
    answers: [],
    otherwise: { classifier: classifier ?? 'none', extraction: extraction ?? null },
  })),
});
