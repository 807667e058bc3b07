// Examples of the codes about calls. The called flows do not exist.
import type { ExamplesByCode } from './pieces.ts';
import { branch, end, flow, say, to } from './pieces.ts';

const calling = (call: unknown) => flow([branch('c', { call }), end()], [to('c', 'end')]);

export const calls = {
  call_invalid: {
    shown: [
      { because: 'it is no object', flow: calling('other'), at: '/nodes/0/call' },
      { because: 'no flow is named', flow: calling({ version: 1 }), at: '/nodes/0/call' },
      { because: 'no version is named', flow: calling({ flow_id: 'other' }), at: '/nodes/0/call' },
      {
        because: 'there is no version 0',
        flow: calling({ flow_id: 'other', version: 0 }),
        at: '/nodes/0/call',
      },
      {
        because: 'input is a list',
        flow: calling({ flow_id: 'other', version: 1, input: ['name'] }),
        at: '/nodes/0/call',
      },
      {
        because: 'a slip of the pen',
        flow: calling({ flow_id: 'other', version: 1, inputs: {} }),
        at: '/nodes/0/call',
      },
      {
        because: 'output is no list of names',
        flow: calling({ flow_id: 'other', version: 1, output: { name: 'name' } }),
        at: '/nodes/0/call',
      },
    ],
    notShown: [
      {
        because: 'it can be read',
        flow: calling({ flow_id: 'other', version: 'published', input: { a: 1 } }),
      },
      { because: 'another node keeps it for itself', flow: flow([say('m', { text: 'Hi', call: 5 })]) },
      { because: 'editors write null', flow: calling(null) },
    ],
  },
  call_unresolved: {
    shown: [
      {
        because: 'nobody brought the flow',
        flow: calling({ flow_id: 'other', version: 'published' }),
        at: '/nodes/0/call',
      },
    ],
    notShown: [
      { because: 'nothing is called', flow: calling(null) },
      { because: 'it cannot be read', flow: calling('other') },
    ],
  },
} satisfies ExamplesByCode;
