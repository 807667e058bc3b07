// Variants: which of several texts the bot says.
import { expect, test } from '@jest/globals';
import { flowOf, playTurn } from '../../test/play.ts';
import type { CompiledFlow } from './compiled.ts';

const greetings = { text: 'Hello', variants: ['Hi {{ name }}', 'Hey'] };

const flowWith = (members: Record<string, unknown>) =>
  flowOf(
    [
      { id: 'm', type: 'message', ...members },
      { id: 'q', type: 'collect', prompt: 'Well?', variants: ['And?'], variable: 'x' },
    ],
    [
      { source: 'm', target: 'q' },
      { source: 'q', target: 'm' },
    ],
  );

const said = (flow: CompiledFlow, session: string | null, turn = 0) =>
  playTurn(flow, { session, variables: { name: 'Ada', _flow: { turn } } }).outputs.map(({ text }) => text);

test('uses every text about equally often, and the same one for a repeated turn', () => {
  const flow = flowWith(greetings);
  const counts = new Map<string, number>();
  for (let session = 0; session < 3_000; session++) {
    const [greeting = ''] = said(flow, `s-${session}`);
    expect(said(flow, `s-${session}`)[0]).toBe(greeting);
    counts.set(greeting, (counts.get(greeting) ?? 0) + 1);
  }
  expect([...counts.keys()].sort()).toEqual(['Hello', 'Hey', 'Hi Ada']);
  for (const count of counts.values()) expect(count).toBeGreaterThan(800);
});

test('another turn of the same conversation may use another text', () => {
  const flow = flowWith(greetings);
  const turns = Array.from({ length: 40 }, (_, turn) => said(flow, 'one', turn)[0]);
  expect(new Set(turns).size).toBe(3);
});

test('works with variants only, and without a session', () => {
  expect(said(flowWith({ variants: ['only'] }), null)[0]).toBe('only');
  expect(said(flowWith({ text: 'a', variants: 'b' }), null)[0]).toBe('a');
});

test('a repeated question without a reprompt may use another text', () => {
  const flow = flowWith({ text: 'a' });
  const asked = Array.from({ length: 20 }, (_, turn) => {
    const variables = { _flow: { turn } };
    return playTurn(flow, { currentNode: 'q', userInput: null, variables }).outputs[0]?.text;
  });
  expect(new Set(asked)).toEqual(new Set(['Well?', 'And?']));
});
