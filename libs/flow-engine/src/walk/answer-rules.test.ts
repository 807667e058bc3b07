// Members of a collect node that say how to read its answer and what it must be
// (docs/flow-language.md#answers).
import { describe, expect, test } from '@jest/globals';
import { flowOf, playTurn, texts } from '../../test/play.ts';
import { turnResultToWire } from './wire.ts';

const nowMs = Date.parse('2026-08-24T12:00:00Z');

const nodes = (members: object) => [
  { id: 'ask', type: 'collect', prompt: '?', variable: 'v', ...members },
  { id: 'done', type: 'end', text: '{{ _input_status }}' },
];
const edges = [{ source: 'ask', target: 'done' }];

function answer(members: object, userInput: string | null, variables: object = {}, more: object = {}) {
  const flow = flowOf(nodes(members), edges, more as Record<string, unknown>);
  return playTurn(flow, { currentNode: 'ask', userInput, nowMs, variables: { ...variables } });
}

/** The captured value, or the status when nothing was captured. */
function outcome(
  members: object,
  userInput: string | null,
  variables: object = {},
  more: object = {},
): unknown {
  const result = answer(members, userInput, variables, more);
  return result.input?.status === 'captured' ? result.variables['v'] : result.input?.status;
}

test.each<[object, string, unknown]>([
  [{ cast: 'number' }, "I'm 77", 77],
  [{ cast: 'number', strict: true }, "I'm 77", 'no_match'],
  [{ cast: 'number', strict: true }, 'seventy-seven.', 77],
  [{ cast: 'boolean', strict: true }, 'yes', true],
  [{ cast: 'boolean', strict: true }, 'Yes, please!', true],
  [{ cast: 'boolean', strict: true }, 'yes it is fine for me', 'no_match'],
  [{ cast: 'date', strict: true }, 'on Friday', '2026-08-28'],
  [{ cast: 'date', strict: true }, "I'd like Friday", 'no_match'],
  [{ cast: 'time', strict: true }, 'eight', 'no_match'],
  [{ cast: 'time', strict: true }, '8 pm', '20:00'],
  [{ cast: 'enum', choices: ['red'], strict: true }, 'the red one', 'no_match'],
  [{ cast: 'enum', choices: ['red'], strict: true }, 'Red.', 'red'],
  [{ cast: 'email', strict: true }, 'it is a@example.com', 'no_match'],
  [{ cast: 'url', strict: true }, 'it is example.com', 'no_match'],
  [{ cast: 'phone', default_region: 'US', strict: true }, 'call 213 373 4253', 'no_match'],
  [{ cast: 'phone', default_region: 'US', strict: true }, '213 373 4253', '+12133734253'],
])('strict %j %j', (members, said, value) => expect(outcome(members, said)).toBe(value));

test('a strict node reports an answer with two readings', () => {
  const wire = (members: object, said: string) => turnResultToWire(answer(members, said)).input;
  expect(wire({ cast: 'time', strict: true }, 'eight')).toEqual({
    status: 'no_match',
    node_id: 'ask',
    variable: 'v',
    ambiguous: true,
  });
  expect(wire({ cast: 'time', strict: true }, 'banana')).not.toHaveProperty('ambiguous');
  expect(wire({ cast: 'date' }, 'Monday or Friday')).not.toHaveProperty('ambiguous');
});

test.each<[object, string, unknown]>([
  [{ cast: 'date' }, 'Friday', '2026-08-28'],
  [{ cast: 'date', prefer: 'past' }, 'Friday', '2026-08-21'],
  [{ cast: 'date', prefer: 'nearest' }, 'Friday', '2026-08-21'],
  [{ cast: 'date', prefer: 'nearest' }, 'Wednesday', '2026-08-26'],
  [{ cast: 'date', prefer: 'past' }, '5 May', '2026-05-05'],
  [{ cast: 'date', prefer: 'future' }, '5 May', '2027-05-05'],
  [{ cast: 'date', prefer: 'past' }, 'the 30th', '2026-07-30'],
  [{ cast: 'date', prefer: 'past' }, 'today', '2026-08-24'],
  [{ cast: 'time', prefer: 'past' }, 'eight', '08:00'],
  [{ cast: 'time', prefer: 'nearest' }, 'at ten', '10:00'],
  [{ cast: 'datetime', prefer: 'past' }, '5pm', '2026-08-23T17:00:00Z'],
  [{ cast: 'datetime', prefer: 'past' }, 'at 3', '2026-08-24T03:00:00Z'],
  [{ cast: 'date', date_order: 'dmy' }, '5/6/2026', '2026-06-05'],
  [{ cast: 'date', date_order: 'mdy' }, '5/6/2026', '2026-05-06'],
  [{ cast: 'date', date_order: 'ymd' }, '26/5/6', '2026-05-06'],
  [{ cast: 'date', date_order: 'mdy' }, '25/12/2026', '2026-12-25'],
])('prefer and date_order %j %j', (members, said, value) => expect(outcome(members, said)).toBe(value));

