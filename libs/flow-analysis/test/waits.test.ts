// Nodes that wait for their caller: a tool whose result the flow needs, and a handoff that may come
// back.
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { turnResultToWire, type CompiledFlow, type TurnOutcome, type TurnResult } from '@parley/flow-engine';
import type { CallerAnswer } from '@parley/flow-engine/define/waits';
import { ask, branch, end, handoff, say, to, tool, when } from './examples/pieces.ts';
import { flowOf, play, playTurn, texts } from '@parley/flow-engine/testing';
import { answerAt, graph, playOut, turn } from './validation-flows.ts';

const lookup = tool('lookup', 'order.state', {
  args: { id: '{{ id }}' },
  wait_for_result: true,
  set: [
    { variable: 'tries', add: 1 },
    { variable: 'was', to: '{{ order.state }}' },
  ],
});
const ordering = flowOf(
  [
    ask('ask', 'id'),
    say('one', { text: 'A moment.' }),
    lookup,
    end('told', { text: 'It is {{ order.state }}, {{ was }}.' }),
    end('lost', { text: 'Sorry: {{ _tool_error }}, {{ tries }}.' }),
  ],
  [
    to('ask', 'one'),
    to('one', 'lookup'),
    when('lookup', 'told', '_tool_status', 'eq', 'ok'),
    when('lookup', 'lost', '_tool_status', 'eq', 'error'),
  ],
);

const called = (session: string | null = 's1') =>
  playTurn(ordering, { currentNode: 'ask', userInput: '17', session });

const callIdOf = ({ actions: [action] }: TurnResult) =>
  (action?.type === 'tool' ? action.callId : undefined) ?? null;

const result = (callId: string | null, value: unknown): CallerAnswer => ({
  kind: 'tool_result',
  callId,
  outcome: { status: 'ok', result: value },
});
const failure = (callId: string | null): CallerAnswer => ({
  kind: 'tool_result',
  callId,
  outcome: { status: 'error', code: 'no_such_order', message: 'There is none' },
});

