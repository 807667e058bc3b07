import { describe, expect, test } from '@jest/globals';
import { flowOf, modelOf, playTurn, turnOf } from '@parley/flow-engine/testing';
import type { FlowModel } from '@parley/flow-engine/define/model';
import { runPieces } from '@parley/flow-engine/define/pieces';
import { recordedTurn, recordTurn } from './recorded-turn.ts';
import type { RecordedAnswer } from './recorded-answer.ts';
import { findRedactionInPieces, makeRedactor } from './redaction.ts';

const redactionOf = (flow: FlowModel) => runPieces(findRedactionInPieces(flow));

const nodes = (redact: unknown) => [
  { id: 'g', type: 'global', prompt: 'Be kind.', redact },
  { id: 'ask', type: 'collect', prompt: 'Your card?', variable: 'card.number', cast: 'integer' },
  {
    id: 'say',
    type: 'message',
    text: 'Thanks: {{ card.number | spell }}.',
    set: [{ variable: 'copy', to: 'c{{ card.number }}' }],
  },
  {
    id: 'more',
    type: 'message',
    text: 'Still {{ copy | upper }}.',
    set: [{ variable: 'third', to: '{{ copy }}' }],
  },
  { id: 'pay', type: 'tool', tool: 'charge', args: { card: '{{ third }}', amount: 7 } },
  { id: 'plain', type: 'message', text: 'You said {{ user_input }}.' },
  { id: 'last', type: 'collect', prompt: 'Anything else?', variable: 'else' },
];
const edges = ['ask', 'say', 'more', 'pay', 'plain'].map((source, at) => ({
  source,
  target: ['say', 'more', 'pay', 'plain', 'last'][at],
}));
const flow = flowOf(nodes(['card.number']), edges, { start: 'ask' });
const hash = (text: string) => `h${text.length}`;
const canary = '4242424242424242';

function told(input: Parameters<typeof turnOf>[0], answers: RecordedAnswer[] = [], of = flow) {
  const turn = turnOf(input);
  const result = playTurn(of, turn);
  const redactor = makeRedactor(redactionOf(of.model)!, turn, result, hash);
  const recorded = recordTurn({ flowId: 'f', version: 1 }, of.model, turn, answers, result);
  return { redactor, result, recorded, shown: redactor.turn(recorded) };
}

describe('which variables are secret', () => {
  test('the variable, variables derived from it, the nodes that use it, and the question that asks for it', () => {
    const { names, paths, nodes: saying, asks } = redactionOf(flow.model)!;
    expect(names).toEqual(['card.number']);
    expect([...paths].sort()).toEqual(['card.number', 'copy', 'third']);
    expect([...saying].sort()).toEqual(['more', 'pay', 'say']);
    expect([...asks]).toEqual(['ask']);
  });

  test.each([[undefined], [null], [[]], [[7]], [7]])('%j redacts nothing', (redact) =>
    expect(redactionOf(modelOf(nodes(redact), edges))).toBeNull(),
  );

  test('accepts one name instead of a list', () =>
    expect(redactionOf(modelOf(nodes('card.number'), edges))!.names).toEqual(['card.number']));
});

test('a turn that captures it shows it nowhere, and is still a valid recorded turn', () => {
  const { recorded, shown, redactor, result } = told({
    currentNode: 'ask',
    userInput: ` ${canary} `,
    variables: { other: 'kept' },
  });
  expect(JSON.stringify(recorded)).toContain(canary);
  const text = JSON.stringify([
    shown,
    redactor.utterance(` ${canary} `),
    redactor.bag(result.variables),
    result.outputs.map((output) => redactor.redactText(output.text, output.nodeId)),
  ]);
  expect(text).not.toContain('4242');
  expect(text).not.toContain('4 2 4 2');
  expect(shown).toMatchObject({
    variables_in: { other: 'kept' },
    variables_set: { card: { number: '[redacted h16]' } },
    input: { user_input: '[redacted h16]' },
    redacted: ['card.number'],
    path: recorded.path,
  });
  expect(recordedTurn.parse(shown)).toEqual(shown);
});

