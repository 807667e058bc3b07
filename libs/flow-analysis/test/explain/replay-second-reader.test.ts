// Replay of a turn in which a second reader read the answer.
import { expect, test } from '@jest/globals';
import { flowOf, playTurn, turnOf } from '@parley/flow-engine/testing';
import type { RecordedAnswer } from '../../src/explain/recorded-answer.ts';
import { recordTurn } from '../../src/explain/recorded-turn.ts';
import { startReplay } from '../../src/explain/replay.ts';

const asking = (node: object) =>
  flowOf(
    [
      { id: 'ask', type: 'collect', prompt: 'Which day?', variable: 'v', read_with: 'model', ...node },
      { id: 'end', type: 'end', message: 'Bye.' },
    ],
    [{ source: 'ask', target: 'end' }],
    { start: 'ask' },
  );
const date = asking({ cast: 'date', min: 'today' });

test('is recorded and replayed exactly; another question has no answer', () => {
  const turn = turnOf({ currentNode: 'ask', userInput: 'on Christmas day', extractorAvailable: true });
  const answer = {
    kind: 'extracted',
    values: { value: '2026-12-25', words: 'Christmas' },
  } as const;
  const answers: RecordedAnswer[] = [{ kind: 'extract', node_id: 'ask', answer, ms: 3 }];
  const of = { flowId: 'f', version: 1 };
  const result = playTurn(date, turn, { extract: [answer] });
  const recorded = recordTurn(of, date.model, turn, answers, result);
  expect(recorded.answer_outcome).toEqual({ node: 0, outcome: 'understood' });
  const replayOn = (flow: ReturnType<typeof flowOf>) =>
    startReplay(flow, { mode: 'pinned', of, recordedOn: () => date.model })(recorded);
  expect(replayOn(date)).toMatchObject({ same: true, exact: true, after: recorded });
  expect(replayOn(asking({ cast: 'date', prompt: 'Another?' }))).toMatchObject({ stopped: 'unknown_answer' });
});
