// Choices that examples decide, and the order of examples, cast and model.
import { describe, expect, test } from '@jest/globals';
import { play, flowOf, turnOf, type Answers } from '../../test/play.ts';
import { walkTurn } from './walk.ts';

const choices = [
  {
    value: 'theft',
    synonyms: ['stolen'],
    examples: ['somebody took my bike', 'my bike is gone from the garage', 'they broke in and took it'],
  },
  {
    value: 'damage',
    examples: ['a car drove into it', 'the wheel is bent after a crash', 'it fell over and broke'],
    counter_examples: ['a car drove into my house'],
  },
  'other',
];
const flowWith = (more: object = {}, classifier?: string) =>
  flowOf(
    [
      { id: 'g', type: 'global', classifier },
      {
        id: 'ask',
        type: 'collect',
        prompt: 'What happened?',
        variable: 'what',
        cast: 'enum',
        choices,
        ...more,
      },
      { id: 'end', type: 'end' },
    ],
    [{ source: 'ask', target: 'end' }],
  );
const tell = (userInput: string, flow = flowWith(), answers: Answers = {}, extractorAvailable = false) => {
  const said = { currentNode: 'ask', userInput, trace: true, extractorAvailable };
  const result = play(flow, said, answers);
  if (result.kind !== 'turn') throw new Error(result.kind);
  const { status, decidedBy } = result.input!;
  const { examples } = result.trace![0]!.input!;
  return { value: result.variables['what'], status, decidedBy, examples };
};

test('an equal example decides, before the cast', () => {
  expect(tell('Somebody took my bike!')).toEqual({
    value: 'theft',
    status: 'captured',
    decidedBy: 'example',
    examples: { by: 'example', confidence: 1, nearest: 'somebody took my bike' },
  });
  const both = flowWith({ choices: ['a', { value: 'b', examples: ['a'] }] });
  expect(tell('a', both)).toMatchObject({ value: 'b', decidedBy: 'example' });
});

test('a value or synonym is read by the cast', () => {
  expect(tell('my bike was stolen')).toMatchObject({
    value: 'theft',
    decidedBy: 'cast',
    examples: undefined,
  });
  expect(tell('other')).toMatchObject({ value: 'other', decidedBy: 'cast' });
});

test('the embedded classifier decides what the cast does not know, and says by what', () => {
  expect(tell('somebody broke in and took my new bike')).toMatchObject({
    value: 'theft',
    decidedBy: 'embedded',
    examples: { by: 'embedded', nearest: expect.any(String), confidence: expect.any(Number) },
  });
});

test.each([
  'what is the weather like',
  "it wasn't stolen",
  'stolen or damage',
  'a car drove into my house',
  '?',
])('%j is asked again', (said) =>
  expect(tell(said)).toMatchObject({ value: undefined, status: 'no_match', decidedBy: null }),
);

test.each([{ strict: true }, { reading: 'whole' }])('with %j only an equal example decides', (more) => {
  const flow = flowWith(more);
  expect(tell('somebody broke in and took my new bike', flow).status).toBe('no_match');
  expect(tell('somebody took my bike', flow)).toMatchObject({ value: 'theft', decidedBy: 'example' });
});

test('a list with a fault has no effect', () => {
  const flow = flowWith({ choices: [{ value: 'x', examples: ['one', 5] }] });
  expect(flow.nodes.get('ask')).toMatchObject({ taught: null });
  expect(tell('one', flow).status).toBe('no_match');
});

describe('a second reader', () => {
  const said = 'somebody broke in and took my new bike';
  const proposes = (value: unknown): Answers => ({
    extract: [{ kind: 'extracted', values: { value, words: value === null ? null : 'took my new bike' } }],
  });
  const reader = { read_with: 'model' };

  test('is not asked where the examples are sure, by default', () => {
    expect(tell(said, flowWith(reader), {}, true)).toMatchObject({ value: 'theft', decidedBy: 'embedded' });
    expect(tell('it is a mystery to me', flowWith(reader), proposes(null), true).status).toBe('no_match');
  });

  test('is asked first with model_first, and the examples decide where it proposes nothing', () => {
    const flow = flowWith(reader, 'model_first');
    expect(tell(said, flow, proposes('other'), true)).toMatchObject({ value: 'other', decidedBy: 'model' });
    expect(tell(said, flow, proposes(null), true)).toMatchObject({ value: 'theft', decidedBy: 'embedded' });
    expect(tell(said, flow)).toMatchObject({ value: 'theft', decidedBy: 'embedded' });
  });

  test('is never asked with examples_only', () => {
    const flow = flowWith(reader, 'examples_only');
    expect(tell('it is a mystery to me', flow, {}, true).status).toBe('no_match');
  });
});

test('a question without examples walks as before', () => {
  const flow = flowWith({ choices: ['theft', 'damage'] });
  const step = walkTurn(flow, turnOf({ currentNode: 'ask', userInput: 'somebody took it' }));
  expect(step).toMatchObject({ kind: 'done', result: { input: { status: 'no_match' } } });
});
