// Entering results of models, tools and handoffs by hand.
import { beforeEach, expect, jest, test } from '@jest/globals';
import { render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import type { AuthoredFlow } from '@parley/flow-engine';
import { engine } from '../../engine/engine.ts';
import { learn, openFlow, useFlow } from '../document/flow-store.ts';
import { Bring } from './bring.tsx';
import { QuestionCard } from './question.tsx';

const flow = {
  nodes: [{ id: 'sort', type: 'branch' }, ...['bill', 'tea', 'desk'].map((id) => ({ id, type: 'end' }))],
  edges: [
    { source: 'sort', target: 'bill', nl: 'a bill' },
    { source: 'sort', target: 'tea', nl: 'tea' },
    { source: 'sort', target: 'desk' },
  ],
} as unknown as AuthoredFlow;

beforeEach(() => {
  const doc = { flow, places: {} };
  openFlow('sorting', { version: 1, etag: '1', doc }, doc);
  learn(engine.check(flow), flow);
});

test('a classifier choice names and highlights its edge', async () => {
  const asked = engine.converse({
    startNode: null,
    variables: {},
    nowMs: 0,
    extractor: false,
    agent: false,
    turns: [{ input: 'hm', answers: [] }],
  })![0]!.outcome;
  if (asked.kind !== 'asks') throw new Error('no question');
  const onAnswer = jest.fn();
  render(<QuestionCard question={asked.question} onAnswer={onAnswer} />);
  const tea = screen.getByRole('button', { name: /tea.*→ tea/ });
  await userEvent.hover(tea);
  expect(useFlow.getState().shownEdges).toEqual([1]);
  await userEvent.click(tea);
  expect(onAnswer).toHaveBeenCalledWith({
    kind: 'classify',
    answer: { kind: 'chosen', index: 1, confidence: 1 },
  });
});

test('a tool result is any JSON, or an error code', async () => {
  const onBring = jest.fn();
  render(<Bring awaited="tool_result" onBring={onBring} />);
  await userEvent.clear(screen.getByLabelText('Result'));
  await userEvent.type(screen.getByLabelText('Result'), '[[1]');
  await userEvent.click(screen.getByRole('button', { name: 'Send result' }));
  expect(onBring).toHaveBeenLastCalledWith({
    kind: 'tool_result',
    callId: null,
    outcome: { status: 'ok', result: [1] },
  });
  await userEvent.selectOptions(screen.getByLabelText('Tool outcome'), 'error');
  await userEvent.type(screen.getByLabelText('Error code'), 'timeout');
  await userEvent.click(screen.getByRole('button', { name: 'Send result' }));
  expect(onBring).toHaveBeenLastCalledWith({
    kind: 'tool_result',
    callId: null,
    outcome: { status: 'error', code: 'timeout', message: '' },
  });
});

test('a handoff returns or fails', async () => {
  const onBring = jest.fn();
  render(<Bring awaited="handoff_result" onBring={onBring} />);
  await userEvent.selectOptions(screen.getByLabelText('Handoff outcome'), 'failed');
  await userEvent.type(screen.getByLabelText('Reason'), 'closed');
  await userEvent.click(screen.getByRole('button', { name: 'Send result' }));
  expect(onBring).toHaveBeenCalledWith({ kind: 'handoff_result', status: 'failed', reason: 'closed' });
});
