// The members of the execute answer.
import { expect, test } from '@jest/globals';
import { flowOf, playTurn } from '../../test/play.ts';
import { turnResultToWire } from './wire.ts';

const to = (source: string, target: string) => ({ source, target });

test('a turn with every kind of action', () => {
  const flow = flowOf(
    [
      { id: 'm', type: 'message', text: 'Hi' },
      { id: 't', type: 'tool', tool: 'ship', args: { a: null }, output_var: 'r' },
      { id: 'bare', type: 'tool' },
      { id: 'x', type: 'autonomous', goal: 'G', tools: ['f'], context_vars: ['v'], max_iterations: 2 },
      { id: 'h', type: 'handoff', target: 'desk' },
    ],
    [to('m', 't'), to('t', 'bare'), to('bare', 'x'), to('x', 'h')],
  );
  expect(turnResultToWire(playTurn(flow, { variables: { v: 1 } }))).toEqual({
    status: 'handed_off',
    next_node: null,
    outputs: [{ type: 'message', node_id: 'm', text: 'Hi' }],
    actions: [
      { type: 'tool', node_id: 't', tool: 'ship', args: { a: null }, output_var: 'r' },
      { type: 'tool', node_id: 'bare' },
      {
        type: 'autonomous',
        node_id: 'x',
        goal: 'G',
        tools: [{ name: 'f' }],
        context: { v: 1 },
        max_iterations: 2,
        turn_budget: 20,
        output_var: 'agent_result',
      },
      { type: 'handoff', node_id: 'h', target: 'desk' },
    ],
    variables: { v: 1, _flow: { turn: 1 } },
    input: null,
    steps: 5,
  });
});

test('an agent run in process', () => {
  const flow = flowOf(
    [
      { id: 'x', type: 'agent', goal: 'G' },
      { id: 'e', type: 'end' },
    ],
    [to('x', 'e')],
  );
  const outcome = { status: 'error' as const, answer: null, iterations: 1, toolCalls: [] };
  const result = playTurn(flow, { agentMode: 'in_process' }, { runAgent: [outcome] });
  expect(turnResultToWire(result).actions).toEqual([
    { type: 'autonomous', node_id: 'x', goal: 'G', status: 'error', iterations: 1, tool_calls: [] },
  ]);
});

test('an answered question, traced', () => {
  const flow = flowOf(
    [
      { id: 'q', type: 'collect', variable: 'v' },
      { id: 'e', type: 'end' },
    ],
    [{ ...to('q', 'e'), variable: 'v', value: 'x' }],
  );
  const wire = turnResultToWire(playTurn(flow, { currentNode: 'q', userInput: 'X', trace: true }));
  expect(wire).toMatchObject({
    status: 'completed',
    input: { status: 'captured', node_id: 'q', variable: 'v' },
    steps: 2,
  });
  expect(wire.trace).toEqual([
    {
      node_id: 'q',
      type: 'collect',
      input: { status: 'captured', attempts: 0 },
      edges: [
        {
          edge_index: 0,
          kind: 'deterministic',
          target: 'e',
          result: true,
          variable: 'v',
          op: 'eq',
          actual: 'X',
          expected: 'x',
          note: null,
        },
      ],
      decided_by: 'deterministic',
      edge_index: 0,
      target: 'e',
      why: 'v eq x',
    },
    { node_id: 'e', type: 'end', edges: [], why: 'the flow is completed' },
  ]);
  expect(JSON.parse(JSON.stringify(wire))).toEqual(wire);
});