describe('a waiting tool', () => {
  test('ends the turn with its call, and nothing is set yet', () => {
    const turn = called();
    expect(turn).toMatchObject({ status: 'waiting_for_tool', nextNode: 'lookup', steps: 3 });
    expect(turnResultToWire(turn).actions).toEqual([
      {
        type: 'tool',
        node_id: 'lookup',
        tool: 'lookup',
        args: { id: '17' },
        output_var: 'order.state',
        call_id: expect.stringMatching(/^call_[0-9a-f]{16}$/),
      },
    ]);
    expect(turn.variables).not.toHaveProperty('tries');
  });

  test('gives its call the same id when the turn is repeated, and another in every other conversation, turn or node', () => {
    expect(callIdOf(called())).toBe(callIdOf(called()));
    const later = playTurn(ordering, {
      currentNode: 'ask',
      userInput: '17',
      session: 's1',
      variables: { _flow: { turn: 5 } },
    });
    const ids = [called(), called('s2'), called(null), later].map(callIdOf);
    expect(new Set(ids).size).toBe(4);
  });

  test('continues with its result, which is stored before `set` runs and before the edges are tried', () => {
    const before = called();
    const answer = result(callIdOf(before), 'shipped');
    const after = playTurn(ordering, {
      currentNode: 'lookup',
      variables: before.variables,
      answer,
      session: 's1',
      trace: true,
    });
    expect(texts(after)).toEqual(['It is shipped, shipped.']);
    expect(after).toMatchObject({ status: 'completed', steps: 2, input: null, actions: [] });
    expect(after.variables).toEqual({
      _flow: { turn: 2 },
      id: '17',
      order: { state: 'shipped' },
      tries: 1,
      was: 'shipped',
    });
    expect(turnResultToWire(after).trace?.[0]).toMatchObject({ node_id: 'lookup', result: { status: 'ok' } });
  });

  test('continues after an error, which does not change the variable', () => {
    const { variables } = called();
    const answer = failure(null);
    const after = playTurn(ordering, { currentNode: 'lookup', variables, answer, trace: true });
    expect(texts(after)).toEqual(['Sorry: no_such_order, 1.']);
    expect(after.variables).not.toHaveProperty('order');
    expect(after.trace?.[0]?.result).toEqual({ status: 'error', reason: 'no_such_order' });
  });

  test.each<[string, string | null, CallerAnswer | null, string]>([
    ['no result', 'lookup', null, 'tool_result_mismatch'],
    ['the result of another call', 'lookup', result('call_0', 1), 'tool_result_mismatch'],
    [
      'a handoff',
      'lookup',
      { kind: 'handoff_result', status: 'failed', reason: null },
      'tool_result_mismatch',
    ],
    ['a result where nothing is waited for', 'ask', result('call_0', 1), 'tool_result_mismatch'],
    ['a result to begin with', null, result(null, 1), 'tool_result_mismatch'],
    [
      'a handoff to begin with',
      null,
      { kind: 'handoff_result', status: 'failed', reason: null },
      'handoff_result_mismatch',
    ],
  ])('refuses %s', (_, currentNode, answer, kind) => {
    const { variables } = called();
    const before = structuredClone(variables);
    expect(play(ordering, { currentNode, variables, answer })).toEqual({ kind, nodeId: currentNode });
    expect(variables).toEqual(before);
  });

  test('takes a result once: the call is over when the node is left', () => {
    const before = called();
    const answer = result(callIdOf(before), 'shipped');
    const { variables } = playTurn(ordering, { currentNode: 'lookup', variables: before.variables, answer });
    expect(play(ordering, { currentNode: 'lookup', variables, answer })).toMatchObject({
      kind: 'tool_result_mismatch',
    });
  });

  test('without a matching edge, the caller may bring the same result with other variables', () => {
    const flow = flowOf([tool('t', 'x', { wait_for_result: true }), end()], [when('t', 'end', 'y', 'eq', 1)]);
    const before = playTurn(flow, {});
    const answer = result(callIdOf(before), 'r');
    const stuck = playTurn(flow, { currentNode: 't', variables: before.variables, answer });
    expect(stuck).toMatchObject({ status: 'no_route', nextNode: 't' });
    const variables = { ...stuck.variables, y: 1 };
    expect(playTurn(flow, { currentNode: 't', variables, answer }).status).toBe('completed');
  });

  test('only conditions read the utterance: it answers no question', () => {
    const flow = flowOf(
      [tool('t', 'x', { wait_for_result: true }), branch('b'), ask('more', 'y'), end()],
      [to('t', 'b'), when('b', 'more', 'user_input', 'eq', 'more'), to('b', 'end'), to('more', 'end')],
    );
    const { variables } = playTurn(flow, {});
    const turn = { currentNode: 't', variables, userInput: 'more', answer: result(null, 1) };
    const after = playTurn(flow, turn);
    expect(after).toMatchObject({ status: 'waiting', nextNode: 'more' });
    expect(after.variables).not.toHaveProperty('y');
  });

  test('in a cycle it is called again, with another id', () => {
    const flow = flowOf(
      [tool('t', 'x', { wait_for_result: true }), end()],
      [when('t', 'end', 'x', 'eq', 'done'), to('t', 't')],
    );
    const first = playTurn(flow, {});
    const answer = result(callIdOf(first), 'not yet');
    const second = playTurn(flow, { currentNode: 't', variables: first.variables, answer });
    expect(second).toMatchObject({ status: 'waiting_for_tool', nextNode: 't', steps: 2 });
    expect(callIdOf(second)).not.toBe(callIdOf(first));
    expect(play(flow, { currentNode: 't', variables: second.variables, answer })).toMatchObject({
      kind: 'tool_result_mismatch',
    });
  });

  test('a result counts against the budget of the turn', () => {
    const { variables } = called();
    const answer = result(null, 'x'.repeat(3_000_000));
    expect(play(ordering, { currentNode: 'lookup', variables, answer })).toMatchObject({
      kind: 'turn_too_costly',
      cost: 'result_bytes',
    });
  });

  test('without the member it behaves as it always did', () => {
    const flow = flowOf([tool('t', 'x', { wait_for_result: false }), end()], [to('t', 'end')]);
    const turn = playTurn(flow, {});
    expect(turn).toMatchObject({ status: 'completed', nextNode: null });
    expect(turnResultToWire(turn).actions[0]).not.toHaveProperty('call_id');
    expect(playTurn(flow, { currentNode: 't' }).status).toBe('completed');
  });
});

