// Examples of the codes about what a node needs, about typos, and about comparisons of an answer
// with impossible values.
import type { Definition, ExamplesByCode } from './pieces.ts';
import { agent, ask, end, flow, node, say, to, when } from './pieces.ts';

type Node = ReturnType<typeof end>;

const one = (start: Node, ...more: Node[]): Definition =>
  flow([start, ...more, end()], [to(start.id, 'end')]);
const answered = (members: Record<string, unknown>, op: string, value?: unknown): Definition =>
  flow(
    [ask('q', 'x', members), say('m', { text: '{{ x }}' }), end()],
    [when('q', 'm', 'x', op, value), to('q', 'end'), to('m', 'end')],
  );

export const nodes = {
  unknown_member: {
    shown: [
      {
        because: 'a letter is missing',
        flow: one(say('m', { text: 'Hi', txt: 'Hello', variats: ['Hey'] })),
        at: '/nodes/0/variats',
      },
      {
        because: 'another spelling',
        flow: one(ask('q', 'x', { maxAttempts: 3, 'max-attempts': 3 })),
        at: '/nodes/0/maxAttempts',
      },
      {
        because: 'what others call it',
        flow: one(say('m', { text: 'Hi', next: 'end' })),
        at: '/nodes/0/next',
      },
      {
        because: 'on an edge',
        flow: flow(
          [ask('q', 'x'), end()],
          [{ source: 'q', target: 'end', variable: 'x', operator: 'eq', value: 1 }],
        ),
        at: '/edges/0/operator',
      },
      {
        because: 'a condition that is none',
        flow: flow([ask('q', 'x'), end()], [{ source: 'q', target: 'end', conditon: 'wants to go' }]),
        at: '/edges/0/conditon',
      },
    ],
    notShown: [
      {
        because: 'data of an editor',
        flow: one(say('m', { text: 'Hi', position: { x: 1 }, name: 'Hello', style: {}, x: 1, tag: 'a' })),
      },
      { because: 'both are there', flow: one(say('m', { text: 'Hi', content: 'Hello' })) },
      {
        because: 'triggers carry what others read',
        flow: one(say('m', { text: 'Hi' }), node('trigger')('t', { event: 'call' })),
      },
    ],
  },
  message_without_text: {
    shown: [{ because: 'nothing at all', flow: one(say('m')), at: '/nodes/0/text' }],
    notShown: [{ because: 'variants are texts', flow: one(say('m', { variants: ['Hi'] })) }],
  },
  collect_without_prompt: {
    shown: [{ because: 'blank', flow: one(ask('q', 'x', { prompt: ' ' })), at: '/nodes/0/prompt' }],
    notShown: [{ because: 'a question', flow: one(ask('q', 'x')) }],
  },
  tool_without_name: {
    shown: [{ because: 'no tool', flow: one(node('tool')('t')), at: '/nodes/0/tool' }],
    notShown: [{ because: 'a tool', flow: one(node('tool')('t', { tool: 'lookup' })) }],
  },
  handoff_without_target: {
    shown: [{ because: 'to nobody', flow: flow([node('handoff')('h')]), at: '/nodes/0/target' }],
    notShown: [{ because: 'to somebody', flow: flow([node('handoff')('h', { target: 'desk' })]) }],
  },
  agent_without_goal: {
    shown: [{ because: 'no goal', flow: one(node('autonomous')('a')), at: '/nodes/0/goal' }],
    notShown: [{ because: 'a goal', flow: one(agent('a', { goal: 'Book a table' })) }],
  },
  region_unknown: {
    shown: [
      {
        because: 'no country',
        flow: one(ask('q', 'x', { cast: 'phone', default_region: 'Germany' })),
        at: '/nodes/0/default_region',
      },
    ],
    notShown: [
      { because: 'in small letters', flow: one(ask('q', 'x', { cast: 'phone', default_region: 'de' })) },
      { because: 'another cast does not read it', flow: one(ask('q', 'x', { default_region: 'Germany' })) },
    ],
  },
  flag_ignored: {
    shown: [
      { because: 'as in JavaScript', flow: answered({}, 'matches', '/^a+$/gi'), at: '/edges/0/value' },
      { because: 'without flags', flow: answered({}, 'not_matches', '/a/'), at: '/edges/0/value' },
    ],
    notShown: [
      { because: 'a path', flow: answered({}, 'matches', '/home/ada') },
      { because: 'no pattern', flow: answered({}, 'eq', '/a/') },
    ],
  },
  value_ignored: {
    shown: [
      { because: 'a comparison was meant', flow: answered({}, 'exists', 'gold'), at: '/edges/0/value' },
      { because: 'the opposite was meant', flow: answered({}, 'not_empty', false), at: '/edges/0/value' },
    ],
    notShown: [
      { because: 'none', flow: answered({}, 'exists') },
      { because: 'it says the same', flow: answered({}, 'exists', true) },
    ],
  },
  value_outside_choices: {
    shown: [
      {
        because: 'a synonym is not captured',
        flow: answered({ cast: 'enum', choices: [{ value: 'tea', synonyms: ['chai'] }] }, 'eq', 'chai'),
        at: '/edges/0/value',
      },
      {
        because: 'one of several',
        flow: answered({ cast: 'enum', choices: ['tea', 'milk'] }, 'in', ['tea', 'water']),
        at: '/edges/0/value',
      },
    ],
    notShown: [
      { because: 'in capitals', flow: answered({ cast: 'enum', choices: ['tea'] }, 'eq', 'TEA') },
      {
        because: 'known in a turn only',
        flow: answered({ cast: 'enum', choices: ['tea'] }, 'eq', '{{ y }}'),
      },
    ],
  },
  dead_edge_behind_cast: {
    shown: [
      {
        because: 'a word is no number',
        flow: answered({ cast: 'integer' }, 'eq', 'many'),
        at: '/edges/0/value',
      },
      {
        because: 'no whole number',
        flow: answered({ cast: 'integer' }, 'in', [1.5, 2.5]),
        at: '/edges/0/value',
      },
      {
        because: 'neither true nor false',
        flow: answered({ cast: 'boolean' }, 'eq', 'maybe'),
        at: '/edges/0/value',
      },
      {
        because: 'a day is captured as ISO 8601',
        flow: answered({ cast: 'date' }, 'eq', 'tomorrow'),
        at: '/edges/0/value',
      },
      { because: 'no address', flow: answered({ cast: 'email' }, 'eq', 'none'), at: '/edges/0/value' },
    ],
    notShown: [
      { because: 'a number in a text', flow: answered({ cast: 'integer' }, 'eq', '7') },
      { because: 'one of them may be', flow: answered({ cast: 'integer' }, 'in', [1.5, 2]) },
      { because: 'texts may be anything', flow: answered({}, 'eq', 'many') },
      { because: 'everything else is unequal', flow: answered({ cast: 'integer' }, 'neq', 'many') },
    ],
  },
} as const satisfies ExamplesByCode;
