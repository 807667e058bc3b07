// Examples of the codes about variables that are read and set.
import type { ExamplesByCode } from './pieces.ts';
import {
  agent,
  ask,
  branch,
  branching,
  comparing,
  end,
  fallback,
  flow,
  handoff,
  node,
  say,
  to,
  tool,
  when,
} from './pieces.ts';

export const variables = {
  variable_never_set: {
    shown: [
      {
        because: 'a message says it',
        flow: flow([say('a', { text: 'Hi {{ nmae }}' }), end()], [to('a', 'end')]),
        at: '/nodes/0/text',
      },
      { because: 'an edge compares it', flow: comparing(['eq', 1]), at: '/edges/0/variable' },
      {
        because: 'a value names it',
        flow: flow([ask('a', 'x'), end()], [when('a', 'end', 'x', 'gt', '{{ least }}'), to('a', 'end')]),
        at: '/edges/0/value',
      },
      {
        because: 'deep in the arguments',
        flow: flow(
          [tool('t', undefined, { args: { to: [{ 'a/b': '{{ who }}' }] } }), end()],
          [to('t', 'end')],
        ),
        at: '/nodes/0/args/to/0/a~1b',
      },
      {
        because: 'another part of it is set',
        flow: flow([ask('a', 'user.name'), end('end', { text: '{{ user.age }}' })], [to('a', 'end')]),
        at: '/nodes/1/text',
      },
      {
        because: 'the persona says it',
        flow: flow([end(), node('global')('g', { prompt: 'You work for {{ firm }}' })], [], 'end'),
        at: '/nodes/1/prompt',
      },
    ],
    notShown: [
      {
        because: 'an answer sets it',
        flow: flow([ask('a', 'name'), end('end', { message: '{{ name }}' })], [to('a', 'end')]),
      },
      {
        because: 'an answer sets a part of it',
        flow: flow([ask('a', 'user.name'), end('end', { text: '{{ user }}' })], [to('a', 'end')]),
      },
      {
        because: 'an answer sets the whole of it',
        flow: flow([ask('a', 'user'), end('end', { text: '{{ user.name }}' })], [to('a', 'end')]),
      },
      {
        because: 'an extraction may set it',
        flow: flow(
          [
            ask('a', null, { extraction: { variables: [{ name: 'city' }] } }),
            end('end', { text: '{{ city }}' }),
          ],
          [to('a', 'end')],
        ),
      },
      {
        because: 'a tool sets it',
        flow: flow(
          [tool('t', 'found'), ask('q', null), end('end', { text: '{{ found.name }}' })],
          [to('t', 'q'), to('q', 'end')],
        ),
      },
      {
        because: 'an agent sets it without saying so',
        flow: flow([agent('a'), end('end', { text: '{{ agent_result.answer }}' })], [to('a', 'end')]),
      },
      { because: 'a default is given', flow: flow([end('end', { text: '{{ name | default: "there" }}' })]) },
      {
        because: 'the engine knows them',
        flow: branching(
          { variable: 'user_input', op: 'exists' },
          { variable: '_attempts', op: 'gt', value: 1 },
          { variable: '_flow.turn', op: 'gt', value: 1 },
          { variable: 'timezone', op: 'exists' },
          fallback,
        ),
      },
      {
        because: 'text is not said where there is a message',
        flow: flow([end('end', { message: 'Bye', text: '{{ name }}' })]),
      },
    ],
  },
  variable_maybe_unset: {
    shown: [
      {
        because: 'one way goes past the question',
        flow: flow(
          [branch('a'), ask('q', 'name'), end('end', { text: '{{ name }}' })],
          [when('a', 'q', 'vip', 'is_true'), to('a', 'end'), to('q', 'end')],
        ),
        at: '/nodes/2/text',
        witness: ['a', 'end'],
      },
      {
        because: 'it is asked for afterwards',
        flow: flow(
          [say('a', { text: '{{ name }}' }), ask('q', 'name'), end()],
          [to('a', 'q'), to('q', 'end')],
        ),
        at: '/nodes/0/text',
        witness: ['a'],
      },
      {
        because: 'the prompt of the question itself comes before the answer',
        flow: flow([ask('q', 'name', { prompt: 'Name, {{ name }}?' }), end()], [to('q', 'end')]),
        at: '/nodes/0/prompt',
        witness: ['q'],
      },
      {
        because: 'the result of a tool comes after the turn',
        flow: flow([tool('t', 'found'), end('end', { text: '{{ found }}' })], [to('t', 'end')]),
        at: '/nodes/1/text',
        witness: ['t', 'end'],
      },
      {
        because: 'and a branch in the same turn cannot see it either',
        flow: flow([tool('t', 'found'), end()], [when('t', 'end', 'found.ok', 'is_true'), to('t', 'end')]),
        at: '/edges/0/variable',
        witness: ['t'],
      },
      {
        because: 'the wait came before the tool',
        flow: flow(
          [ask('q', null), tool('t', 'found'), end('end', { text: '{{ found }}' })],
          [to('q', 't'), to('t', 'end')],
        ),
        at: '/nodes/2/text',
        witness: ['q', 't', 'end'],
      },
      {
        because: 'the question gives up after three failures',
        flow: flow(
          [ask('q', 'name', { max_attempts: 3 }), end('end', { text: '{{ name }}' })],
          [to('q', 'end')],
        ),
        at: '/nodes/1/text',
        witness: ['q', 'end'],
      },
      {
        because: 'only some who gave up are sent elsewhere',
        flow: flow(
          [ask('q', 'name', { max_attempts: 3 }), end('end', { text: '{{ name }}' }), handoff('human')],
          [when('q', 'human', '_attempts', 'gt', 3), to('q', 'end')],
        ),
        at: '/nodes/1/text',
        witness: ['q', 'end'],
      },
      {
        because: 'a trigger leads past it',
        flow: flow(
          [ask('q', 'name'), end('end', { text: '{{ name }}' }), node('trigger')('t')],
          [to('q', 'end'), to('t', 'end')],
        ),
        at: '/nodes/1/text',
        witness: ['end'],
      },
    ],
    notShown: [
      {
        because: 'either way asks',
        flow: flow(
          [branch('a'), ask('p', 'name'), ask('q', 'name'), end('end', { text: '{{ name }}' })],
          [when('a', 'p', 'vip', 'is_true'), to('a', 'q'), to('p', 'end'), to('q', 'end')],
        ),
      },
      {
        because: 'the edge proves that it is there',
        flow: flow(
          [branch('a'), ask('q', 'name'), end('end', { text: '{{ name }}' })],
          [when('a', 'end', 'name', 'exists'), to('a', 'q'), to('q', 'end')],
        ),
      },
      {
        because: 'coming past the edge proves that it is there',
        flow: flow(
          [branch('a'), ask('q', 'name'), end('end', { text: '{{ name }}' })],
          [when('a', 'q', 'name', 'empty'), to('a', 'end'), to('q', 'end')],
        ),
      },
      {
        because: 'a wait lies between the tool and the text, on either way',
        flow: flow(
          [
            tool('t', 'found'),
            branch('b'),
            ask('p', null),
            ask('q', null),
            end('end', { text: '{{ found }}' }),
          ],
          [to('t', 'b'), when('b', 'p', 'vip', 'is_true'), to('b', 'q'), to('p', 'end'), to('q', 'end')],
        ),
      },
      {
        because: 'whoever gave up was sent elsewhere',
        flow: flow(
          [ask('q', 'name', { max_attempts: 3 }), end('end', { text: '{{ name }}' }), handoff('human')],
          [when('q', 'human', '_input_status', 'neq', 'captured'), to('q', 'end')],
        ),
      },
      {
        because: 'only who answered comes here',
        flow: flow(
          [ask('q', 'name', { max_attempts: 3 }), end('end', { text: '{{ name }}' }), handoff('human')],
          [when('q', 'end', '_input_status', 'eq', 'captured'), to('q', 'human')],
        ),
      },
      {
        because: 'whoever used up the attempts was sent elsewhere, and the default edge goes on',
        flow: flow(
          [ask('q', 'name', { max_attempts: 3 }), end('end', { text: '{{ name }}' }), handoff('human')],
          [when('q', 'human', '_attempts', 'gte', 3), to('q', 'end')],
        ),
      },
      {
        because: 'before the last attempt it was answered',
        flow: flow(
          [ask('q', 'name', { max_attempts: 3 }), end('end', { text: '{{ name }}' }), handoff('human')],
          [when('q', 'end', '_attempts', 'lt', 3), to('q', 'human')],
        ),
      },
      {
        because: 'asking whether it is there is fine, and so is a default',
        flow: flow(
          [branch('a'), ask('q', 'name'), end('end', { text: '{{ name | default: "there" }}' })],
          [when('a', 'q', 'name', 'not_exists'), to('a', 'end'), to('q', 'end')],
        ),
      },
      {
        because: 'another part of it is set: another matter',
        flow: flow(
          [say('a', { text: '{{ user.age }}' }), ask('q', 'user.name'), end()],
          [to('a', 'q'), to('q', 'end')],
        ),
      },
      { because: 'nobody sets it at all: another matter', flow: flow([end('end', { text: '{{ name }}' })]) },
      {
        because: 'the agent answers in the turn',
        flow: flow([agent('a'), end('end', { text: '{{ agent_result.answer }}' })], [to('a', 'end')]),
      },
    ],
  },
  captured_but_unused: {
    shown: [
      {
        because: 'nothing reads it',
        flow: flow([ask('q', 'name'), end()], [to('q', 'end')]),
        at: '/nodes/0/variable',
      },
    ],
    notShown: [
      {
        because: 'an edge reads it',
        flow: flow([ask('q', 'name'), end()], [when('q', 'end', 'name', 'exists'), to('q', 'end')]),
      },
      {
        because: 'an agent is handed it',
        flow: flow(
          [ask('q', 'name'), agent('a', { context_vars: ['name'] }), end()],
          [to('q', 'a'), to('a', 'end')],
        ),
      },
      {
        because: 'a webhook without payload sends everything',
        flow: flow([ask('q', 'name'), end(), node('webhook')('w')], [to('q', 'end')]),
      },
      {
        because: 'the engine reads the time zone',
        flow: flow([ask('q', 'timezone'), end()], [to('q', 'end')]),
      },
    ],
  },
} satisfies ExamplesByCode;