describe('a handoff that returns', () => {
  const flow = flowOf(
    [
      handoff('desk', {
        target: 'desk',
        reason: 'asked',
        text: 'One moment.',
        returns: true,
        set: [{ variable: 'n', add: 1 }],
      }),
      end('sorry', { text: 'Nobody is there ({{ _handoff_reason }}), {{ n }}.' }),
      end('back', { text: 'Welcome back.' }),
    ],
    [when('desk', 'sorry', '_handoff_status', 'eq', 'failed'), to('desk', 'back')],
  );

  test('hands off and returns where the conversation resumes', () => {
    const turn = playTurn(flow, {});
    expect(turn).toMatchObject({ status: 'handed_off', nextNode: 'desk', actions: [{ type: 'handoff' }] });
    expect(texts(turn)).toEqual(['One moment.']);
    expect(turn.variables).not.toHaveProperty('n');
  });

  test.each([
    ['failed', 'busy', 'Nobody is there (busy), 1.'],
    ['returned', null, 'Welcome back.'],
  ] as const)('%s', (status, reason, said) => {
    const { variables } = playTurn(flow, {});
    const answer = { kind: 'handoff_result', status, reason } as const;
    const after = playTurn(flow, { currentNode: 'desk', variables, answer, trace: true });
    expect(texts(after)).toEqual([said]);
    expect(after.status).toBe('completed');
    expect(after.trace?.[0]?.result).toEqual({ status, reason });
  });

  test("resumes only with the handoff's result", () => {
    expect(play(flow, { currentNode: 'desk' })).toEqual({ kind: 'handoff_result_mismatch', nodeId: 'desk' });
    expect(play(flow, { currentNode: 'desk', answer: result(null, 1) })).toMatchObject({
      kind: 'handoff_result_mismatch',
    });
  });
});

describe('on any graph', () => {
  /** Variables that differ between a question and a tool. */
  const told = new Set(['user_input', '_attempts', '_input_status', '_tool_status', '_handoff_status']);
  const variablesOf = (edge: Readonly<Record<string, unknown>>): string[] =>
    [edge, edge['all'], edge['any']]
      .flat()
      .flatMap((one) => (one as { variable?: string } | undefined)?.variable ?? []);
  const nodesOf = ({ trace }: TurnResult) =>
    (trace ?? []).map(({ nodeId, edgeIndex }) => [nodeId, edgeIndex]);
  const bagOf = ({ variables: { _flow, ...bag } }: TurnResult) => bag;

  test('a waiting tool walks like a question whose answer is the result', () => {
    let resumed = 0;
    fc.assert(
      fc.property(graph, fc.array(turn, { minLength: 10, maxLength: 10 }), ({ nodes: all, edges }, turns) => {
        // Another question would fill the variable of the question, and not that of the tool.
        const nodes = all.map(({ also: _also, ...node }) => node);
        const plain = edges.filter((edge) => !variablesOf(edge).some((name) => told.has(name)));
        const waiting = (node: (typeof nodes)[number]) =>
          node.type === 'tool' && node.wait_for_result === true;
        const asking = nodes.map((node) =>
          waiting(node) ? { ...ask(node.id, node.output_var ?? null), allow_empty: true } : node,
        );
        const [tools, questions] = [flowOf(nodes, plain), flowOf(asking, plain)];
        let before: TurnResult | null = null;
        for (const { choices, handoff, agentMode, userInput, variables } of turns) {
          const currentNode: string | null = before?.nextNode ?? null;
          const answer = answerAt(tools, currentNode, { handoff });
          const said = answer?.kind === 'tool_result' ? 'result' : userInput;
          resumed += Number(answer?.kind === 'tool_result');
          const playing = { currentNode, choices, handoff, agentMode, userInput: said };
          const bag = before === null ? variables : {};
          const one = (flow: CompiledFlow): TurnOutcome =>
            playOut(flow, { ...playing, variables: { ...bag, ...before?.variables } });
          const [left, right] = [one(tools), one(questions)];
          expect(left.kind).toBe(right.kind);
          if (left.kind !== 'turn' || right.kind !== 'turn') return;
          expect(nodesOf(left)).toEqual(nodesOf(right));
          expect(bagOf(left)).toEqual(bagOf(right));
          expect([left.nextNode, left.steps]).toEqual([right.nextNode, right.steps]);
          if (left.nextNode === null) return;
          before = left;
        }
      }),
      { numRuns: 400 },
    );
    expect(resumed).toBeGreaterThan(20);
  });
});
