// Answers to a collect node: captured, not understood, not given; attempts; extraction.
import { describe, expect, test } from '@jest/globals';
import { flowOf, playTurn, texts, turnOf } from '../../test/play.ts';
import type { Bag } from '../read/paths.ts';
import type { Step, TurnResult } from './turn.ts';
import { walkTurn } from './walk.ts';

const ask = { id: 'ask', type: 'collect', prompt: 'How many, {{ name }}?', variable: 'n', cast: 'integer' };
const ends = (...ids: string[]) => ids.map((id) => ({ id, type: 'end' }));
const from = (target: string, more: Record<string, unknown> = {}) => ({ source: 'ask', target, ...more });

const flowWith = (members: Record<string, unknown>, edges = [from('done')]) =>
  flowOf([{ ...ask, ...members }, ...ends('done', 'gaveUp', 'silent')], edges);

/** Gives answers one after the other, carrying the variables along. */
function converse(
  members: Record<string, unknown>,
  answers: (string | null)[],
  edges?: ReturnType<typeof from>[],
): TurnResult[] {
  const flow = flowWith(members, edges);
  let variables: Bag = { name: 'Ada', n: 'before' };
  return answers.map((userInput) => {
    const result = playTurn(flow, { currentNode: 'ask', userInput, variables });
    variables = result.variables;
    return result;
  });
}

test('entered: the prompt, interpolated, and the turn ends', () => {
  const result = playTurn(flowWith({}), { variables: { name: 'Ada' } });
  expect(result).toMatchObject({
    status: 'waiting',
    nextNode: 'ask',
    input: null,
    outputs: [{ type: 'prompt', nodeId: 'ask', text: 'How many, Ada?' }],
  });
});

test('captured: stores the cast value and continues by the edges', () => {
  expect(playTurn(flowWith({}), { currentNode: 'ask', userInput: 'twenty-one' })).toMatchObject({
    status: 'completed',
    outputs: [],
    variables: { n: 21 },
    input: { status: 'captured', nodeId: 'ask', variable: 'n' },
  });
});

test.each([null, undefined, '', ' \t\n'])('%j is no input: asked again, nothing captured', (userInput) => {
  const result = playTurn(flowWith({}), {
    currentNode: 'ask',
    userInput,
    variables: { name: 'Ada', n: 'before' },
  });
  expect(result).toMatchObject({
    status: 'waiting',
    nextNode: 'ask',
    input: { status: 'no_input' },
    outputs: [{ type: 'reprompt', text: 'How many, Ada?' }],
    variables: { n: 'before', _flow: { attempts: { ask: 1 } } },
  });
});

test('not understood: says the reprompt if there is one', () => {
  const result = playTurn(flowWith({ reprompt: 'A number, {{ name }}.' }), {
    currentNode: 'ask',
    userInput: 'lots',
    variables: { name: 'Ada' },
  });
  expect(result).toMatchObject({ status: 'waiting', input: { status: 'no_match' } });
  expect(result.outputs).toEqual([{ type: 'reprompt', nodeId: 'ask', text: 'A number, Ada.' }]);
  expect(result.variables).not.toHaveProperty('n');
});

test('allows a node without any text', () => {
  const result = playTurn(flowWith({ prompt: undefined }), { currentNode: 'ask', userInput: 'lots' });
  expect(result).toMatchObject({ status: 'waiting', outputs: [] });
});

describe('allow_empty', () => {
  test('a blank utterance is an answer', () =>
    expect(
      playTurn(flowWith({ allow_empty: true, cast: 'string' }), { currentNode: 'ask', userInput: ' ' }),
    ).toMatchObject({
      variables: { n: ' ' },
      input: { status: 'captured' },
    }));
  test('but the cast may still refuse it', () =>
    expect(
      playTurn(flowWith({ allow_empty: true }), { currentNode: 'ask', userInput: '' }).input?.status,
    ).toBe('no_match'));
  test('a missing utterance is still no input', () =>
    expect(
      playTurn(flowWith({ allow_empty: true }), { currentNode: 'ask', userInput: null }).input?.status,
    ).toBe('no_input'));
});

