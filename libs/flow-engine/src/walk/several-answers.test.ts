// One utterance that answers several questions, and questions that are skipped
// (docs/flow-language.md#several-answers-at-once).
import { describe, expect, test } from '@jest/globals';
import { flowOf, playTurn, texts } from '../../test/play.ts';
import { limits } from '../define/limits.ts';
import { turnResultToWire } from './wire.ts';
import type { Bag } from '../read/paths.ts';

const day = { id: 'ask_day', type: 'collect', variable: 'day', cast: 'date', prompt: 'Which day?' };
const time = { id: 'ask_time', type: 'collect', variable: 'time', cast: 'time', prompt: 'What time?' };
const party = {
  id: 'ask_party',
  type: 'collect',
  variable: 'party',
  cast: 'integer',
  prompt: 'How many?',
  unit: ['people'],
  min: 1,
  max: 8,
};
const to = (source: string, target: string, more: Bag = {}) => ({ source, target, ...more });

/** Asks for a day, a time and a number of people, and reads the booking back. */
const booking = (skips: boolean, more: Bag = {}, first: Bag = {}) =>
  flowOf(
    [
      { id: 'welcome', type: 'collect', variable: 'request', prompt: 'How can I help?', ...first },
      ...[day, time, party].map((node) => ({ ...node, skip_if_set: skips })),
      {
        id: 'confirm',
        type: 'collect',
        variable: 'right',
        cast: 'boolean',
        ...more,
        prompt: '{{ party }} on {{ day }} at {{ time }}?',
      },
      { id: 'end', type: 'end', text: 'Booked' },
      { id: 'again', type: 'message', text: 'Corrected: {{ _filled | join }}' },
    ],
    [
      to('welcome', 'ask_day'),
      to('ask_day', 'ask_time'),
      to('ask_time', 'ask_party'),
      to('ask_party', 'confirm'),
      to('confirm', 'end', { variable: 'right', op: 'is_true' }),
      to('confirm', 'again', { variable: '_filled', op: 'contains', value: 'day' }),
      to('confirm', 'ask_day'),
      to('again', 'confirm'),
    ],
  );

const everything = { also: ['day', 'time', 'party'] };
const said = 'a table for four people on Saturday at 7 pm';
const filled = { day: '2026-11-21', time: '19:00', party: 4 };

test('an open question fills the variables of others, which are then skipped', () => {
  const flow = booking(true, {}, everything);
  const result = playTurn(flow, { currentNode: 'welcome', userInput: said, trace: true });
  expect(result).toMatchObject({
    status: 'waiting',
    nextNode: 'confirm',
    visited: ['welcome', 'ask_day', 'ask_time', 'ask_party', 'confirm'],
    variables: { request: said, ...filled },
    input: { status: 'captured', filled: ['day', 'time', 'party'] },
  });
  expect(texts(result)).toEqual(['4 on 2026-11-21 at 19:00?']);
  const [welcome, asked] = result.trace!;
  expect(welcome!.input!.filled).toEqual([
    { variable: 'day', node_id: 'ask_day', words: ['Saturday'] },
    { variable: 'time', node_id: 'ask_time', words: ['at 7 pm'] },
    { variable: 'party', node_id: 'ask_party', words: ['four people'] },
  ]);
  expect(asked).toMatchObject({ nodeId: 'ask_day', input: { status: 'captured', skipped: true } });
  expect(turnResultToWire(result).input).toMatchObject({ filled: ['day', 'time', 'party'] });
});

test('asks every question without skip_if_set', () => {
  const result = playTurn(booking(false, {}, everything), { currentNode: 'welcome', userInput: said });
  expect(result).toMatchObject({ nextNode: 'ask_day', variables: filled });
});

test('without `also` nothing else is filled', () => {
  const { variables, input } = playTurn(booking(true), { currentNode: 'welcome', userInput: said });
  expect(variables).not.toHaveProperty('day');
  expect(input).toMatchObject({ status: 'captured', filled: [] });
});

test('uses the bounds of the node that captures the variable', () => {
  const flow = booking(true, {}, everything);
  const result = playTurn(flow, { currentNode: 'welcome', userInput: said.replace('four', 'twelve') });
  expect(result).toMatchObject({ nextNode: 'ask_party', input: { filled: ['day', 'time'] } });
});

describe('a confirmation', () => {
  const flow = booking(true, everything);
  const answer = (userInput: string, variables: Bag = filled) =>
    playTurn(flow, { currentNode: 'confirm', userInput, variables, trace: true });

  test('"no, Sunday" corrects the day, and edges can tell', () => {
    const result = answer('No, Sunday');
    expect(result.trace![0]!.input!.filled).toEqual([
      { variable: 'day', node_id: 'ask_day', words: ['Sunday'] },
    ]);
    expect(result).toMatchObject({
      nextNode: 'confirm',
      variables: { right: false, day: '2026-11-22', time: '19:00' },
    });
    expect(texts(result)).toEqual(['Corrected: day', '4 on 2026-11-22 at 19:00?']);
  });

  test('"no, the day is wrong" corrects nothing', () => {
    expect(answer('No, the day is wrong')).toMatchObject({ variables: { right: false, ...filled } });
  });

  test('"yes, but at nine" is no yes: the time is filled, and it asks again', () => {
    const result = answer('yes, but at 9 pm');
    expect(result).toMatchObject({
      status: 'waiting',
      nextNode: 'confirm',
      variables: { time: '21:00', _flow: { filled_others: { node_id: 'confirm', answers: 1 } } },
      input: { status: 'filled_others', filled: ['time'] },
      outputs: [{ type: 'reprompt', text: '4 on 2026-11-21 at 21:00?' }],
    });
    expect(result.variables).not.toHaveProperty('right');
  });
});

