// Examples of the codes about edges that are never taken, or not certainly.
import type { ExamplesByCode } from './pieces.ts';
import { agent, ask, branch, branching, comparing, end, fallback, flow, say, to, when } from './pieces.ts';

export const routesNeverTaken = {
  missing_default: {
    shown: [
      {
        because: 'a classifier may say none',
        flow: branching({ nl: 'wants more' }),
        at: '/nodes/0',
        severity: 'error',
      },
      {
        because: 'no comparison may hold',
        flow: branching({ variable: 'x', op: 'exists' }),
        at: '/nodes/0',
        severity: 'warning',
      },
      {
        because: 'only a branch must',
        flow: flow([ask('a'), end()], [to('a', 'end', { nl: 'yes' })]),
        at: '/nodes/0',
        severity: 'warning',
      },
      {
        because: 'neither true nor false: missing',
        flow: branching({ variable: 'x', op: 'is_true' }, { variable: 'x', op: 'is_false' }),
        at: '/nodes/0',
        severity: 'warning',
      },
      {
        because: 'a text is neither less nor more',
        flow: branching(
          { variable: 'x', op: 'lt', value: 5 },
          { variable: 'x', op: 'gte', value: 5 },
          { variable: 'x', op: 'not_exists' },
        ),
        at: '/nodes/0',
        severity: 'warning',
      },
      {
        because: 'an agent that talks uses up its turns',
        flow: flow(
          [agent('a', { goal: 'Advise', converse: true }), end()],
          [to('a', 'end', { nl: 'has chosen' })],
        ),
        at: '/nodes/0',
        severity: 'error',
      },
    ],
    notShown: [
      {
        because: 'an agent that talks with a default',
        flow: flow(
          [agent('a', { goal: 'Advise', converse: true }), end()],
          [to('a', 'end', { nl: 'has chosen' }), to('a', 'end', { default: true })],
        ),
      },
      {
        because: 'it is there or not',
        flow: branching({ variable: 'x', op: 'exists' }, { variable: 'x', op: 'not_exists' }),
      },
      {
        because: 'whatever the value will be',
        flow: branching(
          { variable: 'x', op: 'eq', value: '{{ y }}' },
          { variable: 'x', op: 'neq', value: '{{ y }}' },
        ),
      },
      {
        because: 'empty, or not empty',
        flow: branching({ variable: 'x', op: 'not_empty' }, { variable: 'x', op: 'empty' }),
      },
      {
        because: 'all that can become of an answer',
        flow: flow(
          [ask('a', 'x', { max_attempts: 2 }), say('b', { text: '{{ x }}' }), end()],
          [
            when('a', 'b', '_input_status', 'eq', 'captured'),
            when('a', 'end', '_input_status', 'in', ['no_match', 'no_input']),
            to('b', 'end'),
          ],
        ),
      },
      {
        because: 'a count is a number',
        flow: flow(
          [ask('a'), end()],
          [when('a', 'end', '_attempts', 'lt', 2), when('a', 'end', '_attempts', 'gte', 2)],
        ),
      },
      { because: 'one without condition is the default', flow: comparing(['exists']) },
    ],
  },
  shadowed_edge: {
    shown: [
      { because: 'below 18 before below 10', flow: comparing(['lt', 18], ['lt', 10]), at: '/edges/1' },
      { because: 'one of a list', flow: comparing(['in', ['red', 'green']], ['eq', 'Red']), at: '/edges/1' },
      { because: 'inside the range', flow: comparing(['between', [0, 10]], ['eq', 5]), at: '/edges/1' },
      {
        because: 'two cover it together',
        flow: comparing(['lte', 5], ['gt', 5], ['between', [1, 9]]),
        at: '/edges/2',
      },
      {
        because: 'dates have an order too',
        flow: comparing(['gte', '2026-01-01'], ['gte', '2026-06-01T12:00:00Z']),
        at: '/edges/1',
      },
      { because: 'whatever is equal exists', flow: comparing(['exists'], ['eq', 5]), at: '/edges/1' },
      {
        because: 'what begins with it',
        flow: comparing(['starts_with', 'ab'], ['eq', 'abc']),
        at: '/edges/1',
      },
      {
        because: 'the same pattern',
        flow: branching(
          { variable: 'x', op: 'matches', value: 'a+' },
          { variable: 'x', op: 'matches', value: 'a+', target: 'other' },
          fallback,
        ),
        at: '/edges/1',
      },
      {
        because: 'nothing is left for the classifier',
        flow: branching(
          { variable: 'x', op: 'exists' },
          { variable: 'x', op: 'not_exists' },
          { nl: 'wants more' },
          fallback,
        ),
        at: '/edges/2',
      },
      {
        because: 'nothing is left for the default',
        flow: branching({ variable: 'x', op: 'exists' }, { variable: 'x', op: 'not_exists' }, fallback),
        at: '/edges/2',
      },
      {
        because: 'nothing is left for another variable',
        flow: branching(
          { variable: 'x', op: 'not_in', value: [] },
          { variable: 'y', op: 'exists' },
          fallback,
        ),
        at: '/edges/1',
      },
      {
        because: 'a case-sensitive text is one of the insensitive',
        flow: comparing(['eq', 'Yes'], ['eq', 'yes', { case_sensitive: true }]),
        at: '/edges/1',
      },
    ],
    notShown: [
      { because: 'the narrower comes first', flow: comparing(['lt', 10], ['lt', 18]) },
      {
        because: 'a default declared first is tried last',
        flow: branching(fallback, { variable: 'x', op: 'exists' }, { nl: 'wants more' }),
      },
      {
        because: 'natural language never wins for sure',
        flow: branching({ nl: 'wants more' }, { variable: 'x', op: 'exists' }, fallback),
      },
      {
        because: 'another variable',
        flow: branching(
          { variable: 'y', op: 'lt', value: 18 },
          { variable: 'x', op: 'lt', value: 10 },
          fallback,
        ),
      },
      { because: '"007" reads as 7 and is not the text "7"', flow: comparing(['eq', '7'], ['eq', 7]) },
      {
        because: 'the insensitive catch more',
        flow: comparing(['eq', 'yes', { case_sensitive: true }], ['eq', 'Yes']),
      },
      {
        because: 'a missing variable is not equal to 5 either',
        flow: branching(
          { variable: 'x', op: 'exists' },
          { variable: 'x', op: 'neq', value: 5, target: 'other' },
        ),
      },
      { because: '"15:00" is no number', flow: comparing(['lt', 18], ['lt', '15:00']) },
      {
        because: 'true is equal to "1", and does not begin with it',
        flow: comparing(['starts_with', '1'], ['eq', '1']),
      },
      {
        because: 'the edge before leads nowhere and is never taken',
        flow: branching(
          { variable: 'x', op: 'lt', value: 18, target: 'nowhere' },
          { variable: 'x', op: 'lt', value: 10 },
          fallback,
        ),
      },
      {
        because: 'more begins with it than is equal to it',
        flow: comparing(['eq', 'ab'], ['starts_with', 'ab']),
      },
      { because: 'a list may hold it', flow: comparing(['eq', 'ab'], ['contains', 'ab']) },
      {
        because: 'only capitals were caught',
        flow: comparing(['starts_with', 'AB', { case_sensitive: true }], ['eq', 'ab']),
      },
      {
        because: 'a text in other capitals is neither',
        flow: comparing(
          ['eq', 'abc', { case_sensitive: true }],
          ['eq', 'ABC', { case_sensitive: true }],
          ['eq', 'abc'],
        ),
      },
      {
        because: 'noon is not the only time',
        flow: comparing(['eq', '12:00'], ['gt', '12:00'], ['gte', '12:00']),
      },
      {
        because: 'a count from one to four is left',
        flow: branching(
          { variable: '_attempts', op: 'lte', value: 0 },
          { variable: '_attempts', op: 'gte', value: 5 },
          { variable: '_attempts', op: 'lt', value: 5 },
          fallback,
        ),
      },
      { because: 'a condition with an error says nothing', flow: comparing(['between', [1]], ['eq', 1]) },
    ],
  },
  contradictory_edge: {
    shown: [
      { because: 'from ten to five', flow: comparing(['between', [10, 5]]), at: '/edges/0' },
      {
        because: 'dates the wrong way round',
        flow: comparing(['between', ['2026-12-24', '2026-01-01']]),
        at: '/edges/0',
      },
      { because: 'one of none', flow: comparing(['in', []]), at: '/edges/0' },
      { because: 'one of no words', flow: comparing(['in', ' , ']), at: '/edges/0' },
      { because: 'nothing equals null', flow: comparing(['eq', null]), at: '/edges/0' },
      {
        because: 'a collect node without max_attempts is left with an answer',
        flow: flow([ask('a'), end()], [when('a', 'end', '_input_status', 'eq', 'no_match'), to('a', 'end')]),
        at: '/edges/0',
      },
      {
        because: 'no such status',
        flow: branching({ variable: '_input_status', op: 'eq', value: 'failed' }, fallback),
        at: '/edges/0',
      },
      {
        because: 'a count is never below zero',
        flow: branching({ variable: '_attempts', op: 'lt', value: 0 }, fallback),
        at: '/edges/0',
      },
      {
        because: 'an utterance is no list',
        flow: branching({ variable: 'user_input', op: 'in', value: [] }, fallback),
        at: '/edges/0',
      },
    ],
    notShown: [
      { because: 'exactly five', flow: comparing(['between', [5, 5]]) },
      { because: 'not one of none: always', flow: comparing(['not_in', []]) },
      {
        because: 'the bounds are known only in the turn',
        flow: comparing(['between', ['{{ low }}', '{{ high }}']]),
      },
      {
        because: 'an unanswered question may come before',
        flow: flow(
          [ask('a', 'answer', { max_attempts: 1 }), branch('b'), end()],
          [to('a', 'b'), when('b', 'end', '_input_status', 'eq', 'no_input'), to('b', 'end')],
        ),
      },
    ],
  },
} satisfies ExamplesByCode;
