// Values in one line, completions and members.
import { describe, expect, test } from '@jest/globals';
import { filters } from '@parley/flow-engine';
import { completionsAt } from './completion.ts';
import { freshValue, memberRows } from './members.ts';
import { readChoices, readValue, showChoices, showValue } from '../controls/value.ts';

describe('values', () => {
  test.each<[string, unknown]>([
    ['18', 18],
    ['-1.5', -1.5],
    ['0049', '0049'],
    ['1.', '1.'],
    ['true', true],
    ['True', 'True'],
    ['null', null],
    ['[1, "a"]', [1, 'a']],
    ['[1, ', '[1, '],
    ['"18"', '18'],
    ['{{ age }}', '{{ age }}'],
    ['{"a": 1}', { a: 1 }],
    ['two words ', 'two words '],
  ])('reads %s as %j', (typed, value) => expect(readValue(typed)).toEqual(value));

  test.each([18, '18', 'true', '', 'x', null, true, ['a', 1], { a: [null] }, '[', '{{ x }}', '"'])(
    'shows %j so that it reads back',
    (value) => expect(readValue(showValue(value))).toEqual(value),
  );
});

describe('choices', () => {
  const choices = ['red', 5, { value: 'blue', synonyms: ['navy', 'sky'] }];
  test('one per line', () => {
    expect(showChoices(choices)).toBe('red\n5\nblue: navy, sky');
    expect(readChoices('red\n5\n\nblue: navy, sky')).toEqual(choices);
  });
  test.each([[['a: b']], [[{ value: 'a', synonyms: ['b, c'] }]], [[{ value: 'a', note: 1 }]], [[{}]]])(
    'shows %j as JSON',
    (odd) => expect(showChoices(odd)).toBeNull(),
  );
});

describe('completions', () => {
  const offered = (text: string) =>
    completionsAt(text, text.length, ['age', 'agent_result', 'name'])?.options.map(({ insert }) => insert);
  test.each<[string, string[] | undefined]>([
    ['Hello', undefined],
    ['Hello {{', ['age', 'agent_result', 'name']],
    ['{{ na', ['name']],
    ['{{ name }} and', undefined],
    ['{{ name | up', ['upper']],
    ['{{ name | upper | lo', ['lower']],
    ['{{ name | cur', ['currency: ']],
    ['{{ name | default: x', undefined],
  ])('%s', (text, options) => expect(offered(text)).toEqual(options));
  test('completes every filter of the engine', () => {
    for (const name of Object.keys(filters))
      expect(offered(`{{ x | ${name.slice(0, -1)}`)?.some((insert) => insert.startsWith(name))).toBe(true);
  });
});

describe('members', () => {
  const shown = (node: Record<string, unknown>) =>
    memberRows({ id: 'a', ...node }).shown.map(({ member }) => member);
  test('shows main members, present members and those of the cast', () => {
    expect(shown({ type: 'collect' })).toEqual(['prompt', 'variable', 'cast']);
    expect(shown({ type: 'collect', cast: 'enum', strict: true })).toEqual([
      'prompt',
      'variable',
      'cast',
      'choices',
      'strict',
    ]);
    expect(memberRows({ id: 'a', type: 'collect', cast: 'date' }).addable).toEqual(
      expect.arrayContaining(['prefer', 'min']),
    );
    expect(shown({ type: 'say', text: 'x', own: 1 })).toEqual(['text', 'own']);
  });
  test('shows the members of an unknown type', () => {
    expect(shown({ type: 'teleport', to: 'moon' })).toEqual(['to']);
    expect(freshValue('graph_constraints')).toEqual({});
  });
});
