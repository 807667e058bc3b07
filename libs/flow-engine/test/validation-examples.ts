// For every validation code: flows that show it, with the place, and near misses that do not. Run by validate.test.ts.
import type { Severity, ValidationCode } from '../src/index.ts';

type Members = Record<string, unknown>;

export interface Definition {
  start?: string;
  nodes: Members[];
  edges: Members[];
}

/** A flow that shows the code: at this JSON pointer, with this severity (when the code has two) and witness. */
export interface Shown {
  readonly because: string;
  readonly flow: Definition;
  readonly at: string;
  readonly severity?: Severity;
  readonly witness?: readonly string[];
}

export interface NotShown {
  readonly because: string;
  readonly flow: Definition;
}

export interface Examples {
  readonly shown: readonly Shown[];
  readonly notShown: readonly NotShown[];
}

const node =
  (type: string) =>
  (id: string, more: Members = {}) => ({ id, type, ...more });
export const say = node('message');
export const ask = (id: string, variable: string | null = 'answer', more: Members = {}) =>
  node('collect')(id, { prompt: 'Well?', ...(variable === null ? {} : { variable }), ...more });
export const branch = node('branch');
export const tool = (id: string, outputVar?: string, more: Members = {}) =>
  node('tool')(id, {
    tool: 'lookup',
    ...(outputVar === undefined ? {} : { output_var: outputVar }),
    ...more,
  });
export const agent = node('autonomous');
export const handoff = node('handoff');
export const end = (id = 'end', more: Members = {}) => node('end')(id, more);
export const to = (source: string, target: string, more: Members = {}) => ({ source, target, ...more });
/** An edge with a comparison. */
export const when = (
  source: string,
  target: string,
  variable: string,
  op: string,
  value?: unknown,
  more: Members = {},
) => to(source, target, { variable, op, ...(value === undefined ? {} : { value }), ...more });
export const flow = (nodes: Members[], edges: Members[] = [], start?: string): Definition => ({
  ...(start === undefined ? {} : { start }),
  nodes,
  edges,
});

/** A branch `b` over `x`, with these edges out of it to `end`; the caller brings `x`. */
const branching = (...edges: Members[]): Definition =>
  flow(
    [branch('b'), end(), end('other')],
    edges.map((edge) => ({ source: 'b', target: 'end', ...edge })),
  );
const fallback = { target: 'other' };
/** The same, with the conditions as [op, value] on `x`. */
const comparing = (...comparisons: [op: string, value?: unknown, more?: Members][]): Definition =>
  branching(
    ...comparisons.map(([op, value, more]) => ({
      variable: 'x',
      op,
      ...(value === undefined ? {} : { value }),
      ...more,
    })),
    fallback,
  );

/** One agent with these members, and what it needs to be a flow. */
const withAgent = (members: Members): Definition => flow([agent('a', members), end()], [to('a', 'end')]);
const dispatchTo = (url: unknown): Definition =>
  withAgent({ tools: ['pay'], tool_dispatch: { pay: { url } } });
const fine: Definition = flow([say('hello'), end()], [to('hello', 'end')]);

