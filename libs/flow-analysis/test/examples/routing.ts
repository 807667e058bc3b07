// Examples of the codes about the conditions of edges.
import type { ExamplesByCode } from './pieces.ts';
import { branch, branching, comparing, end, fallback, flow, say, to } from './pieces.ts';

export const routing = {
  edge_without_variable: {
    shown: [
      { because: 'an operator alone', flow: branching({ op: 'exists' }, fallback), at: '/edges/0/variable' },
      { because: 'a value alone', flow: branching({ value: 0 }, fallback), at: '/edges/0/variable' },
      {
        because: 'a text that is no path',
        flow: branching({ variable: 'x[', op: 'exists' }, fallback),
        at: '/edges/0/variable',
      },
    ],
    notShown: [
      {
        because: 'editors write unused members as null',
        flow: branching({ variable: null, op: null, value: null }),
      },
      { because: 'a variable alone asks whether it exists', flow: branching({ variable: 'x' }, fallback) },
    ],
  },
  multiple_defaults: {
    shown: [
      {
        because: 'one says so, one has no condition',
        flow: branching({ default: true }, { target: 'other' }),
        at: '/edges/1',
      },
    ],
    notShown: [
      {
        because: 'one for each node',
        flow: flow([say('a'), say('b'), end()], [to('a', 'b'), to('b', 'end')]),
      },
      { because: 'the other has a condition', flow: comparing(['exists']) },
    ],
  },
  mixed_condition: {
    shown: [
      {
        because: 'comparison and nl',
        flow: branching({ variable: 'x', nl: 'wants more' }, fallback),
        at: '/edges/0',
      },
      {
        because: 'comparison and condition',
        flow: branching({ variable: 'x', condition: 'wants more' }, fallback),
        at: '/edges/0',
      },
    ],
    notShown: [{ because: 'a blank nl is none', flow: branching({ variable: 'x', nl: ' ' }, fallback) }],
  },
  default_with_condition: {
    shown: [
      { because: 'with nl', flow: branching({ default: true, nl: 'wants more' }), at: '/edges/0/default' },
      {
        because: 'with a comparison',
        flow: branching({ default: true, variable: 'x' }),
        at: '/edges/0/default',
      },
    ],
    notShown: [{ because: 'a label is no condition', flow: branching({ default: true, label: 'else' }) }],
  },
  unknown_op: {
    shown: [{ because: 'not one of ours', flow: comparing(['almost', 1]), at: '/edges/0/op' }],
    notShown: [
      { because: 'an alias is one', flow: comparing(['>=', 1]) },
      { because: 'none at all means eq', flow: branching({ variable: 'x', value: 1 }, fallback) },
    ],
  },
  value_type_mismatch: {
    shown: [
      { because: 'no order among words', flow: comparing(['gt', 'tall']), at: '/edges/0/value' },
      { because: 'nothing to be greater than', flow: comparing(['gt']), at: '/edges/0/value' },
      { because: 'nothing to be equal to', flow: comparing(['eq']), at: '/edges/0/value' },
      { because: 'between needs two ends', flow: comparing(['between', [1]]), at: '/edges/0/value' },
      { because: 'of one kind', flow: comparing(['between', [1, '2026-01-01']]), at: '/edges/0/value' },
      { because: 'in needs a list', flow: comparing(['in', 5]), at: '/edges/0/value' },
      { because: 'everything contains nothing', flow: comparing(['contains', ' ']), at: '/edges/0/value' },
      {
        because: 'a list begins with nothing',
        flow: comparing(['starts_with', ['a']]),
        at: '/edges/0/value',
      },
      {
        because: 'an empty pattern matches everything',
        flow: comparing(['matches', '']),
        at: '/edges/0/value',
      },
    ],
    notShown: [
      {
        because: 'numbers, numeric texts, dates and times have an order',
        flow: comparing(['gt', 1], ['lt', '-1.5'], ['gte', '2026-01-01'], ['lte', '09:30']),
      },
      {
        because: 'a placeholder may become anything',
        flow: comparing(['gt', '{{ least }}'], ['between', ['{{ low }}', 7]], ['in', '{{ several }}']),
      },
      {
        because: 'eq takes every value',
        flow: comparing(['eq', [1]], ['eq', { a: 1 }], ['eq', null], ['eq', false]),
      },
      { because: 'exists takes none', flow: comparing(['exists', 'whatever']) },
    ],
  },
  conditions_invalid: {
    shown: [
      { because: 'nothing to compare', flow: branching({ all: [] }, fallback), at: '/edges/0/all' },
      { because: 'no list', flow: branching({ any: { variable: 'x' } }, fallback), at: '/edges/0/any' },
      {
        because: 'more than twenty',
        flow: branching({ any: Array.from({ length: 21 }, () => ({ variable: 'x' })) }, fallback),
        at: '/edges/0/any',
      },
      {
        because: 'both lists',
        flow: branching({ all: [{ variable: 'x' }], any: [{ variable: 'y' }] }, fallback),
        at: '/edges/0/any',
      },
      {
        because: 'beside a comparison',
        flow: branching({ variable: 'x', all: [{ variable: 'y' }] }, fallback),
        at: '/edges/0/all',
      },
      { because: 'an entry that is none', flow: branching({ all: ['x'] }, fallback), at: '/edges/0/all/0' },
      {
        because: 'one level',
        flow: branching({ all: [{ any: [{ variable: 'x' }] }] }, fallback),
        at: '/edges/0/all/0/any',
      },
      {
        because: 'case is the business of the edge',
        flow: branching({ all: [{ variable: 'x', value: 'a', case_sensitive: true }] }, fallback),
        at: '/edges/0/all/0/case_sensitive',
      },
    ],
    notShown: [
      {
        because: 'all',
        flow: branching({ all: [{ variable: 'x' }, { variable: 'y', value: 1 }] }, fallback),
      },
      { because: 'any', flow: branching({ any: [{ variable: 'x', op: 'gt', value: 3 }] }, fallback) },
      { because: 'editors write null', flow: branching({ variable: 'x', all: null, any: null }, fallback) },
    ],
  },
  regex_invalid: {
    shown: [
      { because: 'an open group', flow: comparing(['matches', '(']), at: '/edges/0/value' },
      {
        because: 'look-ahead does not exist in RE2',
        flow: comparing(['not_matches', 'a(?=b)']),
        at: '/edges/0/value',
      },
      { because: 'a back-reference neither', flow: comparing(['matches', '(a)\\1']), at: '/edges/0/value' },
    ],
    notShown: [
      { because: 'nested repeats are linear here', flow: comparing(['matches', '^(a+)+$']) },
      { because: 'it is known only in the turn', flow: comparing(['matches', '^{{ prefix }}(']) },
    ],
  },
  ambiguous_nl: {
    shown: [
      {
        because: 'the same but for the case',
        flow: branching({ nl: 'Wants more' }, { nl: ' wants more', target: 'other' }, fallback),
        at: '/edges/1/nl',
      },
      {
        because: 'once as condition',
        flow: branching({ nl: 'wants more' }, { condition: 'wants more', target: 'other' }, fallback),
        at: '/edges/1/condition',
      },
    ],
    notShown: [
      {
        because: 'another text',
        flow: branching({ nl: 'wants more' }, { nl: 'wants less', target: 'other' }, fallback),
      },
      {
        because: 'another node',
        flow: flow(
          [branch('a'), branch('b'), end()],
          [to('a', 'end', { nl: 'stop' }), to('a', 'b'), to('b', 'end', { nl: 'stop' }), to('b', 'end')],
        ),
      },
    ],
  },
  op_alias: {
    shown: [{ because: '>= is gte', flow: comparing(['>=', 1]), at: '/edges/0/op' }],
    notShown: [
      { because: 'gte is gte', flow: comparing(['gte', 1]) },
      { because: 'none was written', flow: branching({ variable: 'x', value: 1 }, fallback) },
    ],
  },
  comma_separated_list: {
    shown: [{ because: 'one text', flow: comparing(['in', 'red, green']), at: '/edges/0/value' }],
    notShown: [
      { because: 'a list', flow: comparing(['in', ['red', 'green']]) },
      { because: 'eq takes it as it is', flow: comparing(['eq', 'red, green']) },
    ],
  },
} satisfies ExamplesByCode;
