// Examples of codes that commands change.
import { called, command, commands, withHelp } from './commands.ts';
import type { ExamplesByCode } from './pieces.ts';
import { ask, end, flow, node, say, to, when, type Definition } from './pieces.ts';

/** A loop of questions that only a command, or nothing, leads out of. */
const loop = (target: string): Definition =>
  flow(
    [
      ask('a'),
      ask('b'),
      command('any'),
      say('help'),
      end('back', { resume: true }),
      node('handoff')('desk', { target: 'desk' }),
    ],
    [to('a', 'b'), to('b', 'a'), to('help', 'back'), called('any', target)],
  );

export const besideCommands: ExamplesByCode = {
  unreachable_node: {
    shown: [
      {
        because: 'no question is asked at which anybody could call',
        flow: flow([end(), command('any'), end('called')], [called('any', 'called')]),
        at: '/nodes/2',
      },
    ],
    notShown: [{ because: 'a command leads there from a question', flow: withHelp() }],
  },
  no_path_to_terminal: {
    shown: [
      { because: 'help only goes back', flow: loop('help'), at: '/nodes/0' },
      {
        because: 'what was called goes round',
        flow: flow(
          [ask('q'), end(), command('any'), ask('r')],
          [to('q', 'end'), called('any', 'r'), to('r', 'r')],
        ),
        at: '/nodes/3',
      },
    ],
    notShown: [
      { because: 'somebody can be called', flow: loop('desk') },
      { because: 'it goes back to where there is one', flow: withHelp() },
      {
        because: 'where nothing is interrupted, it is an end',
        flow: flow(
          [ask('q'), end('end', { resume: true }), command('any')],
          [to('q', 'end'), called('any', 'end')],
        ),
      },
    ],
  },
  trap_cycle: {
    shown: [
      { because: 'help only goes back', flow: loop('help'), at: '/nodes/0', witness: ['a', 'b', 'a'] },
      {
        because: 'a command leads into it only',
        flow: flow([ask('a'), ask('b'), command('any')], [to('a', 'b'), to('b', 'b'), called('any', 'a')]),
        at: '/nodes/0',
      },
    ],
    notShown: [{ because: 'a command leads out of it', flow: loop('desk') }],
  },
  bound_exceeds_limit: {
    shown: [
      {
        because: 'of what is called, and the way back',
        flow: flow(
          [ask('q'), end(), command('any'), say('a'), say('b'), say('c'), end('back', { resume: true })],
          [to('q', 'end'), called('any', 'a'), to('a', 'b'), to('b', 'c'), to('c', 'back')],
        ),
        at: '/nodes/0',
        witness: ['q', 'a', 'b', 'c', 'back', 'q'],
      },
    ],
    notShown: [{ because: 'five are allowed', flow: withHelp() }],
  },
  shadowed_edge: {
    shown: [
      {
        because: 'two commands are called by one word',
        flow: flow(
          [ask('q'), end(), command('any'), end('other')],
          [to('q', 'end'), called('any', 'end'), called('any', 'other')],
        ),
        at: '/edges/2',
      },
    ],
    notShown: [{ because: 'two words', flow: withHelp() }],
  },
  contradictory_edge: {
    shown: [
      {
        because: 'a command is heard before anything comes of the answer',
        flow: flow(
          [ask('q'), end(), command('any')],
          [to('q', 'end'), when('any', 'end', '_input_status', 'eq', 'no_match')],
        ),
        at: '/edges/1',
      },
    ],
    notShown: [
      {
        because: 'behind it, a command is what was heard',
        flow: flow(
          [ask('q'), end(), command('any'), node('branch')('b')],
          [
            to('q', 'end'),
            called('any', 'b'),
            when('b', 'end', '_input_status', 'eq', 'command'),
            to('b', 'end'),
          ],
        ),
      },
    ],
  },
  ambiguous_nl: {
    shown: [
      {
        because: 'a question asks the same as a command',
        flow: flow(
          [ask('q'), end(), command('any')],
          [
            to('q', 'end', { nl: 'Wants to stop' }),
            to('q', 'end'),
            to('any', 'end', { nl: 'wants to stop' }),
          ],
        ),
        at: '/edges/0/nl',
      },
    ],
    notShown: [
      {
        because: 'a branch is not heard with commands',
        flow: flow(
          [ask('q'), node('branch')('b'), end(), command('any')],
          [
            to('q', 'b'),
            to('b', 'end', { nl: 'wants to stop' }),
            to('b', 'end'),
            to('any', 'end', { nl: 'wants to stop' }),
          ],
        ),
      },
    ],
  },
  variable_maybe_unset: {
    shown: [
      {
        because: 'a command comes before the answer',
        flow: flow(
          [
            ask('q', 'name'),
            end('end', { text: '{{ name }}' }),
            command('any'),
            say('help', { text: '{{ name }}' }),
          ],
          [to('q', 'end'), called('any', 'help'), to('help', 'end')],
        ),
        at: '/nodes/1/text',
        witness: ['q', 'help', 'end'],
      },
      {
        because: 'cleared on the way back',
        flow: flow(
          [
            ask('name', 'name'),
            ask('q', 'day', { prompt: 'When, {{ name }}?' }),
            end('end', { text: '{{ day }}' }),
            command('any'),
            say('forget', { text: 'Forgotten', set: [{ variable: 'name', clear: true }] }),
            end('back', { resume: true }),
          ],
          [to('name', 'q'), to('q', 'end'), called('any', 'forget'), to('forget', 'back')],
        ),
        at: '/nodes/1/prompt',
      },
      {
        because: 'a condition of a command reads it',
        flow: flow(
          [ask('q', 'name'), end(), command('any')],
          [to('q', 'end'), when('any', 'end', 'name', 'eq', 'Ada')],
        ),
        at: '/edges/1/variable',
      },
    ],
    notShown: [
      {
        because: 'what was set before a question is set when it is asked again',
        flow: flow(
          [
            ask('name', 'name'),
            ask('q', 'day', { prompt: 'When, {{ name }}?' }),
            end('end', { text: '{{ day }}' }),
            command('any'),
            say('help'),
            end('back', { resume: true }),
          ],
          [to('name', 'q'), to('q', 'end'), called('any', 'help'), to('help', 'back')],
        ),
      },
      {
        because: 'cleared and asked for again',
        flow: flow(
          [
            ask('name', 'name'),
            ask('q', 'day', { prompt: 'When, {{ name }}?' }),
            end('end', { text: '{{ day }}' }),
            command('any'),
            say('forget', { text: 'Again.', set: [{ variable: 'name', clear: true }] }),
            ask('again', 'name'),
            end('back', { resume: true }),
          ],
          [
            to('name', 'q'),
            to('q', 'end'),
            called('any', 'forget'),
            to('forget', 'again'),
            to('again', 'back'),
          ],
        ),
      },
    ],
  },
  constraint_max_instances: {
    shown: [
      {
        because: 'two that start the flow',
        flow: flow([...withHelp().nodes, node('trigger')('s'), node('trigger')('t')], withHelp().edges),
        at: '/nodes/6',
      },
    ],
    notShown: [
      {
        because: 'commands are counted by themselves',
        flow: flow([...commands(3).nodes, node('trigger')('t')], commands(3).edges),
      },
    ],
  },
};
