// Replaying recorded turns in the browser.
import { describe, expect, test } from '@jest/globals';
import type { RecordedTurn } from '@parley/flow-analysis';
import type { AuthoredFlow } from '@parley/flow-engine';
import { engine } from './engine.ts';
import type { FlowSnapshot } from './replay.ts';

const flow = (op: string): AuthoredFlow => ({
  nodes: [
    { id: 'ask_age', type: 'collect', prompt: 'How old?', variable: 'age', cast: 'integer' },
    { id: 'child', type: 'end', message: 'Hello child' },
    { id: 'adult', type: 'end', message: 'Hello adult' },
  ],
  edges: [
    { source: 'ask_age', target: 'child', variable: 'age', op, value: 18 },
    { source: 'ask_age', target: 'adult', default: true },
  ],
});
const ran: FlowSnapshot = { flowId: 'ages', version: 1, definition: flow('lte') };
const turn: RecordedTurn = {
  flow_id: 'ages',
  version: 1,
  turn: 2,
  current_node: 'ask_age',
  next_node: null,
  status: 'completed',
  now: 1795176000,
  variables_in: { _flow: { turn: 1 } },
  variables_cleared: [],
  answers: [],
  actions: [],
  path: [
    [0, 0, 'deterministic'],
    [1, null, null],
  ],
  input: {
    user_input: '18',
    session_id: 'call-1',
    agent_mode: 'out_of_band',
    extractor: false,
    confidence_min: 0.5,
  },
  variables_set: { age: 18, _flow: { turn: 2 } },
  messages: [{ type: 'message', node_id: 'child', text: 'Hello child' }],
};

describe('replay', () => {
  test('gives the same result with a trace on the version that ran', () => {
    const [replayed] = engine.replay({ on: ran, ranOn: ran, turns: [turn] })!;
    expect(replayed).toMatchObject({ same: true, exact: true, differences: [] });
    expect(replayed!.trace).toEqual([
      expect.objectContaining({ node_id: 'ask_age', edge_index: 0, decided_by: 'deterministic' }),
      expect.objectContaining({ node_id: 'child' }),
    ]);
  });

  test('reports the differences of a draft', () => {
    const draft: FlowSnapshot = { flowId: 'ages', version: null, changedAt: 1, definition: flow('lt') };
    const [replayed] = engine.replay({ on: draft, ranOn: ran, turns: [turn] })!;
    expect(replayed).toMatchObject({ same: false });
    expect(replayed!.differences).toContainEqual({
      what: 'messages',
      before: ['Hello child'],
      after: ['Hello adult'],
    });
  });

  test('leaves invalid definitions and flows with calls to the service', () => {
    const broken: FlowSnapshot = { flowId: 'ages', version: null, definition: { nodes: 'none' } as never };
    const calling: FlowSnapshot = {
      flowId: 'ages',
      version: 2,
      definition: { nodes: [{ id: 'x', type: 'branch', call: { flow_id: 'other', version: 1 } }] },
    };
    expect(engine.replay({ on: broken, ranOn: ran, turns: [turn] })).toBeNull();
    expect(engine.replay({ on: calling, ranOn: ran, turns: [turn] })).toBeNull();
    expect(engine.replay({ on: ran, ranOn: calling, turns: [turn] })).toBeNull();
  });
});
