// Compiling is total: every parsed model compiles, and its faults have no effect.
import { describe, expect, test } from '@jest/globals';
import { uncounted } from '../read/turn-budget.ts';
import { flowOf, modelOf, playTurn } from '../../test/play.ts';
import { compileFlow } from './compile.ts';

describe('a flow with every error', () => {
  const model = modelOf(
    [
      { id: 'a', type: 'message', text: '{{ unclosed' },
      { id: 'a', type: 'end' },
      {
        id: 'q',
        type: 'collect',
        cast: 'colour',
        variable: 'a..b',
        extraction: { variables: 5 },
        max_attempts: -1,
      },
      {
        id: 'x',
        type: 'agent',
        tools: [1, null],
        max_iterations: -5,
        turn_budget: 0,
        output_var: '__proto__',
      },
      { id: 'odd', type: 'teleport' },
      { id: 'w', type: 'webhook', events: ['nonsense'] },
    ],
    [
      { source: 'a', target: 'a', variable: 'x', op: 'matches', value: '(' },
      { source: 'a', target: 'gone' },
      { source: 'gone', target: 'a' },
      { source: 'a', target: 'odd', default: true },
      { source: 'a', target: 'w', nl: 'x' },
      { source: 'a', target: 'q', variable: 'x', nl: 'y', default: true },
    ],
    { start: 'gone' },
  );

  test('compiles', () => {
    const flow = compileFlow(model);
    expect(flow.start).toBeNull();
    expect([...flow.nodes.keys()]).toEqual(['a', 'q', 'x']);
    expect(flow.nodes.get('a')?.routes).toMatchObject({
      deterministic: [{ edgeIndex: 0 }],
      choices: [],
      fallback: { edgeIndex: 5 },
    });
  });

  test('and can be walked up to the fault', () => {
    expect(playTurn(compileFlow(model), { currentNode: 'a' })).toMatchObject({
      status: 'waiting',
      outputs: [{ text: '{{ unclosed' }],
    });
    expect(playTurn(compileFlow(model), { currentNode: 'q', userInput: 'x' })).toMatchObject({
      status: 'waiting',
    });
  });
});

test('of nodes that share an id, the first is walked', () => {
  const flow = flowOf([
    { id: 'a', type: 'end', text: 'first' },
    { id: 'a', type: 'end', text: 'second' },
  ]);
  expect(playTurn(flow).outputs[0]?.text).toBe('first');
});

test('ids that JavaScript objects know are ids like any other', () => {
  const flow = flowOf(
    [
      { id: 'toString', type: 'message', text: 'a' },
      { id: 'hasOwnProperty', type: 'end', text: 'b' },
    ],
    [{ source: 'toString', target: 'hasOwnProperty' }],
  );
  expect(playTurn(flow).outputs.map((output) => output.text)).toEqual(['a', 'b']);
});

test('each parallel edge is an edge', () => {
  const edge = { source: 'b', target: 'e' };
  const flow = flowOf(
    [
      { id: 'b', type: 'branch' },
      { id: 'e', type: 'end' },
    ],
    [
      { ...edge, variable: 'x', value: 1 },
      { ...edge, variable: 'x', value: 2 },
    ],
  );
  expect(flow.nodes.get('b')?.routes.deterministic).toHaveLength(2);
  expect(playTurn(flow, { variables: { x: 2 } }).lastNode).toBe('e');
});

test('webhook nodes', () => {
  const flow = flowOf([
    { id: 'e', type: 'end' },
    {
      id: 'w',
      type: 'webhook',
      url: 'https://example.com/hook',
      events: ['completed', 'other'],
      payload: { who: '{{ name }}', n: '{{ n }}', said: '{{ user_input }}' },
      headers: { 'X-A': 'b' },
    },
    { id: 'bare', type: 'webhook' },
  ]);
  const [webhook, bare] = flow.webhooks;
  expect(webhook?.nodeId).toBe('w');
  expect(webhook?.renderUrl?.({}, uncounted, 0)).toBe('https://example.com/hook');
  expect(webhook?.renderHeaders?.({}, uncounted, 0)).toEqual({ 'X-A': 'b' });
  expect([...(webhook?.events ?? [])]).toEqual(['completed']);
  expect(webhook?.renderPayload?.({ name: 'Ada', n: 3 }, uncounted, 0)).toEqual({
    who: 'Ada',
    n: 3,
    said: '',
  });
  expect(bare).toMatchObject({
    nodeId: 'bare',
    renderUrl: null,
    renderHeaders: null,
    renderPayload: null,
  });
  expect([...(bare?.events ?? [])]).toEqual(['completed', 'handed_off']);
});

test('the persona is the first global prompt', () => {
  const flow = flowOf([
    { id: 'e', type: 'end' },
    { id: 'g1', type: 'global' },
    { id: 'g2', type: 'global', prompt: 'Kind to {{ name }}' },
  ]);
  expect(
    flow.persona?.({
      variables: { name: 'Ada' },
      userInput: null,
      inputStatus: null,
      attempts: null,
      budget: uncounted,
      language: null,
      session: null,
      turn: { nowMs: 0 },
    }),
  ).toBe('Kind to Ada');
});
