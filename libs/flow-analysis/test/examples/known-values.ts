// Examples of codes about edges that compare values which earlier nodes have set.
import type { ExamplesByCode } from './pieces.ts';
import { ask, branch, end, flow, node, say, to, when, type Definition } from './pieces.ts';

const setting = (id: string, value: unknown, more: Record<string, unknown> = {}) =>
  say(id, { set: [{ variable: 'x', to: value, ...more }] });

/** These nodes set `x` one after the other, before a branch compares it with 1. */
const comparedAfter = (...nodes: { id: string; type: string }[]): Definition =>
  flow(
    [...nodes, branch('b'), end()],
    [
      ...nodes.map(({ id }, place) => to(id, nodes[place + 1]?.id ?? 'b')),
      when('b', 'end', 'x', 'eq', 1),
      to('b', 'end'),
    ],
  );

export const besideSets: ExamplesByCode = {
  contradictory_edge: {
    shown: [
      {
        because: 'a node before has set another value',
        flow: comparedAfter(setting('a', 2)),
        at: '/edges/1',
      },
      {
        because: 'there is a node between',
        flow: comparedAfter(setting('a', 2), say('between')),
        at: '/edges/2',
      },
      {
        because: 'it was counted on from there',
        flow: comparedAfter(setting('a', 1), say('c', { set: [{ variable: 'x', add: 1 }] })),
        at: '/edges/2',
      },
      {
        because: 'both ways set the same',
        flow: flow(
          [branch('a'), setting('c', 2), setting('d', 2), branch('b'), end()],
          [
            when('a', 'c', 'way', 'exists'),
            to('a', 'd'),
            to('c', 'b'),
            to('d', 'b'),
            when('b', 'end', 'x', 'eq', 1),
            to('b', 'end'),
          ],
        ),
        at: '/edges/4',
      },
    ],
    notShown: [
      { because: 'it may be what it was set to', flow: comparedAfter(setting('a', 1)) },
      {
        because: 'the caller may bring another in the next turn',
        flow: comparedAfter(setting('a', 2), ask('q')),
      },
      { because: 'it is known in the turn only', flow: comparedAfter(setting('a', '{{ y }}')) },
      {
        because: 'an agent has written it since',
        flow: comparedAfter(setting('a', 2), node('autonomous')('c', { goal: 'g', output_var: 'x' })),
      },
      {
        because: 'one of two ways does not set it',
        flow: flow(
          [branch('a'), setting('c', 2), branch('b'), end()],
          [
            when('a', 'c', 'way', 'exists'),
            to('a', 'b'),
            to('c', 'b'),
            when('b', 'end', 'x', 'eq', 1),
            to('b', 'end'),
          ],
        ),
      },
      {
        because: 'it is counted on in a cycle',
        flow: flow(
          [setting('a', 0), say('b', { set: [{ variable: 'x', add: 1 }] }), end()],
          [to('a', 'b'), when('b', 'end', 'x', 'eq', 3), to('b', 'b')],
        ),
      },
    ],
  },
  shadowed_edge: {
    shown: [
      {
        because: 'a node before has set what the first edge asks for',
        flow: comparedAfter(setting('a', 1)),
        at: '/edges/2',
      },
    ],
    notShown: [{ because: 'the first never holds', flow: comparedAfter(setting('a', 2)) }],
  },
};
