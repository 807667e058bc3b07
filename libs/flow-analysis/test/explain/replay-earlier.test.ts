// Replay of turns that another version of the embedded classifier decided: from what was recorded.
import { describe, expect, test } from '@jest/globals';
import { classifierVersion, type TurnInput } from '@parley/flow-engine';
import { startReplay } from '../../src/explain/replay.ts';
import type { RecordedTurn } from '../../src/explain/recorded-turn.ts';
import { flowFrom, recordPlayed, versionOf } from '../recording.ts';

const EARLIER = classifierVersion + 1;
const BILL = 0;
const LEAK = 1;
const OTHER = 2;

const desk = (leaks = ['the tap leaks', 'the tap leaks again'], classifier = 'examples_first') => ({
  nodes: [
    { id: 'g', type: 'global', classifier },
    { id: 'ask', type: 'collect', prompt: 'How can I help?', variable: 'wish' },
    ...['bill', 'leak', 'other'].map((id) => ({ id, type: 'end', message: id })),
  ],
  edges: [
    {
      source: 'ask',
      target: 'bill',
      nl: 'asks about a bill',
      examples: ['my bill is wrong', 'a wrong bill'],
    },
    { source: 'ask', target: 'leak', nl: 'reports a leak', examples: leaks },
    { source: 'ask', target: 'other' },
  ],
});

/** A turn of another version, which decided otherwise than the current one would. */
function record(definition: object, turn: Partial<TurnInput>, model: unknown = { kind: 'none' }) {
  const played = recordPlayed(
    flowFrom(definition),
    { currentNode: 'ask', variables: { _flow: { turn: 1 } }, ...turn },
    () => model,
  );
  return played!.recorded;
}
const decided = (edge: number | null) => ({
  version: EARLIER,
  branches: new Map([['ask', edge]]),
  choices: new Map(),
});
const replay = (definition: object, turn: RecordedTurn, from: object | null = definition) => {
  const model = from && flowFrom(from).model;
  return startReplay(flowFrom(definition), { mode: 'pinned', of: versionOf, recordedOn: () => model })(turn);
};
const takenIn = ({ path }: RecordedTurn) => path[0]![1];

describe('a branch', () => {
  const userInput = 'the tap in the kitchen leaks';

  test('goes where the recorded turn went, to the byte', () => {
    const now = record(desk(), { userInput });
    expect(takenIn(now)).toBe(LEAK);
    const turn = record(desk(), { userInput, earlier: decided(BILL) });
    expect(turn.input).toMatchObject({ classifier: EARLIER });
    expect(takenIn(turn)).toBe(BILL);
    const replayed = replay(desk(), turn);
    expect(replayed).toMatchObject({ same: true, exact: true });
    expect(JSON.stringify(replayed.after)).toBe(JSON.stringify(turn));
  });

  test('that asked a model asks it again, and the default edge stays', () => {
    const chosen = { kind: 'chosen', index: BILL, confidence: 0.9 };
    const asked = record(desk(), { userInput, earlier: decided(null) }, chosen);
    expect(replay(desk(), asked)).toMatchObject({ same: true, after: asked });
    const alone = desk(undefined, 'examples_only');
    const left = record(alone, { userInput, earlier: decided(null) });
    expect(takenIn(left)).toBe(OTHER);
    expect(replay(alone, left)).toMatchObject({ same: true, after: left });
    const last = desk(undefined, 'model_first');
    const byExamples = record(last, { userInput, earlier: decided(BILL) });
    expect(byExamples.answers).toHaveLength(1);
    expect(replay(last, byExamples)).toMatchObject({ same: true, after: byExamples });
  });

  test('with other examples is decided by the current version', () => {
    const turn = record(desk(), { userInput, earlier: decided(BILL) });
    const changed = desk(['the tap leaks', 'the tap in the garden leaks']);
    const replayed = replay(changed, turn, desk());
    expect(replayed.same).toBe(false);
    expect(takenIn(replayed.after!)).toBe(LEAK);
  });

  test('of an unknown definition is not replayed', () => {
    const turn = record(desk(), { userInput, earlier: decided(BILL) });
    expect(replay(desk(), turn, null)).toMatchObject({ same: null, stopped: 'not_recorded' });
  });
});

test('a choice is the recorded one', () => {
  const examples = ['somebody took my bike', 'my bike is gone'];
  const choices = [{ value: 'theft', examples }, 'damage'];
  const claim = {
    nodes: [
      { id: 'ask', type: 'collect', prompt: 'What happened?', variable: 'what', cast: 'enum', choices },
      { id: 'end', type: 'end', message: '{{ what }}' },
    ],
    edges: [{ source: 'ask', target: 'end' }],
  };
  const userInput = 'somebody took my new bike';
  const choosing = (value: unknown) => ({
    version: EARLIER,
    branches: new Map(),
    choices: new Map([['ask', value]]),
  });
  expect(record(claim, { userInput })).toMatchObject({
    variables_set: { what: 'theft' },
    input: { classifier: classifierVersion },
  });
  for (const value of ['damage', undefined]) {
    const turn = record(claim, { userInput, earlier: choosing(value) });
    expect(turn.next_node === null).toBe(value !== undefined);
    expect(JSON.stringify(replay(claim, turn).after)).toBe(JSON.stringify(turn));
  }
});
