// One turn: how it begins, what each node type does, how it ends. Routing is in route.test.ts,
// answers in collect.test.ts.
import { describe, expect, test } from '@jest/globals';
import { flowOf, play, playTurn, texts, turnOf } from '../../test/play.ts';
import { walkTurn } from './walk.ts';

const end = { id: 'end', type: 'end' };
const to = (source: string, target: string, more: Record<string, unknown> = {}) => ({
  source,
  target,
  ...more,
});

describe('where a turn begins', () => {
  const flow = flowOf(
    [
      { id: 'a', type: 'message', text: 'A' },
      { id: 'ask', type: 'collect', prompt: 'Q', variable: 'x' },
      { ...end, text: 'bye' },
      { id: 'persona', type: 'global', prompt: 'kind' },
      { id: 'odd', type: 'teleport' },
    ],
    [to('a', 'ask'), to('ask', 'end')],
  );

  test('null: the start node', () => expect(texts(playTurn(flow))).toEqual(['A', 'Q']));
  test('a message: visited again', () =>
    expect(texts(playTurn(flow, { currentNode: 'a' }))).toEqual(['A', 'Q']));
  test('a collect: the utterance is its answer', () =>
    expect(playTurn(flow, { currentNode: 'ask', userInput: 'x' })).toMatchObject({
      status: 'completed',
      nextNode: null,
      lastNode: 'end',
      steps: 2,
      variables: { x: 'x' },
    }));
  test('an end: says its text again', () =>
    expect(texts(playTurn(flow, { currentNode: 'end' }))).toEqual(['bye']));
  test.each(['gone', '', '__proto__', 'constructor', 'persona', 'odd'])(
    'the node %j is unknown',
    (currentNode) =>
      expect(play(flow, { currentNode })).toEqual({ kind: 'unknown_node', nodeId: currentNode }),
  );
  test.each<[unknown[], Record<string, unknown>, string | null]>([
    [[], {}, null],
    [[end], { start: 'gone' }, 'gone'],
    [[{ id: 'g', type: 'global' }], {}, 'g'],
  ])('a flow of %j without a start to walk from', (nodes, more, nodeId) =>
    expect(play(flowOf(nodes, [], more))).toEqual({ kind: 'unknown_node', nodeId }),
  );
});

describe('an utterance in a turn that enters a collect node', () => {
  test('is not the answer to its question', () => {
    const flow = flowOf(
      [{ id: 'ask', type: 'collect', prompt: 'Q', variable: 'x' }, end],
      [to('ask', 'end')],
    );
    const result = playTurn(flow, { userInput: 'early' });
    expect(result).toMatchObject({ status: 'waiting', nextNode: 'ask', input: null });
    expect(result.variables).not.toHaveProperty('x');
  });
});

describe('nodes', () => {
  const outputOf = (node: Record<string, unknown>, variables = {}) =>
    playTurn(flowOf([{ id: 'n', ...node }, end], [to('n', 'end')]), { variables });

  test('message: interpolated; says nothing without a text', () => {
    expect(outputOf({ type: 'message', text: 'Hi {{ name }}' }, { name: 'Ada' }).outputs).toEqual([
      { type: 'message', nodeId: 'n', text: 'Hi Ada' },
    ]);
    expect(outputOf({ type: 'message' }).outputs).toEqual([]);
  });

  test('tool: name, arguments with their types, output variable', () => {
    const args = { id: '{{ order.id }}', note: 'for {{ name }}', nested: [{ q: '{{ qty }}' }], fixed: 1 };
    const variables = { order: { id: 7 }, name: 'Ada', qty: null };
    expect(outputOf({ type: 'tool', tool: 'ship', args, output_var: 'shipment' }, variables).actions).toEqual(
      [
        {
          type: 'tool',
          nodeId: 'n',
          tool: 'ship',
          args: { id: 7, note: 'for Ada', nested: [{ q: '' }], fixed: 1 },
          outputVar: 'shipment',
        },
      ],
    );
  });

  test.each([
    [{ message: 'M {{ n }}', text: 'T' }, ['M 1']],
    [{ text: 'T {{ n }}' }, ['T 1']],
    [{ message: '', text: 'T' }, ['T']],
    [{}, []],
  ])('end and handoff say %j', (members, said) => {
    for (const type of ['end', 'handoff'])
      expect(texts(outputOf({ type, ...members }, { n: 1 }))).toEqual(said);
  });

  test('handoff: target as written, reason interpolated, over', () => {
    const result = outputOf({ type: 'handoff', target: 'billing', reason: '{{ why }}!' }, { why: 'angry' });
    expect(result).toMatchObject({ status: 'handed_off', nextNode: null });
    expect(result.actions).toEqual([{ type: 'handoff', nodeId: 'n', target: 'billing', reason: 'angry!' }]);
  });

  test('end: completes, whatever edges leave it', () => {
    const flow = flowOf([end, { id: 'm', type: 'message', text: 'never' }], [to('end', 'm')]);
    expect(playTurn(flow)).toMatchObject({ status: 'completed', nextNode: null, outputs: [] });
  });

  test('the walk never visits declarative nodes', () => {
    const flow = flowOf(
      [{ id: 'm', type: 'message' }, { id: 'w', type: 'webhook' }, end],
      [to('m', 'w'), to('m', 'end')],
    );
    expect(playTurn(flow).lastNode).toBe('end');
  });
});