describe('attempts', () => {
  test('count in the variables until an answer is captured', () => {
    const results = converse({}, ['x', null, 'y', '5']);
    expect(results.map((result) => result.variables['_flow'])).toEqual([
      { turn: 1, attempts: { ask: 1 } },
      { turn: 2, attempts: { ask: 2 } },
      { turn: 3, attempts: { ask: 3 } },
      { turn: 4 },
    ]);
    expect(results.at(-1)).toMatchObject({ status: 'completed', variables: { n: 5 } });
  });

  const edges = [
    from('silent', { variable: '_input_status', value: 'no_input' }),
    from('gaveUp', { variable: '_attempts', op: 'gte', value: 1 }),
    from('done'),
  ];

  test.each([
    [1, ['x'], ['gaveUp']],
    [2, ['x', 'y'], ['ask', 'gaveUp']],
    [3, ['x', null, 'y'], ['ask', 'ask', 'gaveUp']],
    [2, ['x', null], ['ask', 'silent']],
    [2, ['x', '5'], ['ask', 'gaveUp']],
    [2, ['5'], ['done']],
    [1, [null], ['silent']],
  ])('max_attempts %d with %j stops at %j', (max_attempts, answers, places) => {
    const results = converse({ max_attempts }, answers, edges);
    expect(results.map((result) => result.lastNode)).toEqual(places);
    const last = results.at(-1);
    expect(last?.variables['_flow']).toEqual({ turn: answers.length });
    if (last?.input?.status !== 'captured') expect(last?.variables['n']).toBe('before');
  });

  test('the last failure does not ask again', () =>
    expect(converse({ max_attempts: 1, reprompt: 'again' }, ['x'])[0]?.outputs).toEqual([]));

  test.each([0, -1, 1.5, null])('max_attempts %j asks for ever', (max_attempts) => {
    const results = converse(
      { max_attempts },
      Array.from({ length: 12 }, () => 'x'),
    );
    expect(results.every((result) => result.status === 'waiting')).toBe(true);
  });

  test('giving up without a matching edge is no_route', () => {
    const [result] = converse(
      { max_attempts: 1 },
      ['x'],
      [from('done', { variable: '_input_status', value: 'captured' })],
    );
    expect(result).toMatchObject({ status: 'no_route', nextNode: 'ask' });
  });

  test("are each node's own, also for ids with dots", () => {
    const flow = flowOf(
      [{ ...ask, id: 'a.b' }, { ...ask, id: 'a' }, ...ends('done')],
      [
        { source: 'a.b', target: 'a' },
        { source: 'a', target: 'done' },
      ],
    );
    const first = playTurn(flow, { currentNode: 'a.b', userInput: 'x' });
    const second = playTurn(flow, { currentNode: 'a', userInput: 'x', variables: first.variables });
    expect(second.variables['_flow']).toEqual({ turn: 2, attempts: { 'a.b': 1, a: 1 } });
    const third = playTurn(flow, { currentNode: 'a.b', userInput: '5', variables: second.variables });
    expect(third.variables['_flow']).toEqual({ turn: 3 });
  });

  test('start at zero when the walk returns to the question', () => {
    const variables = { _flow: { turn: 4, attempts: { ask: 2, other: 1 } } };
    expect(playTurn(flowWith({}), { variables }).variables['_flow']).toEqual({
      turn: 5,
      attempts: { other: 1 },
    });
  });

  test.each(['many', -3, NaN, {}, null])('a count of %j counts as none', (count) => {
    const variables = { _flow: { attempts: { ask: count } } };
    const result = playTurn(flowWith({ max_attempts: 2 }), { currentNode: 'ask', userInput: 'x', variables });
    expect(result).toMatchObject({ status: 'waiting', variables: { _flow: { attempts: { ask: 1 } } } });
  });

  test('can be read by the nodes after the question', () => {
    const flow = flowOf(
      [ask, { id: 'm', type: 'message', text: '{{ _input_status }} after {{ _attempts }}' }, ...ends('done')],
      [from('m'), { source: 'm', target: 'done' }],
    );
    const failed = playTurn(flow, { currentNode: 'ask', userInput: 'x' });
    expect(
      texts(playTurn(flow, { currentNode: 'ask', userInput: '5', variables: failed.variables })),
    ).toEqual(['captured after 1']);
    expect(texts(playTurn(flow, { currentNode: 'm' }))).toEqual([' after ']);
  });
});

describe('extraction', () => {
  const extraction = {
    variables: [
      { name: 'city', type: 'string' },
      { name: 'nights', type: 'integer' },
    ],
  };
  const trip = flowOf(
    [{ ...ask, cast: 'string', extraction }, ...ends('paris', 'done')],
    [from('paris', { variable: 'city', value: 'Paris' }), from('done')],
  );
  const input = {
    currentNode: 'ask',
    userInput: 'two nights in Paris',
    extractorAvailable: true,
    variables: { name: 'Ada' },
  };

  test('sends the answer, the question and the schema', () => {
    const step = walkTurn(trip, turnOf(input));
    expect(step.kind === 'extract' && step.question).toEqual({
      nodeId: 'ask',
      utterance: 'two nights in Paris',
      prompt: 'How many, Ada?',
      schema: expect.objectContaining({ type: 'object', properties: expect.anything() }),
    });
  });

  test('merges values before the edges are tried', () => {
    const answers = { extract: [{ kind: 'extracted' as const, values: { city: 'Paris', nights: 2 } }] };
    expect(playTurn(trip, input, answers)).toMatchObject({
      lastNode: 'paris',
      variables: { n: 'two nights in Paris', city: 'Paris', nights: 2 },
      questions: [{ kind: 'extract', nodeId: 'ask', outcome: 'extracted' }],
    });
  });

  test('omits values of the wrong type', () => {
    const answers = { extract: [{ kind: 'extracted' as const, values: { city: 5, nights: '2', more: 1 } }] };
    const { variables } = playTurn(trip, input, answers);
    expect(Object.keys(variables).sort()).toEqual(['_flow', 'n', 'name']);
  });

  test('merges nothing after a failure, and the walk continues', () => {
    const answers = { extract: [{ kind: 'unavailable' as const, reason: 'timeout' }] };
    expect(playTurn(trip, input, answers)).toMatchObject({
      lastNode: 'done',
      variables: { n: 'two nights in Paris' },
      questions: [{ kind: 'extract', outcome: 'unavailable' }],
    });
  });

  test('does not run without an extractor, nor after a failed answer', () => {
    expect(playTurn(trip, { ...input, extractorAvailable: false }).questions).toEqual([]);
    expect(playTurn(trip, { ...input, userInput: null })).toMatchObject({ status: 'waiting', questions: [] });
  });

  test('every answer starts from the same place', () => {
    const asked = walkTurn(trip, turnOf({ ...input, trace: true })) as Extract<Step, { kind: 'extract' }>;
    const once = asked.resume({ kind: 'unavailable', reason: 'timeout' });
    asked.resume({ kind: 'extracted', values: { city: 'Paris' } });
    expect(asked.resume({ kind: 'unavailable', reason: 'timeout' })).toEqual(once);
  });
});