test('an utterance that was not understood is hidden too', () => {
  const [global, ask, ...others] = nodes(['card.number']);
  const numeric = flowOf([global, { ...ask, cast: 'integer' }, ...others], edges, { start: 'ask' });
  const { shown, redactor } = told({ currentNode: 'ask', userInput: 'none of your business' }, [], numeric);
  expect(shown.status).toBe('waiting');
  expect(JSON.stringify(shown)).not.toContain('business');
  expect(redactor.utterance('none of your business')).toMatch(/^\[redacted/);
});

test('in a later turn it is hidden in variables and in every text', () => {
  const { shown } = told({
    currentNode: 'plain',
    userInput: `did I say ${canary}?`,
    variables: { card: { number: canary }, list: [{ note: `x${canary}` }], count: 7, yes: true },
  });
  expect(JSON.stringify(shown)).not.toContain(canary);
  expect(shown.variables_in).toMatchObject({ list: [{ note: 'x[redacted h16]' }], count: 7, yes: true });
  expect(shown.messages![0]!.text).toBe('You said did I say [redacted h16]?.');
});

test('a short value is replaced as a word, not within words', () => {
  const { shown } = told({
    currentNode: 'plain',
    userInput: 'a 12 of 1234',
    variables: { card: { number: '12' } },
  });
  expect(shown.input!.user_input).toBe('a [redacted h2] of 1234');
});

test('a turn with too many values hides all texts', () => {
  const many = Array.from({ length: 101 }, (_, at) => `value-${at}`);
  const { shown } = told({
    currentNode: 'plain',
    userInput: 'harmless',
    variables: { card: { number: many } },
  });
  expect(JSON.stringify(shown)).not.toMatch(/harmless|value-/);
});

test('hides answers of models', () => {
  const outcome = {
    status: 'goal_reached' as const,
    answer: `card ${canary}`,
    iterations: 1,
    tool_calls: [{ tool: 'look', args: { card: canary }, ok: true, result: canary, ms: 1 }],
  };
  const answers: RecordedAnswer[] = [
    { kind: 'extract', node_id: 'ask', answer: { kind: 'extracted', values: { copy: 'new', a: 1 } }, ms: 3 },
    { kind: 'run_agent', node_id: 'elsewhere', answer: outcome, ms: 3 },
    { kind: 'run_agent', node_id: 'pay', answer: { ...outcome, answer: 'derived' }, ms: 3 },
  ];
  const { shown } = told(
    { currentNode: 'plain', userInput: 'x', variables: { card: { number: canary } } },
    answers,
  );
  expect(JSON.stringify(shown)).not.toMatch(new RegExp(`${canary}|derived|"new"`));
  expect(recordedTurn.parse(shown)).toEqual(shown);
});

test('hides the words of a command that answers the question', () => {
  const calling = (answers_question: boolean) =>
    flowOf(
      [...nodes(['card.number']), { id: 'fix', type: 'trigger', on: 'any_turn', answers_question }],
      [...edges, { source: 'fix', target: 'ask', variable: 'user_input', op: 'contains', value: 'said' }],
      { start: 'ask' },
    );
  for (const userInput of [`I said ${canary}`, 'I said four two four two'])
    expect(told({ currentNode: 'last', userInput }, [], calling(true)).shown.input!.user_input).toBe(
      `[redacted h${userInput.length}]`,
    );
  const { shown } = told({ currentNode: 'last', userInput: 'I said no' }, [], calling(false));
  expect(shown.input!.user_input).toBe('I said no');
});

test('derived variables are secret, however long the chain, and so are their parents and members', () => {
  const LENGTH = 5_000;
  const set = (variable: string, from: string) => ({ variable, to: `{{ ${from} }}` });
  // Backwards: each depends on the one after it.
  const chain = Array.from({ length: LENGTH }, (_, place) => ({
    id: `n${place}`,
    type: 'message',
    text: 'x',
    set: [set(`v${LENGTH - place}`, `v${LENGTH - place - 1}`)],
  }));
  const other = {
    id: 'other',
    type: 'message',
    text: 'x',
    set: [set('part', 'box.v0.number'), set('holder', 'box'), set('plain', 'boxes')],
  };
  const started = process.cpuUsage();
  const { paths } = redactionOf(
    modelOf([{ id: 'g', type: 'global', redact: ['v0', 'box.v0'] }, ...chain, other], []),
  )!;
  expect(process.cpuUsage(started).user / 1000).toBeLessThan(2_000);
  expect(paths.size).toBe(2 + LENGTH + 2);
  expect([paths.has(`v${LENGTH}`), paths.has('part'), paths.has('holder')]).toEqual([true, true, true]);
});
