// Examples of the codes about templates, casts and where answers and results are stored.
import type { ExamplesByCode } from './pieces.ts';
import { agent, ask, end, flow, node, say, to, tool, when } from './pieces.ts';

const setting = (set: unknown) => flow([say('m', { text: 'Hi', set }), end()], [to('m', 'end')]);

export const data = {
  template_syntax: {
    shown: [
      { because: 'not closed', flow: flow([end('end', { text: 'Hi {{ name' })]), at: '/nodes/0/text' },
      { because: 'no path', flow: flow([end('end', { text: '{{ a..b }}' })]), at: '/nodes/0/text' },
      {
        because: 'no such filter',
        flow: flow([end('end', { text: '{{ name | shout }}' })]),
        at: '/nodes/0/text',
      },
      {
        because: 'deep in the arguments',
        flow: flow([tool('t', undefined, { args: { a: ['{{ }}'] } }), end()], [to('t', 'end')]),
        at: '/nodes/0/args/a/0',
      },
      {
        because: 'in a value',
        flow: flow([ask('q', 'x'), end()], [when('q', 'end', 'x', 'eq', '{{ .y }}'), to('q', 'end')]),
        at: '/edges/0/value',
      },
      {
        because: 'in a payload',
        flow: flow([end(), node('webhook')('w', { payload: { a: '{{' } })]),
        at: '/nodes/1/payload/a',
      },
    ],
    notShown: [
      {
        because: 'paths, indexes and defaults',
        flow: flow([end('end', { text: '{{ a.b[0].c }} {{ d | default: "}}" }}' })]),
      },
      {
        because: 'filters, one after the other, and braces as a text',
        flow: flow([end('end', { text: "{{ a | default: b | upper }} {{ '{{' }}" })]),
      },
      { because: 'single braces are text', flow: flow([end('end', { text: '{ "a": {} }}' })]) },
    ],
  },
  set_invalid: {
    shown: [
      { because: 'no list', flow: setting({ variable: 'x', to: 1 }), at: '/nodes/0/set', severity: 'error' },
      { because: 'no variable', flow: setting([{ to: 1 }]), at: '/nodes/0/set/0', severity: 'error' },
      {
        because: 'nothing to do',
        flow: setting([{ variable: 'x' }]),
        at: '/nodes/0/set/0',
        severity: 'error',
      },
      {
        because: 'two things to do',
        flow: setting([
          { variable: 'x', to: 1 },
          { variable: 'x', to: 1, add: 1 },
        ]),
        at: '/nodes/0/set/1',
        severity: 'error',
      },
      {
        because: 'a text is no number',
        flow: setting([{ variable: 'x', add: '1' }]),
        at: '/nodes/0/set/0',
        severity: 'error',
      },
      {
        because: 'the counters of the engine',
        flow: setting([{ variable: '_flow.turn', to: 1 }]),
        at: '/nodes/0/set/0/variable',
        severity: 'error',
      },
      {
        because: 'reading it gives the utterance',
        flow: setting([{ variable: 'user_input', to: 1 }]),
        at: '/nodes/0/set/0/variable',
        severity: 'error',
      },
      {
        because: 'an end is never left',
        flow: flow([end('end', { set: [{ variable: 'x', to: 1 }] })]),
        at: '/nodes/0/set',
        severity: 'warning',
      },
    ],
    notShown: [
      {
        because: 'one of each',
        flow: setting([
          { variable: 'a', to: null },
          { variable: 'b.c', add: '{{ n }}' },
          { variable: 'd', append: { e: 1 } },
          { variable: 'd', remove: 'f' },
          { variable: 'a', clear: true },
        ]),
      },
    ],
  },
  variants_invalid: {
    shown: [
      {
        because: 'one text is no list',
        flow: flow([say('m', { variants: 'Hello' }), end()], [to('m', 'end')]),
        at: '/nodes/0/variants',
      },
      {
        because: 'a number is no text',
        flow: flow(
          [ask('q', 'x', { variants: ['And you?', 7] }), end('end', { text: '{{ x }}' })],
          [to('q', 'end')],
        ),
        at: '/nodes/0/variants',
      },
      {
        because: 'more than anybody hears',
        flow: flow([say('m', { variants: Array.from({ length: 21 }, String) }), end()], [to('m', 'end')]),
        at: '/nodes/0/variants',
      },
    ],
    notShown: [
      { because: 'texts', flow: flow([say('m', { variants: ['Hi', 'Hey'] }), end()], [to('m', 'end')]) },
      { because: 'other nodes say no variants', flow: flow([end('end', { variants: 7 })]) },
    ],
  },
  unknown_cast: {
    shown: [
      {
        because: 'no such cast',
        flow: flow([ask('q', 'x', { cast: 'colour' }), end()], [to('q', 'end')]),
        at: '/nodes/0/cast',
      },
    ],
    notShown: [
      { because: 'an alias', flow: flow([ask('q', 'x', { cast: 'int' }), end()], [to('q', 'end')]) },
      {
        because: 'only a collect node casts',
        flow: flow([say('a', { cast: 'colour' }), end()], [to('a', 'end')]),
      },
    ],
  },
  enum_without_choices: {
    shown: [
      {
        because: 'none listed',
        flow: flow([ask('q', 'x', { cast: 'enum' }), end()], [to('q', 'end')]),
        at: '/nodes/0/choices',
      },
      {
        because: 'an empty list',
        flow: flow([ask('q', 'x', { cast: 'enum', choices: [] }), end()], [to('q', 'end')]),
        at: '/nodes/0/choices',
      },
    ],
    notShown: [
      {
        because: 'one is enough',
        flow: flow([ask('q', 'x', { cast: 'enum', choices: ['yes'] }), end()], [to('q', 'end')]),
      },
    ],
  },
  collect_without_variable: {
    shown: [
      { because: 'none', flow: flow([ask('q', null), end()], [to('q', 'end')]), at: '/nodes/0/variable' },
      {
        because: 'the engine keeps its own',
        flow: flow([ask('q', '_flow.attempts'), end()], [to('q', 'end')]),
        at: '/nodes/0/variable',
      },
      {
        because: 'no name',
        flow: flow([ask('q', 'a b['), end()], [to('q', 'end')]),
        at: '/nodes/0/variable',
      },
      {
        because: 'never read again',
        flow: flow([ask('q', 'user_input'), end()], [to('q', 'end')]),
        at: '/nodes/0/variable',
      },
    ],
    notShown: [{ because: 'a path will do', flow: flow([ask('q', 'user.name'), end()], [to('q', 'end')]) }],
  },
  output_var_collision: {
    shown: [
      {
        because: 'an answer goes there',
        flow: flow([ask('q', 'x'), tool('t', 'x'), end()], [to('q', 't'), to('t', 'end')]),
        at: '/nodes/1/output_var',
      },
      {
        because: 'an agent does too',
        flow: flow([tool('t', 'agent_result'), agent('a'), end()], [to('t', 'a'), to('a', 'end')]),
        at: '/nodes/1/output_var',
      },
      {
        because: 'another tool does too',
        flow: flow(
          [tool('t', 'x'), tool('u', 'x', { tool: 'other' }), end()],
          [to('t', 'u'), to('u', 'end')],
        ),
        at: '/nodes/0/output_var',
      },
      {
        because: 'a name of the engine',
        flow: flow([tool('t', '_attempts'), end()], [to('t', 'end')]),
        at: '/nodes/0/output_var',
      },
    ],
    notShown: [
      {
        because: 'the same tool again',
        flow: flow([tool('t', 'x'), tool('u', 'x'), end()], [to('t', 'u'), to('u', 'end')]),
      },
      {
        because: 'two agents share the default',
        flow: flow([agent('a'), agent('b'), end()], [to('a', 'b'), to('b', 'end')]),
      },
      {
        because: 'two questions ask for the same',
        flow: flow([ask('a', 'x'), ask('b', 'x'), end()], [to('a', 'b'), to('b', 'end')]),
      },
    ],
  },
} satisfies ExamplesByCode;
