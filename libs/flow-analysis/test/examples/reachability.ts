// Examples of the codes about reachability, and about the length of a turn.
import type { ExamplesByCode } from './pieces.ts';
import { ask, branch, end, flow, node, say, to, when } from './pieces.ts';

export const reachability = {
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
        because: 'each of its questions may be skipped',
        flow: flow(
          [ask('a', 'x', { skip_if_set: true }), ask('b', 'y', { skip_if_set: true }), end()],
          [to('a', 'b'), when('b', 'end', 'y', 'eq', 'done'), to('b', 'a')],
        ),
        at: '/nodes/0',
        severity: 'warning',
        witness: ['a', 'b', 'a'],
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
        because: 'one of its questions is always asked',
        flow: flow(
          [ask('a', 'x', { skip_if_set: true }), ask('b', 'y'), end()],
          [to('a', 'b'), when('b', 'end', 'y', 'eq', 'done'), to('b', 'a')],
        ),
      },
      {
        because: 'it waits',
        flow: flow(
          [say('a'), ask('b'), end()],
          [to('a', 'b'), when('b', 'end', 'answer', 'exists'), to('b', 'a')],
        ),
      },
      {
        because: 'a counter lets it go round three times',
        flow: flow(
          [
            say('a', { set: [{ variable: 'i', to: 0 }] }),
            say('b', { set: [{ variable: 'i', add: 1 }] }),
            end(),
          ],
          [to('a', 'b'), when('b', 'b', 'i', 'lt', 3), to('b', 'end')],
        ),
      },
      { because: 'it goes round an end', flow: flow([say('a'), end()], [to('a', 'end'), to('end', 'a')]) },
    ],
  },
  turn_may_be_too_costly: {
    shown: [
      {
        because: 'every condition searches with a pattern of the greatest size',
        flow: flow(
          [branch('a'), end()],
          [
            ...Array.from({ length: 3 }, (_, at) =>
              when('a', 'end', 'user_input', 'matches', `x{${900 + at}}`),
            ),
            to('a', 'end'),
          ],
        ),
        at: '/nodes/0',
      },
    ],
    notShown: [
      {
        because: 'ordinary patterns',
        flow: flow(
          [branch('a'), end()],
          [
            ...['yes', 'no'].map((word) => when('a', 'end', 'user_input', 'matches', `\\b${word}\\b`)),
            to('a', 'end'),
          ],
        ),
      },
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
} satisfies ExamplesByCode;