test.each<[object, string, unknown]>([
  [{ cast: 'number', unit: 'people' }, '5 people', 5],
  [{ cast: 'number', unit: ['people', 'persons'] }, 'we are five persons', 5],
  [{ cast: 'number', unit: ['years'] }, '15 years old', 15],
  [{ cast: 'number', unit: ['%'] }, '50%', 50],
  [{ cast: 'number', unit: ['(a|b)'] }, '5 a', 'no_match'],
  [{ cast: 'number', unit: ['people'] }, '5 dogs', 'no_match'],
])('unit %j %j', (members, said, value) => expect(outcome(members, said)).toBe(value));

test.each<[object, string, unknown]>([
  [{ cast: 'integer', min: 18 }, '18', 18],
  [{ cast: 'integer', min: 18 }, '17', 'out_of_range'],
  [{ cast: 'integer', max: 18 }, '19', 'out_of_range'],
  [{ cast: 'number', min: 0, max: 1 }, '0.5', 0.5],
  [{ cast: 'date', min: 'today' }, 'yesterday', 'out_of_range'],
  [{ cast: 'date', min: 'today' }, 'today', '2026-08-24'],
  [{ cast: 'date', max: '2026-12-31' }, '1 January 2027', 'out_of_range'],
  [{ cast: 'time', min: '09:00', max: '17:30' }, '17:30', '17:30'],
  [{ cast: 'time', min: '09:00', max: '17:30' }, '17:31', 'out_of_range'],
  [{ cast: 'datetime', min: 'now' }, 'in 5 minutes', '2026-08-24T12:05:00Z'],
  [{ cast: 'datetime', min: 'now' }, '5 minutes ago', 'out_of_range'],
  [{ cast: 'datetime', max: '2026-08-25' }, 'tomorrow at noon', '2026-08-25T12:00:00Z'],
  [{ cast: 'datetime', max: '2026-08-25T11:00+02:00' }, 'tomorrow at 9:30', 'out_of_range'],
  [{ cast: 'string', min: 3 }, 'Al', 'out_of_range'],
  [{ cast: 'string', max: 2 }, '😀😀', '😀😀'],
  [{ cast: 'list', max: 2 }, 'a, b, c', 'out_of_range'],
  [{ cast: 'string', pattern: '^[a-z]{2}\\d{4}$' }, 'AB1234', 'AB1234'],
  [{ cast: 'string', pattern: '^[a-z]{2}\\d{4}$' }, 'AB12345', 'out_of_range'],
  [{ cast: 'email', pattern: '@example\\.com$' }, 'ada@example.org', 'out_of_range'],
  [{ cast: 'string', pattern: '(' }, 'x', 'out_of_range'],
  [{ cast: 'string', min: 'three' }, 'x', 'x'],
])('min, max and pattern %j %j', (members, said, value) => expect(outcome(members, said)).toBe(value));

test('today is the day of the time zone', () => {
  const members = { cast: 'date', max: 'today' };
  const late = { timezone: 'Pacific/Auckland' };
  expect(outcome(members, '25 August 2026', late)).toBe('2026-08-25');
  expect(outcome(members, '25 August 2026')).toBe('out_of_range');
});

test('reprompts: each failure has its own text', () => {
  const members = {
    cast: 'integer',
    min: 1,
    reprompt: 'again',
    reprompts: { no_match: 'a number, {{ name }}', out_of_range: 'at least one', no_input: null },
  };
  const said = (userInput: string | null) => texts(answer(members, userInput, { name: 'Ada' }));
  expect(said('x')).toEqual(['a number, Ada']);
  expect(said('0')).toEqual(['at least one']);
  expect(said(null)).toEqual(['again']);
});

