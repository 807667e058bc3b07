// Examples of the codes about commands.
import type { ExamplesByCode } from './pieces.ts';
import { ask, end, flow, node, say, to, when, type Definition } from './pieces.ts';

export const command = (id: string, more: Record<string, unknown> = {}) =>
  node('trigger')(id, { on: 'any_turn', ...more });
export const called = (source: string, target: string, word = 'help') =>
  when(source, target, 'user_input', 'eq', word);

/** A question with the command help, which goes back. */
export const withHelp = (
  more: Record<string, unknown> = {},
  back: Record<string, unknown> = {},
): Definition =>
  flow(
    [ask('q'), end(), command('any', more), say('help'), end('back', { resume: true, ...back })],
    [to('q', 'end'), called('any', 'help'), to('help', 'back')],
  );

export const commands = (count: number): Definition =>
  flow(
    [ask('q'), end(), ...Array.from({ length: count }, (_, place) => command(`c${place}`))],
    [to('q', 'end'), ...Array.from({ length: count }, (_, place) => called(`c${place}`, 'end', `${place}`))],
  );

export const commandCodes = {
  command_invalid: {
    shown: [
      { because: 'no such priority', flow: withHelp({ priority: 'first' }), at: '/nodes/2/priority' },
      { because: 'a slip of the pen', flow: withHelp({ on: 'any-turns' }), at: '/nodes/2/on' },
      { because: 'letters mind', flow: withHelp({ on: 'Any turn' }), at: '/nodes/2/on' },
      {
        because: 'neither true nor false',
        flow: withHelp({ answers_question: 'yes' }),
        at: '/nodes/2/answers_question',
      },
      {
        because: 'no question there to answer',
        flow: withHelp({ answers_question: true }),
        at: '/nodes/2/answers_question',
      },
      {
        because: 'nothing calls it',
        flow: flow([ask('q'), end(), command('any')], [to('q', 'end')]),
        at: '/nodes/2',
      },
    ],
    notShown: [
      { because: 'as it should be', flow: withHelp({ priority: 'before' }) },
      { because: 'null is absent', flow: withHelp({ priority: null, answers_question: null }) },
      {
        because: 'one of its edges leads to a question',
        flow: flow(
          [ask('q'), end(), command('any', { answers_question: true })],
          [to('q', 'end'), called('any', 'end'), called('any', 'q', 'no')],
        ),
      },
      { because: 'what else starts a flow is not read', flow: withHelp({ on: 'inbound_call', priority: 7 }) },
    ],
  },
  command_without_condition: {
    shown: [
      {
        because: 'it would be taken always',
        flow: flow([ask('q'), end(), command('any')], [to('q', 'end'), to('any', 'end')]),
        at: '/edges/1',
      },
    ],
    notShown: [
      { because: 'words call it', flow: withHelp() },
      {
        because: 'a default with a condition is another matter',
        flow: flow(
          [ask('q'), end(), command('any')],
          [to('q', 'end'), { ...called('any', 'end'), default: true }],
        ),
      },
      {
        because: 'a trigger of another kind may',
        flow: flow([end(), node('trigger')('t')], [to('t', 'end')]),
      },
    ],
  },
  command_too_many: {
    shown: [{ because: 'the ninth', flow: commands(9), at: '/nodes/10' }],
    notShown: [
      { because: 'eight are enough', flow: commands(8) },
      {
        because: 'one starts the flow',
        flow: flow([...commands(8).nodes, node('trigger')('t')], commands(8).edges),
      },
    ],
  },
  resume_ignored: {
    shown: [
      {
        because: 'nobody is called',
        flow: flow([ask('q'), end('end', { resume: true })], [to('q', 'end')]),
        at: '/nodes/1/resume',
      },
      {
        because: 'no command leads there',
        flow: flow(
          [ask('q'), end('end', { resume: true }), command('any'), end('other')],
          [to('q', 'end'), called('any', 'other')],
        ),
        at: '/nodes/1/resume',
      },
      { because: 'a word', flow: withHelp({}, { resume: 'yes' }), at: '/nodes/4/resume' },
    ],
    notShown: [
      { because: 'it goes back', flow: withHelp() },
      { because: 'it says that it does not', flow: withHelp({}, { resume: false }) },
      {
        because: 'other nodes may carry one',
        flow: flow([say('a', { resume: true }), end()], [to('a', 'end')]),
      },
    ],
  },
} satisfies ExamplesByCode;