describe('the bag', () => {
  const flow = flowOf(
    [{ id: 'ask', type: 'collect', prompt: 'Q', variable: 'user.name', max_attempts: 3 }, end],
    [to('ask', 'end')],
  );

  test('is never changed in place', () => {
    const variables = { user: { age: 5 }, _flow: { turn: 3, attempts: { ask: 1 } } };
    const before = structuredClone(variables);
    Object.freeze(variables);
    Object.freeze(variables.user);
    Object.freeze(variables._flow);
    const result = playTurn(flow, { currentNode: 'ask', userInput: 'Ada', variables });
    expect(variables).toEqual(before);
    expect(result.variables).toEqual({ user: { age: 5, name: 'Ada' }, _flow: { turn: 4 } });
  });

  test.each([
    [{}, 1],
    [{ _flow: { turn: 7 } }, 8],
    [{ _flow: 'x' }, 1],
    [{ _flow: { turn: 'x' } }, 1],
    [{ _flow: { turn: -5 } }, 1],
    [{ _flow: [] }, 1],
  ])('counts turns: %j', (variables, turn) =>
    expect(playTurn(flow, { variables }).variables['_flow']).toEqual({ turn }),
  );

  test('keeps unknown members of its bookkeeping', () => {
    const variables = { _flow: { turn: 1, mine: 'x' } };
    expect(playTurn(flow, { variables }).variables['_flow']).toEqual({ turn: 2, mine: 'x' });
  });

  test('may hold __proto__ as a member and returns it', () => {
    const variables = JSON.parse('{"__proto__": {"admin": true}, "a": 1}') as Record<string, unknown>;
    const after = playTurn(flow, { variables }).variables;
    expect(Object.keys(after).sort()).toEqual(['__proto__', '_flow', 'a']);
    expect(Object.getPrototypeOf(after)).toBe(Object.prototype);
  });

  test.each(['__proto__', '_flow', 'constructor', 'a..b'])(
    'a collect node cannot capture into %j',
    (variable) => {
      const hostile = flowOf([{ id: 'ask', type: 'collect', variable }, end], [to('ask', 'end')]);
      const result = playTurn(hostile, { currentNode: 'ask', userInput: 'x' });
      expect(result).toMatchObject({ status: 'completed', input: { status: 'captured' } });
      expect(result.variables).toEqual({ _flow: { turn: 1 } });
    },
  );
});

describe('bounds', () => {
  const loop = flowOf(
    [
      { id: 'a', type: 'message', text: 'x' },
      { id: 'b', type: 'branch' },
    ],
    [to('a', 'b'), to('b', 'a')],
  );
  const chain = (length: number) =>
    flowOf(
      Array.from({ length }, (_, i) => ({ id: `n${i}`, type: i === length - 1 ? 'end' : 'branch' })),
      Array.from({ length: length - 1 }, (_, i) => to(`n${i}`, `n${i + 1}`)),
    );

  test('a silent cycle is refused, with its path', () => {
    expect(play(loop, { stepsMax: 3 })).toEqual({
      kind: 'turn_did_not_settle',
      stepsMax: 3,
      path: ['a', 'b', 'a', 'b'],
    });
    expect(play(loop)).toMatchObject({ kind: 'turn_did_not_settle', stepsMax: 200 });
  });

  test('first and last visit count', () => {
    expect(playTurn(chain(200)).steps).toBe(200);
    expect(play(chain(201))).toMatchObject({ kind: 'turn_did_not_settle' });
    expect(playTurn(chain(5), { stepsMax: 5 }).steps).toBe(5);
    expect(play(chain(5), { stepsMax: 4 })).toMatchObject({ kind: 'turn_did_not_settle', stepsMax: 4 });
  });

  test('the proved bound holds where it is smaller', () => {
    expect(play(chain(5), { stepsProvedMax: 4 })).toMatchObject({ stepsMax: 4 });
    expect(playTurn(chain(5), { stepsProvedMax: 5 }).steps).toBe(5);
    expect(playTurn(chain(5), { stepsProvedMax: null }).steps).toBe(5);
    expect(play(loop, { stepsProvedMax: 1000 })).toMatchObject({ stepsMax: 200 });
  });

  test('a resumed collect node counts too', () => {
    const flow = flowOf([{ id: 'ask', type: 'collect' }, end], [to('ask', 'end')]);
    expect(playTurn(flow, { currentNode: 'ask', userInput: 'x', stepsMax: 2 }).steps).toBe(2);
    expect(play(flow, { currentNode: 'ask', userInput: 'x', stepsMax: 1 })).toMatchObject({
      path: ['ask', 'end'],
    });
    expect(play(flow, { currentNode: 'ask', userInput: 'x', stepsMax: 0 })).toMatchObject({ path: ['ask'] });
  });

  test('a ladder of 2,000 nodes and endless paths compiles and walks at once', () => {
    const nodes = Array.from({ length: 2000 }, (_, i) => ({ id: `n${i}`, type: 'branch' }));
    const edges = nodes.flatMap((_, i) => [
      to(`n${i}`, `n${(i + 1) % 2000}`, { variable: 'x', value: 1 }),
      to(`n${i}`, `n${(i + 2) % 2000}`),
    ]);
    const started = process.cpuUsage();
    expect(play(flowOf(nodes, edges))).toMatchObject({ kind: 'turn_did_not_settle' });
    expect(process.cpuUsage(started).user / 1000).toBeLessThan(1000);
  });
});

test('a step without questions is done at once', () => {
  expect(walkTurn(flowOf([end]), turnOf()).kind).toBe('done');
});
