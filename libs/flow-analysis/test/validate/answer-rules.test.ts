// Validation of the members of a collect node that say how to read its answer and what it must be
// (docs/flow-language.md#answers).
import { describe, expect, test } from '@jest/globals';
import { modelOf } from '@parley/flow-engine/testing';
import { validateFlow } from '../../src/validate/validate-flow.ts';

const nodes = (members: object) => [
  { id: 'ask', type: 'collect', prompt: '?', variable: 'v', ...members },
  { id: 'done', type: 'end', text: '{{ _input_status }}' },
];
const edges = [{ source: 'ask', target: 'done' }];

describe('members that say how an answer is read', () => {
  const codes = (members: object, more: object = {}) => {
    const { errors, warnings } = validateFlow(
      modelOf(nodes(members), edges, more as Record<string, unknown>),
      { stepsMax: 200 },
    );
    return [...errors, ...warnings].map(({ code, path }) => `${code} ${path}`);
  };
  test.each<[object, string | null]>([
    [{ cast: 'integer', min: 1, max: 5, unit: 'people', strict: false }, null],
    [{ cast: 'integer', min: '1' }, '/nodes/0/min'],
    [{ cast: 'integer', min: 5, max: 1 }, '/nodes/0/min'],
    [{ cast: 'date', min: 'today', max: '2027-01-01', prefer: 'past', date_order: 'dmy' }, null],
    [{ cast: 'date', min: 'tomorrow' }, '/nodes/0/min'],
    [{ cast: 'date', prefer: 'later' }, '/nodes/0/prefer'],
    [{ cast: 'date', date_order: 'dym' }, '/nodes/0/date_order'],
    [{ cast: 'boolean', max: 5 }, '/nodes/0/max'],
    [{ cast: 'string', pattern: '(' }, '/nodes/0/pattern'],
    [{ cast: 'string', pattern: '^a+$', min: 1 }, null],
    [{ cast: 'number', pattern: 'x' }, '/nodes/0/pattern'],
    [{ strict: 'yes' }, '/nodes/0/strict'],
    [{ reprompts: { no_match: 'x', silence: 'y' } }, '/nodes/0/reprompts'],
    [{ reprompts: { no_match: 'x', no_input: 'y', out_of_range: 'z' } }, null],
    [{ default_answer: 'x' }, '/nodes/0/default_answer'],
    [{ default_answer: 'x', max_attempts: 1 }, null],
    [{ cast: 'integer', default_answer: 'x', max_attempts: 1 }, '/nodes/0/default_answer'],
    [{ cast: 'enum', choices: ['a'], default_answer: 'b', max_attempts: 1 }, '/nodes/0/default_answer'],
  ])('%j', (members, at) => expect(codes(members)).toEqual(at === null ? [] : [`answer_rule_invalid ${at}`]));

  test('a language that casts do not read', () => {
    expect(codes({ cast: 'date' }, { language: 'xh' })).toEqual(['language_not_spoken /language']);
    expect(codes({ cast: 'email' }, { language: 'xh' })).toEqual([]);
    expect(codes({ cast: 'date' }, { language: 'pt-BR' })).toEqual([]);
  });

  test('the possible values of _input_status follow from the members', () => {
    const never = (members: object) => {
      const routed = [
        { source: 'ask', target: 'done', variable: '_input_status', value: 'out_of_range' },
        ...edges,
      ];
      return validateFlow(modelOf(nodes(members), routed), { stepsMax: 200 }).warnings.map(
        ({ code }) => code,
      );
    };
    expect(never({ cast: 'integer', min: 1, max_attempts: 2 })).toEqual([]);
    expect(never({ cast: 'integer', max_attempts: 2 })).toEqual(['contradictory_edge']);
    expect(never({ cast: 'integer', min: 1 })).toEqual(['contradictory_edge']);
    expect(never({ cast: 'integer', min: 1, max_attempts: 2, default_answer: 1 })).toEqual([
      'contradictory_edge',
    ]);
  });

  test('a variable with a default answer is always set', () => {
    const unset = (members: object) => {
      const said = [
        ...nodes({ max_attempts: 1, ...members }),
        { id: 'say', type: 'message', text: '{{ v }}' },
      ];
      const routed = [
        { source: 'ask', target: 'say' },
        { source: 'say', target: 'done' },
      ];
      return validateFlow(modelOf(said, routed), { stepsMax: 200 }).warnings.map(({ code }) => code);
    };
    expect(unset({})).toContain('variable_maybe_unset');
    expect(unset({ default_answer: 'x' })).toEqual([]);
  });
});