describe('an answer that fills only others', () => {
  const flow = booking(true, {
    ...everything,
    max_attempts: 2,
    reprompt: 'Yes or no?',
    reprompts: { filled_others: '{{ day }}, right?' },
  });
  const answers = (userInput: string, times: number) => {
    let variables: Bag = filled;
    return Array.from({ length: times }, () => {
      const result = playTurn(flow, { currentNode: 'confirm', userInput, variables });
      variables = result.variables;
      return result;
    });
  };

  test('uses up no attempt, a few times in a row; then it fails like any other', () => {
    const results = answers('on Sunday', limits.filledOthersMax + 2);
    expect(results.map(({ input }) => input!.status)).toEqual([
      ...Array<string>(limits.filledOthersMax).fill('filled_others'),
      ...['no_match', 'filled_others'],
    ]);
    expect(results.map((result) => texts(result)[0])).toEqual([
      ...Array<string>(limits.filledOthersMax).fill('2026-11-22, right?'),
      ...['Yes or no?', '2026-11-22, right?'],
    ]);
    expect(results.at(-1)!.variables).toMatchObject({ _flow: { attempts: { confirm: 1 } } });
  });

  test('they cannot stall a conversation', () => {
    const most = (limits.filledOthersMax + 1) * 2;
    const results = answers('on Sunday', most);
    expect(results.findIndex(({ visited }) => visited.length > 1)).toBe(most - 1);
  });
});

describe('skip_if_set', () => {
  const asked = (members: Bag, variables: Bag, more: Bag = {}) =>
    playTurn(
      flowOf(
        [
          { id: 'q', type: 'collect', variable: 'v', prompt: 'Q?', skip_if_set: true, ...members },
          { id: 'end', type: 'end', text: '{{ _input_status }} {{ _attempts }}' },
          { id: 'global', type: 'global', ...more },
        ],
        [to('q', 'end')],
        { start: 'q' },
      ),
      { variables },
    );

  test.each<[string, Bag, unknown]>([
    ['a text', {}, 'Ada'],
    ['a day', { cast: 'date' }, '2026-12-24'],
    ['a time', { cast: 'time' }, '19:00'],
    ['a moment', { cast: 'datetime' }, '2026-12-24T19:00:00+00:00'],
    ['a number', { cast: 'integer', max: 8 }, 8],
    ['no', { cast: 'boolean' }, false],
    ['a choice', { cast: 'enum', choices: [{ value: 'in', synonyms: ['inside'] }] }, 'in'],
    ['an address', { cast: 'email' }, 'ada@example.com'],
    ['a number to call', { cast: 'phone' }, '+4930901820'],
    ['a list', { cast: 'list' }, ['a']],
    ['a document', { cast: 'json' }, 0],
  ])('%s that the question would capture is not asked for', (_, members, v) => {
    expect(asked(members, { v })).toMatchObject({ status: 'completed', outputs: [{ text: 'captured 0' }] });
  });

  test.each<[string, Bag, unknown]>([
    ['nothing', {}, undefined],
    ['a blank', {}, ' '],
    ['words that are no day', { cast: 'date' }, 'soon'],
    ['a day in words', { cast: 'date' }, 'tomorrow'],
    ['a day before the first', { cast: 'date', min: 'today' }, '2020-01-01'],
    ['a number above the greatest', { cast: 'integer', max: 8 }, 9],
    ['a fraction', { cast: 'integer' }, 1.5],
    ['digits as a text', { cast: 'integer' }, '4'],
    ['a synonym', { cast: 'enum', choices: [{ value: 'in', synonyms: ['inside'] }] }, 'inside'],
    ['a text that the pattern refuses', { pattern: '^x$' }, 'y'],
    ['a value of no cast', { cast: 'colour' }, 'red'],
  ])('%s is asked for', (_, members, v) => {
    expect(asked(members, { v })).toMatchObject({ status: 'waiting', nextNode: 'q' });
  });

  test('can be set for all questions, and for one node', () => {
    const all = { skip_if_set: true };
    const v = 'Ada';
    expect(asked({ skip_if_set: null }, { v }, all).status).toBe('completed');
    expect(asked({ skip_if_set: false }, { v }, all).status).toBe('waiting');
    expect(asked({ skip_if_set: null }, { v }).status).toBe('waiting');
  });
});
