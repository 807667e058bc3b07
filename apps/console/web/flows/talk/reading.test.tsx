// How an answer was read.
import { expect, test } from '@jest/globals';
import { render, screen } from '@testing-library/react';
import { engine } from '../../engine/engine.ts';
import { Reading } from './reading.tsx';

const flow = {
  nodes: [
    { id: 'ask', type: 'collect', prompt: 'When?', variable: 'day', cast: 'date' },
    { id: 'end', type: 'end' },
  ],
  edges: [{ source: 'ask', target: 'end' }],
};

/** Thursday, 26 November 2026. */
const nowMs = Date.parse('2026-11-26T09:00:00Z');

function readIn(utterance: string): string {
  engine.check(flow);
  const turns = engine.converse({
    startNode: null,
    variables: {},
    nowMs,
    extractor: false,
    agent: false,
    turns: [
      { input: null, answers: [] },
      { input: utterance, answers: [] },
    ],
  })!;
  expect(turns[0]!.read).toBeNull();
  render(<Reading read={turns[1]!.read!} />);
  return screen.getByLabelText('How the answer was read').textContent;
}

test('shows a value inside a sentence, with retracted and ignored words', () => {
  expect(readIn('oh Monday, no, we arrive Tuesday')).toBe(
    'Value: 2026-12-01, inside a sentenceRetracted: oh Monday,Ignored: we arrive',
  );
});

test('shows a refused answer with the words that refused it', () => {
  expect(readIn('before Friday')).toBe('Not captured: not_a_dateReason: “before” may change the value');
});
