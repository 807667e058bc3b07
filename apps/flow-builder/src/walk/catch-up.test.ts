import { afterAll, expect, test } from '@jest/globals';
import { compileFlow } from '@parley/flow-engine';
import { readFlow } from '../heavy/job-parts.ts';
import { createHeavyWork } from '../heavy/heavy-work.ts';
import type { Answers } from './turn.ts';
import { createState, catchUp, type History } from './catch-up.ts';

const heavyWork = createHeavyWork();
afterAll(() => heavyWork.close());

const definition = {
  nodes: [
    {
      id: 'ask',
      type: 'collect',
      prompt: 'Go on.',
      variable: 'said',
      set: [{ variable: 'all', append: '{{ said }}' }],
    },
    { id: 'stop', type: 'end', message: 'Stopped.' },
  ],
  edges: [
    { source: 'ask', target: 'stop', nl: 'wants to stop' },
    { source: 'ask', target: 'ask', default: true },
  ],
};
const flow = compileFlow(readFlow({ definition }));

const historyOf = (...said: string[]): History => ({
  turns: ['hello', ...said].map((userInput) => ({ userInput, results: [] })),
  done: 0,
  state: createState({}),
  turn: { nowMs: 0, session: 's-1', agentMode: 'out_of_band', extractorAvailable: false },
});

/** Ends at this answer. */
const answers: Answers = {
  classify: async ({ utterance }) =>
    utterance === 'stop' ? { kind: 'chosen', index: 0, confidence: 1 } : { kind: 'none' },
  extract: async () => ({ kind: 'unavailable', reason: 'none here' }),
  runAgent: async () => ({ status: 'error', answer: null, iterations: 0, toolCalls: [] }),
};

test('a thread ends for each question, and reaches the same state', async () => {
  const whole = historyOf('one', 'two', 'three');
  const { history: here } = await catchUp(flow, whole, () => answers);
  expect(here).toMatchObject({ turns: [], done: 4, state: { currentNode: 'ask', ended: null } });
  expect(here.state.variables['all']).toEqual(['one', 'two', 'three']);

  let history = whole;
  let answered: unknown[] = [];
  const asked: unknown[] = [];
  while (history.turns.length > 0) {
    const upTo = await heavyWork.run('acme', 'catchUp', { definition, history, answered });
    history = upTo.history;
    if (upTo.asked === undefined) continue;
    asked.push((upTo.asked.question as { utterance: string }).utterance);
    answered = [await answers.classify(upTo.asked.question as never)];
  }
  expect(asked).toEqual(['one', 'two', 'three']);
  expect(history.state).toEqual(here.state);
  expect(history.done).toBe(here.done);
});

test('stops when the time is up, and when the flow has ended', async () => {
  const whole = historyOf('one', 'stop', 'two', 'three');
  const { history: left } = await catchUp(flow, whole, () => answers, -1);
  expect(left).toEqual(whole);
  const { history: over } = await catchUp(flow, whole, () => answers);
  expect(over).toMatchObject({ turns: [], state: { currentNode: null, ended: 'completed' } });
});

test('a turn that execute refuses is refused in a history', async () => {
  const costly = { ...historyOf('one'), turn: { ...historyOf().turn, stepsMax: 1 } };
  const steps = compileFlow(
    readFlow({
      definition: {
        nodes: [
          { id: 'a', type: 'message', text: 'a' },
          { id: 'b', type: 'end' },
        ],
        edges: [{ source: 'a', target: 'b' }],
      },
    }),
  );
  await expect(catchUp(steps, costly, () => answers)).rejects.toMatchObject({ code: 'turn_did_not_settle' });
  const large = { ...historyOf('one'), state: createState({ note: 'x'.repeat(300_000) }) };
  await expect(catchUp(flow, large, () => answers)).rejects.toMatchObject({ code: 'payload_too_large' });
});