export const examples: Readonly<Record<ValidationCode, Examples>> = {
  no_nodes: {
    shown: [{ because: 'there are none', flow: flow([]), at: '/nodes' }],
    notShown: [{ because: 'one is enough', flow: flow([end()]) }],
  },
  duplicate_node_id: {
    shown: [
      {
        because: 'the second end',
        flow: flow([say('a'), end('b'), end('b')], [to('a', 'b')]),
        at: '/nodes/2/id',
      },
    ],
    notShown: [{ because: 'ids mind the case', flow: flow([say('a'), end('A')], [to('a', 'A')]) }],
  },
  unknown_node_type: {
    shown: [
      {
        because: 'a word of another product',
        flow: flow([{ id: 'a', type: 'speak' }, end()], [to('a', 'end')]),
        at: '/nodes/0/type',
      },
      { because: 'no type at all', flow: flow([{ id: 'a' }, end()], [to('a', 'end')]), at: '/nodes/0/type' },
    ],
    notShown: [
      { because: 'aliases are types', flow: flow([{ id: 'a', type: 'say' }, end()], [to('a', 'end')]) },
    ],
  },
  start_not_found: {
    shown: [{ because: 'it names no node', flow: flow([end()], [], 'begin'), at: '/start' }],
    notShown: [
      {
        because: 'without one, the first node is it',
        flow: flow([say('first'), end()], [to('first', 'end')]),
      },
      { because: 'no nodes is another matter', flow: flow([]) },
    ],
  },
  start_not_walkable: {
    shown: [
      { because: 'the persona comes first', flow: flow([node('global')('g'), end()]), at: '/nodes/0' },
      { because: 'it is named', flow: flow([end(), node('webhook')('w')], [], 'w'), at: '/start' },
    ],
    notShown: [{ because: 'the start is named', flow: flow([node('global')('g'), end()], [], 'end') }],
  },
  edge_source_unknown: {
    shown: [{ because: 'nobody', flow: flow([end()], [to('nobody', 'end')]), at: '/edges/0/source' }],
    notShown: [{ because: 'both ends are there', flow: fine }],
  },
  edge_target_unknown: {
    shown: [
      {
        because: 'nowhere',
        flow: flow([say('a'), end()], [to('a', 'nowhere'), to('a', 'end')]),
        at: '/edges/0/target',
      },
    ],
    notShown: [{ because: 'both ends are there', flow: fine }],
  },
  duplicate_edge: {
    shown: [
      {
        because: 'the same comparison, the operator once as an alias',
        flow: comparing(['eq', 1], ['==', 1]),
        at: '/edges/1',
      },
      { because: 'two defaults to one node', flow: branching({}, {}), at: '/edges/1' },
    ],
    notShown: [
      { because: 'another value', flow: comparing(['eq', 1], ['eq', 2]) },
      { because: 'a number is no text', flow: comparing(['eq', 1], ['eq', '1']) },
      {
        because: 'another target',
        flow: branching(
          { variable: 'x', op: 'eq', value: 1 },
          { variable: 'x', op: 'eq', value: 1, target: 'other' },
          fallback,
        ),
      },
    ],
  },
  edge_on_declarative_node: {
    shown: [
      {
        because: 'a persona is no step',
        flow: flow([say('a'), node('global')('g'), end()], [to('a', 'g'), to('a', 'end')]),
        at: '/edges/0/target',
      },
      {
        because: 'a webhook leads nowhere',
        flow: flow([end(), node('webhook')('w')], [to('w', 'end')]),
        at: '/edges/0/source',
      },
      {
        because: 'nothing leads to a trigger',
        flow: flow([say('a'), node('trigger')('t'), end()], [to('a', 't'), to('a', 'end')]),
        at: '/edges/0/target',
      },
    ],
    notShown: [
      {
        because: 'a trigger leads somewhere',
        flow: flow([node('trigger')('t'), end()], [to('t', 'end')], 'end'),
      },
    ],
  },
  terminal_has_outgoing: {
    shown: [
      { because: 'after the end', flow: flow([end('a'), end()], [to('a', 'end')]), at: '/edges/0' },
      { because: 'after the handoff', flow: flow([handoff('a'), end()], [to('a', 'end')]), at: '/edges/0' },
    ],
    notShown: [{ because: 'a message goes on', flow: fine }],
  },
  constraint_min_incoming: {
    shown: [
      {
        because: 'the node asks for two',
        flow: flow([say('a'), end('end', { graph_constraints: { min_incoming: 2 } })], [to('a', 'end')]),
        at: '/nodes/1/graph_constraints/min_incoming',
      },
    ],
    notShown: [
      {
        because: 'parallel edges count each',
        flow: flow(
          [branch('a'), end('end', { graph_constraints: { min_incoming: 2 } })],
          [when('a', 'end', 'x', 'exists'), to('a', 'end')],
        ),
      },
      { because: 'nothing is asked', flow: fine },
    ],
  },
  constraint_max_incoming: {
    shown: [
      {
        because: 'parallel edges count each',
        flow: flow(
          [branch('a'), end('end', { graph_constraints: { max_incoming: 1 } })],
          [when('a', 'end', 'x', 'exists'), to('a', 'end')],
        ),
        at: '/nodes/1/graph_constraints/max_incoming',
      },
      {
        because: 'by default, nothing enters a webhook',
        flow: flow([say('a'), node('webhook')('w'), end()], [to('a', 'w'), to('a', 'end')]),
        at: '/nodes/1',
      },
    ],
    notShown: [
      {
        because: 'one is allowed',
        flow: flow([say('a'), end('end', { graph_constraints: { max_incoming: 1 } })], [to('a', 'end')]),
      },
    ],
  },
  constraint_min_outgoing: {
    shown: [
      { because: 'by default, an edge leaves a branch', flow: flow([branch('a')]), at: '/nodes/0' },
      { because: 'by default, an edge leaves a collect node', flow: flow([ask('a')]), at: '/nodes/0' },
    ],
    notShown: [
      {
        because: 'the node asks for less',
        flow: flow([branch('a', { graph_constraints: { min_outgoing: 0 } })]),
      },
      {
        because: 'null counts as absent, and one is there',
        flow: flow([branch('a', { graph_constraints: { min_outgoing: null } }), end()], [to('a', 'end')]),
      },
    ],
  },
  constraint_max_outgoing: {
    shown: [
      {
        because: 'the node allows one',
        flow: flow(
          [branch('a', { graph_constraints: { max_outgoing: 1 } }), end()],
          [when('a', 'end', 'x', 'exists'), to('a', 'end')],
        ),
        at: '/nodes/0/graph_constraints/max_outgoing',
      },
      {
        because: 'by default, nothing leaves an end',
        flow: flow([end('a'), end()], [to('a', 'end')]),
        at: '/nodes/0',
      },
    ],
    notShown: [{ because: 'branches may have many', flow: comparing(['eq', 1], ['eq', 2], ['eq', 3]) }],
  },
  constraint_min_instances: {
    shown: [
      {
        because: 'the node asks for company',
        flow: flow([end('end', { graph_constraints: { min_instances: 2 } })]),
        at: '/nodes/0/graph_constraints/min_instances',
      },
    ],
    notShown: [
      {
        because: 'an alias is the same type',
        flow: flow(
          [say('a', { graph_constraints: { min_instances: 2 } }), { id: 'b', type: 'say' }, end()],
          [to('a', 'b'), to('b', 'end')],
        ),
      },
    ],
  },
  constraint_max_instances: {
    shown: [
      {
        because: 'the second persona',
        flow: flow([end(), node('global')('g'), node('global')('h')], [], 'end'),
        at: '/nodes/2',
      },
      {
        because: 'the node allows one',
        flow: flow(
          [say('a', { graph_constraints: { max_instances: 1 } }), say('b'), end()],
          [to('a', 'b'), to('b', 'end')],
        ),
        at: '/nodes/0/graph_constraints/max_instances',
      },
    ],
    notShown: [
      {
        because: 'the second persona says that two are fine',
        flow: flow(
          [end(), node('global')('g'), node('global')('h', { graph_constraints: { max_instances: 2 } })],
          [],
          'end',
        ),
      },
      {
        because: 'there may be many webhooks',
        flow: flow([end(), node('webhook')('g'), node('webhook')('h')]),
      },
    ],
  },
  constraint_invalid: {
    shown: [
      {
        because: 'min above max',
        flow: flow([end('end', { graph_constraints: { min_incoming: 2, max_incoming: 1 } })]),
        at: '/nodes/0/graph_constraints',
      },
      {
        because: 'min above the default max',
        flow: flow([end('end', { graph_constraints: { min_outgoing: 1 } })]),
        at: '/nodes/0/graph_constraints',
      },
      {
        because: 'below zero',
        flow: flow([end('end', { graph_constraints: { min_incoming: -1 } })]),
        at: '/nodes/0/graph_constraints/min_incoming',
      },
      {
        because: 'half an edge',
        flow: flow([end('end', { graph_constraints: { max_incoming: 1.5 } })]),
        at: '/nodes/0/graph_constraints/max_incoming',
      },
      {
        because: 'no such constraint',
        flow: flow([end('end', { graph_constraints: { 'max/incoming': 1 } })]),
        at: '/nodes/0/graph_constraints/max~1incoming',
      },
    ],
    notShown: [
      {
        because: 'min may equal max, and be zero',
        flow: flow([end('end', { graph_constraints: { min_incoming: 0, max_incoming: 0 } })]),
      },
    ],
  },

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
    ],
    notShown: [
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

  unreachable_node: {
    shown: [{ because: 'nothing leads there', flow: flow([end(), end('island')]), at: '/nodes/1' }],
    notShown: [
      {
        because: 'configuration is reached otherwise',
        flow: flow([end(), node('global')('g'), node('webhook')('w')]),
      },
      {
        because: 'a trigger leads there',
        flow: flow([end(), node('trigger')('t'), end('called')], [to('t', 'called')]),
      },
      { because: 'without a start everything would be', flow: flow([end()], [], 'nowhere') },
    ],
  },
  dead_end: {
    shown: [
      { because: 'a message', flow: flow([say('a')]), at: '/nodes/0' },
      { because: 'a branch', flow: flow([branch('a')]), at: '/nodes/0' },
    ],
    notShown: [
      { because: 'an end', flow: flow([end()]) },
      { because: 'a persona', flow: flow([end(), node('global')('g')]) },
    ],
  },
  no_path_to_terminal: {
    shown: [
      {
        because: 'no end at all',
        flow: flow([ask('a'), say('b')], [to('a', 'b'), to('b', 'a')]),
        at: '/nodes/0',
      },
      {
        because: 'behind the branch, where the hope ends',
        flow: flow(
          [branch('a'), say('b'), say('c'), say('d'), end()],
          [when('a', 'b', 'x', 'exists'), to('a', 'end'), to('b', 'c'), to('c', 'd')],
        ),
        at: '/nodes/1',
      },
    ],
    notShown: [
      {
        because: 'round and out',
        flow: flow([ask('a'), end()], [when('a', 'a', 'answer', 'eq', 'again'), to('a', 'end')]),
      },
      { because: 'a dead end is said to be one', flow: flow([say('a')]) },
    ],
  },
  trap_cycle: {
    shown: [
      {
        because: 'it asks for ever',
        flow: flow(
          [say('a'), ask('b'), say('c'), end()],
          [to('a', 'b'), to('b', 'c'), when('b', 'c', 'answer', 'eq', 'x'), to('c', 'b')],
        ),
        at: '/nodes/1',
        witness: ['b', 'c', 'b'],
      },
      {
        because: 'it asks itself',
        flow: flow([ask('a')], [to('a', 'a')]),
        at: '/nodes/0',
        witness: ['a', 'a'],
      },
    ],
    notShown: [
      {
        because: 'there is a way out',
        flow: flow([ask('a'), end()], [when('a', 'end', 'answer', 'eq', 'stop'), to('a', 'a')]),
      },
      { because: 'nobody gets in', flow: flow([end(), ask('a')], [to('a', 'a')]) },
      { because: 'one that does not even ask is a silent cycle', flow: flow([say('a')], [to('a', 'a')]) },
    ],
  },

  silent_cycle: {
    shown: [
      {
        because: 'two messages for ever',
        flow: flow([say('a'), say('b')], [to('a', 'b'), to('b', 'a')]),
        at: '/nodes/0',
        severity: 'error',
        witness: ['a', 'b', 'a'],
      },
      {
        because: 'one for ever',
        flow: flow([say('a'), end()], [to('a', 'a')]),
        at: '/nodes/0',
        severity: 'error',
        witness: ['a', 'a'],
      },
      {
        because: 'a condition leads out',
        flow: flow(
          [say('a'), branch('b'), end()],
          [to('a', 'b'), when('b', 'end', 'x', 'exists'), to('b', 'a')],
        ),
        at: '/nodes/0',
        severity: 'warning',
        witness: ['a', 'b', 'a'],
      },
      {
        because: 'the condition that leads out never holds',
        flow: flow(
          [say('a'), branch('b'), end()],
          [to('a', 'b'), when('b', 'end', 'x', 'in', []), to('b', 'a')],
        ),
        at: '/nodes/0',
        severity: 'error',
      },
      {
        because: 'the condition that leads on may fail, and then the turn is over',
        flow: flow([say('a'), branch('b')], [to('a', 'b'), when('b', 'a', 'x', 'exists')]),
        at: '/nodes/0',
        severity: 'warning',
      },
      {
        because: 'every way leads back',
        flow: flow(
          [branch('a'), say('b')],
          [when('a', 'b', 'x', 'exists'), when('a', 'a', 'x', 'not_exists'), to('b', 'a')],
        ),
        at: '/nodes/0',
        severity: 'error',
      },
      {
        because: 'only a caller can enter it',
        flow: flow([end(), say('a')], [to('a', 'a')]),
        at: '/nodes/1',
        severity: 'warning',
      },
      {
        because: 'a cycle in which nothing waits hangs on one that asks',
        flow: flow([ask('q'), say('a'), say('b')], [to('q', 'a'), to('a', 'b'), to('b', 'a')]),
        at: '/nodes/1',
        severity: 'error',
        witness: ['a', 'b', 'a'],
      },
    ],
    notShown: [
      {
        because: 'it waits',
        flow: flow(
          [say('a'), ask('b'), end()],
          [to('a', 'b'), when('b', 'end', 'answer', 'exists'), to('b', 'a')],
        ),
      },
      { because: 'it goes round an end', flow: flow([say('a'), end()], [to('a', 'end'), to('end', 'a')]) },
    ],
  },
  bound_exceeds_limit: {
    shown: [
      {
        because: 'six in a row, five allowed',
        flow: flow(
          [...'abcde'].map((id) => say(id)).concat(end()),
          [...'abcde'].map((id, at) => to(id, [...'bcde', 'end'][at]!)),
        ),
        at: '/nodes/0',
        witness: ['a', 'b', 'c', 'd', 'e', 'end'],
      },
      {
        because: 'a resumed node counts',
        flow: flow(
          [ask('q', null), ...[...'abcd'].map((id) => say(id)), end()],
          [...'qabcd'].map((id, at) => to(id, [...'abcd', 'end'][at]!)),
        ),
        at: '/nodes/0',
        witness: ['q', 'a', 'b', 'c', 'd', 'end'],
      },
    ],
    notShown: [
      {
        because: 'five in a row, five allowed',
        flow: flow(
          [...'abcd'].map((id) => say(id)).concat(end()),
          [...'abcd'].map((id, at) => to(id, [...'bcd', 'end'][at]!)),
        ),
      },
      {
        because: 'a question ends the turn',
        flow: flow(
          [say('a'), say('b'), say('c'), ask('q', null), say('d'), end()],
          [...'abcqd'].map((id, at) => to(id, [...'bcqd', 'end'][at]!)),
        ),
      },
    ],
  },

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
        because: 'asking whether it is there is fine, and so is a default',
        flow: flow(
          [branch('a'), ask('q', 'name'), end('end', { text: '{{ name | default: "there" }}' })],
          [when('a', 'q', 'name', 'not_exists'), to('a', 'end'), to('q', 'end')],
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
  template_syntax: {
    shown: [
      { because: 'not closed', flow: flow([end('end', { text: 'Hi {{ name' })]), at: '/nodes/0/text' },
      { because: 'no path', flow: flow([end('end', { text: '{{ a..b }}' })]), at: '/nodes/0/text' },
      {
        because: 'no such filter',
        flow: flow([end('end', { text: '{{ name | upper }}' })]),
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
      { because: 'single braces are text', flow: flow([end('end', { text: '{ "a": {} }}' })]) },
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

  dispatch_unknown_tool: {
    shown: [
      {
        because: 'misspelt',
        flow: withAgent({ tools: ['pay'], tool_dispatch: { pya: { url: 'https://api.example.com' } } }),
        at: '/nodes/0/tool_dispatch/pya',
      },
      {
        because: 'no tools at all',
        flow: withAgent({ tool_dispatch: { 'a/b': { url: 'https://api.example.com' } } }),
        at: '/nodes/0/tool_dispatch/a~1b',
      },
    ],
    notShown: [
      { because: 'named', flow: dispatchTo('https://api.example.com') },
      {
        because: 'named in the long form',
        flow: withAgent({
          tools: [{ type: 'function', function: { name: 'pay' } }],
          tool_dispatch: { pay: { url: 'https://api.example.com' } },
        }),
      },
      {
        because: 'only agents dispatch',
        flow: flow([say('a', { tool_dispatch: { x: 1 } }), end()], [to('a', 'end')]),
      },
    ],
  },
  tool_without_dispatch: {
    shown: [
      {
        because: 'no endpoint',
        flow: withAgent({
          tools: ['pay', { name: 'refund' }],
          tool_dispatch: { pay: { url: 'https://api.example.com' } },
        }),
        at: '/nodes/0/tools/1',
      },
      { because: 'no name', flow: withAgent({ tools: [{ description: 'pays' }] }), at: '/nodes/0/tools/0' },
    ],
    notShown: [
      { because: 'it has one', flow: dispatchTo('https://api.example.com') },
      { because: 'the built-in one needs none', flow: withAgent({ tools: ['goal_reached'] }) },
      {
        because: 'elsewhere tools are a binding',
        flow: flow([say('a', { tools: ['pay'] }), end()], [to('a', 'end')]),
      },
    ],
  },
  dispatch_url_invalid: {
    shown: [
      {
        because: 'no url',
        flow: withAgent({ tools: ['pay'], tool_dispatch: { pay: {} } }),
        at: '/nodes/0/tool_dispatch/pay',
      },
      {
        because: 'no object',
        flow: withAgent({ tools: ['pay'], tool_dispatch: { pay: null } }),
        at: '/nodes/0/tool_dispatch/pay',
      },
      ...[
        'not a url',
        'http://api.example.com',
        'https://user@api.example.com',
        'https://backend/pay',
        'https://pay.svc',
        'https://pay.localhost',
        'https://pay.local.',
        'https://metadata.google.internal',
        'https://127.0.0.1',
        'https://10.1.2.3',
        'https://0x7f.1/',
        'https://169.254.169.254/latest',
        'https://100.64.0.1',
        'https://224.0.0.1',
        'https://[::1]/',
        'https://[fd00::1]/',
        'https://[fe80::1]/',
        'https://[::ffff:8.8.8.8]/',
        'https://[64:ff9b::8.8.8.8]/',
        'https://[2002:808:808::1]/',
        'https://[2001:db8::1]/',
      ].map((url) => ({ because: url, flow: dispatchTo(url), at: '/nodes/0/tool_dispatch/pay/url' })),
    ],
    notShown: [
      'https://api.example.com',
      'https://api.example.com.:8443/pay?x=1',
      'https://localhost.example.com',
      'https://8.8.8.8/',
      'https://[2606:4700::1111]/',
    ].map((url) => ({ because: url, flow: dispatchTo(url) })),
  },
  bound_invalid: {
    shown: [
      { because: 'no iterations', flow: withAgent({ max_iterations: 0 }), at: '/nodes/0/max_iterations' },
      {
        because: 'half an iteration',
        flow: withAgent({ max_iterations: 1.5 }),
        at: '/nodes/0/max_iterations',
      },
      {
        because: 'more than the cap',
        flow: withAgent({ max_iterations: 26 }),
        at: '/nodes/0/max_iterations',
      },
      { because: 'no time', flow: withAgent({ turn_budget: 0 }), at: '/nodes/0/turn_budget' },
      { because: 'more than the cap', flow: withAgent({ turn_budget: 121 }), at: '/nodes/0/turn_budget' },
      {
        because: 'no attempts',
        flow: flow([ask('q', 'x', { max_attempts: 0 }), end()], [to('q', 'end')]),
        at: '/nodes/0/max_attempts',
      },
    ],
    notShown: [
      { because: 'at the caps', flow: withAgent({ max_iterations: 25, turn_budget: 120 }) },
      { because: 'half a second', flow: withAgent({ max_iterations: 1, turn_budget: 0.5 }) },
      { because: 'one attempt', flow: flow([ask('q', 'x', { max_attempts: 1 }), end()], [to('q', 'end')]) },
    ],
  },
  context_var_unknown: {
    shown: [
      {
        because: 'nobody sets it',
        flow: withAgent({ context_vars: ['name'] }),
        at: '/nodes/0/context_vars/0',
      },
    ],
    notShown: [
      {
        because: 'an answer sets it',
        flow: flow(
          [ask('q', 'name'), agent('a', { context_vars: ['name'] }), end()],
          [to('q', 'a'), to('a', 'end')],
        ),
      },
      { because: 'the engine knows it', flow: withAgent({ context_vars: ['user_input'] }) },
    ],
  },
};
