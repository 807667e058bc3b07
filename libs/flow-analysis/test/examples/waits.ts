// Examples of the code about nodes that wait for their caller.
import type { Definition, ExamplesByCode } from './pieces.ts';
import { ask, end, flow, handoff, say, to, tool } from './pieces.ts';

type Node = ReturnType<typeof end>;

const left = (node: Node): Definition => flow([node, end()], [to(node.id, 'end')]);

export const waits = {
  wait_invalid: {
    shown: [
      {
        because: 'a text that says true',
        flow: left(tool('t', 'x', { wait_for_result: 'true' })),
        at: '/nodes/0/wait_for_result',
        severity: 'error',
      },
      {
        because: 'a number',
        flow: flow([handoff('h', { target: 'desk', returns: 1 })]),
        at: '/nodes/0/returns',
        severity: 'error',
      },
      {
        because: 'an agent does not wait so',
        flow: left({ id: 'a', type: 'agent', goal: 'Help', wait_for_result: true } as Node),
        at: '/nodes/0/wait_for_result',
        severity: 'warning',
      },
      {
        because: 'a tool does not return',
        flow: left(tool('t', 'x', { returns: true })),
        at: '/nodes/0/returns',
        severity: 'warning',
      },
    ],
    notShown: [
      { because: 'a tool that waits', flow: left(tool('t', 'x', { wait_for_result: true })) },
      { because: 'a tool that does not', flow: left(tool('t', 'x', { wait_for_result: false })) },
      { because: 'an unused member', flow: left(tool('t', 'x', { wait_for_result: null })) },
      { because: 'a handoff that returns', flow: left(handoff('h', { target: 'desk', returns: true })) },
      { because: 'data of an author', flow: left(say('m', { text: 'Hi', returns: '14 days' })) },
      { because: 'a question waits anyway', flow: left(ask('q', 'x', { returns: false })) },
    ],
  },
} as const satisfies ExamplesByCode;
