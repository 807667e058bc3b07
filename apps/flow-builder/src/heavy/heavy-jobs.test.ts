import { expect, test } from '@jest/globals';
import { heavyJobs, simulate, type Conversation } from './heavy-jobs.ts';
import { ANSWER_BYTES_MAX } from './job-parts.ts';
import { compileFlow, parseFlow } from '@parley/flow-engine';

const definition = {
  nodes: [
    { id: 'c', type: 'collect', prompt: 'What?', variable: 'wish' },
    { id: 'yes', type: 'end', message: 'Gladly.' },
    { id: 'no', type: 'end', message: 'No.' },
  ],
  edges: [
    { source: 'c', target: 'yes', nl: 'wants it' },
    { source: 'c', target: 'no', default: true },
  ],
};
const conversation: Conversation = {
  incoming: [null, 'I would like it'].map((userInput) => ({ userInput, answer: null })),
  turn: {
    currentNode: null,
    variables: {},
    nowMs: 0,
    agentMode: 'out_of_band',
    extractorAvailable: false,
    stepsMax: 200,
    stepsProvedMax: null,
  },
  bytesLeft: ANSWER_BYTES_MAX,
};

test('a question ends the job, and the answer continues the same turn', async () => {
  const first = await heavyJobs.simulate({ definition, conversation, answered: [] });
  expect(first.turns).toMatchObject([{ user_input: null, status: 'waiting', next_node: 'c' }]);
  expect(first.asked).toMatchObject({ to: 'classify', question: { utterance: 'I would like it' } });
  expect(first.left).toMatchObject({
    incoming: [{ userInput: 'I would like it' }],
    turn: { currentNode: 'c' },
  });

  const answered = [{ kind: 'chosen', index: 0, confidence: 1 }];
  const second = await heavyJobs.simulate({ definition, conversation: first.left!, answered });
  expect(second.turns).toMatchObject([{ status: 'completed', outputs: [{ text: 'Gladly.' }] }]);
  expect(second.left).toBeUndefined();
});

test('the rest is returned when the time is up', async () => {
  const parsed = parseFlow(definition);
  if (!parsed.ok) throw new Error('not a flow');
  const answers = { classify: never, extract: never, runAgent: never };
  expect(await simulate(compileFlow(parsed.flow), conversation, answers, -1)).toEqual({
    turns: [],
    left: conversation,
  });
});

const never = (): Promise<never> => Promise.reject(new Error('nobody asks'));
