// Examples of the codes about the pieces of a flow and how they connect.
import type { ExamplesByCode } from './pieces.ts';
import {
  ask,
  branch,
  branching,
  comparing,
  end,
  fallback,
  fine,
  flow,
  handoff,
  node,
  say,
  to,
  when,
} from './pieces.ts';

export const structure = {
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
    ],
    notShown: [
      { because: 'a second default is reported as one', flow: branching({}, {}) },
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
    ],
    notShown: [
      {
        because: 'nothing enters a webhook: the edge is reported',
        flow: flow([say('a'), node('webhook')('w'), end()], [to('a', 'w'), to('a', 'end')]),
      },
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
    ],
    notShown: [
      {
        because: 'nothing leaves an end: the edge is reported',
        flow: flow([end('a'), end()], [to('a', 'end')]),
      },
      { because: 'branches may have many', flow: comparing(['eq', 1], ['eq', 2], ['eq', 3]) },
    ],
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
} satisfies ExamplesByCode;