describe('default_answer', () => {
  test('when attempts are used up', () => {
    const members = { cast: 'integer', max_attempts: 2, default_answer: 0 };
    const first = answer(members, 'x');
    expect(first).toMatchObject({ status: 'waiting', input: { status: 'no_match' } });
    const second = answer(members, 'y', first.variables);
    expect(second).toMatchObject({ status: 'completed', input: { status: 'captured' }, variables: { v: 0 } });
    expect(second.variables['_flow']).toEqual({ turn: 2 });
  });
  test('on silence when there is one attempt', () =>
    expect(outcome({ max_attempts: 1, default_answer: 'none' }, null)).toBe('none'));
  test('without max_attempts the node keeps asking', () =>
    expect(outcome({ cast: 'integer', default_answer: 1 }, 'x')).toBe('no_match'));
});

describe('language', () => {
  const german = { language: 'de' };
  test.each<[string, object, object, unknown]>([
    ['1.234,5', {}, german, 1234.5],
    ['1,234.5', {}, {}, 1234.5],
    ['fünf', {}, german, 5],
    ['five', {}, german, 'no_match'],
    ['five', { language: 'en' }, german, 5],
    ['fünf', { language: 'de-AT' }, {}, 5],
    ['five', { language: 'Klingon' }, {}, 5],
    ['five', { language: 42 }, {}, 5],
    ['1’234.5', { language: 'de-CH' }, {}, 1234.5],
    ['5', {}, { language: 'ja' }, 5],
    ['five', {}, { language: 'ja' }, 'no_match'],
    ['five', {}, { language: null }, 5],
    ['five', {}, { language: 5 }, 5],
  ])('number %j with %j in a flow of %j', (said, variables, flow, value) =>
    expect(outcome({ cast: 'number' }, said, variables, flow)).toBe(value),
  );
  test.each<[string, string]>([
    ['en', '2026-05-06'],
    ['en-GB', '2026-06-05'],
    ['fr-CA', '2026-06-05'],
    ['de', '2026-06-05'],
    ['ja', '2026-05-06'],
  ])('5/6/2026 in %s', (language, day) => {
    const order = language === 'fr-CA' ? { date_order: 'dmy' } : {};
    expect(outcome({ cast: 'date', ...order }, '5/6/2026', {}, { language })).toBe(day);
  });
});

describe('a value inside a sentence', () => {
  const input = (members: Record<string, unknown>, said: string) =>
    turnResultToWire(answer(members, said)).input;

  test('the result reports how the answer was read', () => {
    expect(input({ cast: 'date' }, 'on Friday')).toMatchObject({ status: 'captured', reading: 'whole' });
    expect(input({ cast: 'date' }, 'We arrive on Friday')).toMatchObject({
      status: 'captured',
      reading: 'sentence',
      unread: ['We', 'arrive'],
    });
    expect(input({}, 'anything')).not.toHaveProperty('reading');
  });

  test.each([
    [{ cast: 'date', reading: 'whole' }, 'We arrive on Friday', 'no_match'],
    [{ cast: 'date', strict: true }, 'We arrive on Friday', 'no_match'],
    [{ cast: 'date', reading: 'whole' }, "I'd like Friday", '2026-08-28'],
    [{ cast: 'date', reading: 'sentence' }, 'We arrive on Friday', '2026-08-28'],
    [{ cast: 'integer' }, 'Not four of us', 'no_match'],
    [{ cast: 'integer' }, 'There are 4 adults', 4],
  ])('%j %j', (members, said, value) => expect(outcome(members, said)).toBe(value));
});

test('a default in words is captured in its type', () => {
  const late = { max_attempts: 1 };
  expect(outcome({ ...late, cast: 'integer', default_answer: 'four' }, 'x')).toBe(4);
  expect(outcome({ ...late, cast: 'date', default_answer: 'December 24th, 2026' }, 'x')).toBe('2026-12-24');
  expect(outcome({ ...late, cast: 'date', default_answer: 'banana' }, 'x')).toBe('no_match');
});
