// Autonomous nodes: the run spec, and what an outcome does to the turn.
import { describe, expect, test } from '@jest/globals';
import { flowOf, playTurn, texts, turnOf } from '../../test/play.ts';
import type { AgentOutcome, AgentSpec } from './turn.ts';
import { walkTurn } from './walk.ts';

const end = { id: 'end', type: 'end' };
const persona = { id: 'g', type: 'global', prompt: 'You are {{ bot }}.' };

const flowWith = (members: Record<string, unknown>, edges: unknown[] = [{ source: 'a', target: 'end' }]) =>
  flowOf([{ id: 'a', type: 'autonomous', ...members }, end, persona], edges, { start: 'a' });

function specOf(members: Record<string, unknown>, variables = {}): AgentSpec {
  const step = walkTurn(
    flowWith(members),
    turnOf({ agentMode: 'in_process', variables, userInput: 'help me' }),
  );
  if (step.kind !== 'run_agent') throw new Error(`expected run_agent, got ${step.kind}`);
  return step.spec;
}

describe('the run spec', () => {
  test('has every member of the node, interpolated where specified', () => {
    const dispatch = { find: { url: 'https://example.com/find', headers: { 'X-Key': '{{ literal }}' } } };
    const spec = specOf(
      {
        goal: 'Find {{ thing }}',
        prompt: 'Be quick, {{ bot }}.',
        tools: ['find'],
        tool_dispatch: dispatch,
        documents: ['doc-1'],
        mcp: { server: ['f'] },
        context_vars: ['thing', 'order.id', 'gone', '__proto__'],
        max_iterations: 3,
        turn_budget: 7.5,
        output_var: 'found',
      },
      { thing: 'tea', bot: 'Bo', order: { id: 7 } },
    );
    expect(spec).toEqual({
      nodeId: 'a',
      goal: 'Find tea',
      prompt: 'You are Bo.\n\nBe quick, Bo.',
      tools: [{ name: 'find', description: null, parameters: null }],
      toolDispatch: dispatch,
      documents: ['doc-1'],
      mcp: { server: ['f'] },
      context: { thing: 'tea', 'order.id': 7 },
      maxIterations: 3,
      turnBudgetSeconds: 7.5,
      outputVar: 'found',
      utterance: 'help me',
    });
  });

  test('of a node without members', () =>
    expect(specOf({ add_global_prompt: false })).toMatchObject({
      goal: null,
      prompt: null,
      tools: null,
      context: null,
      maxIterations: 5,
      turnBudgetSeconds: 20,
      outputVar: 'agent_result',
    }));

  test.each([
    [undefined, 'You are .\n\nP'],
    [true, 'You are .\n\nP'],
    [null, 'You are .\n\nP'],
    [false, 'P'],
  ])('add_global_prompt %j', (add_global_prompt, prompt) =>
    expect(specOf({ prompt: 'P', add_global_prompt }).prompt).toBe(prompt),
  );

  test.each([
    [25, 25],
    [26, 25],
    [1e9, 25],
    [1, 1],
    [2.9, 2],
    [0, 5],
    [-1, 5],
    [0.5, 5],
  ])('max_iterations %d runs %d', (max_iterations, runs) =>
    expect(specOf({ max_iterations }).maxIterations).toBe(runs),
  );

  test.each([
    [120, 120],
    [1000, 120],
    [0.5, 0.5],
    [0, 20],
    [-3, 20],
  ])('turn_budget %d gives %d seconds', (turn_budget, seconds) =>
    expect(specOf({ turn_budget }).turnBudgetSeconds).toBe(seconds),
  );

  test('accepts tools in every form', () => {
    const parameters = { type: 'object' };
    const tools = [
      'plain',
      { name: 'flat', description: 'F', parameters },
      { type: 'function', function: { name: 'nested', parameters } },
      { description: 'no name' },
      null,
      5,
    ];
    expect(specOf({ tools }).tools).toEqual([
      { name: 'plain', description: null, parameters: null },
      { name: 'flat', description: 'F', parameters },
      { name: 'nested', description: null, parameters },
    ]);
  });
});

describe('in process', () => {
  const reached: AgentOutcome = {
    status: 'goal_reached',
    answer: 'Tea it is.',
    iterations: 2,
    toolCalls: [{ tool: 'find', args: { q: 'tea' }, ok: true, result: 7, ms: 12 }],
  };
  const run = (outcome: AgentOutcome, members = {}, edges?: unknown[]) =>
    playTurn(
      flowWith({ goal: 'G', ...members }, edges),
      { agentMode: 'in_process' },
      { runAgent: [outcome] },
    );

  test('the outcome is an action, a variable and a message', () => {
    const result = run(reached);
    expect(result.actions).toEqual([
      { type: 'autonomous', mode: 'in_process', nodeId: 'a', goal: 'G', outcome: reached },
    ]);
    const { toolCalls, ...rest } = reached;
    expect(result.variables['agent_result']).toEqual({ ...rest, tool_calls: toolCalls });
    expect(result.outputs).toEqual([{ type: 'message', nodeId: 'a', text: 'Tea it is.' }]);
    expect(result.questions).toEqual([{ kind: 'run_agent', nodeId: 'a', outcome: 'goal_reached' }]);
  });

  test('edges read the outcome', () => {
    const edges = [
      { source: 'a', target: 'gone' },
      { source: 'a', target: 'end', variable: 'r.status', value: 'error' },
    ];
    const failed: AgentOutcome = { status: 'error', answer: null, iterations: 0, toolCalls: [] };
    expect(run(failed, { output_var: 'r' }, edges).lastNode).toBe('end');
    expect(run(reached, { output_var: 'r' }, edges).status).toBe('no_route');
  });

  test.each(['goal_reached', 'max_iterations', 'budget_exhausted', 'error'] as const)(
    'the walk goes on after %s, silent without an answer',
    (status) => {
      for (const answer of [null, '', ' '])
        expect(run({ status, answer, iterations: 1, toolCalls: [] })).toMatchObject({
          status: 'completed',
          outputs: [],
        });
    },
  );

  test('does not write a reserved output variable', () =>
    expect(run(reached, { output_var: '__proto__' }).variables).toEqual({ _flow: { turn: 1 } }));

  test('does not expand the answer of an agent', () =>
    expect(texts(run({ ...reached, answer: '{{ bot }}' }))).toEqual(['{{ bot }}']));
});

test('out of band: the run spec is the action, and the walk continues', () => {
  const result = playTurn(flowWith({ goal: 'G' }));
  expect(result).toMatchObject({ status: 'completed', outputs: [], questions: [] });
  expect(result.actions).toEqual([
    {
      type: 'autonomous',
      mode: 'out_of_band',
      nodeId: 'a',
      spec: expect.objectContaining({ goal: 'G', nodeId: 'a' }),
    },
  ]);
  expect(result.variables).not.toHaveProperty('agent_result');
});
