// Examples of the codes about answers to several questions at once.
import type { ExamplesByCode } from './pieces.ts';
import { ask, end, flow, to } from './pieces.ts';

const asking = (members: Record<string, unknown>, other: Record<string, unknown> = { cast: 'date' }) =>
  flow(
    [
      ask('q', 'x', members),
      ask('r', 'day', { skip_if_set: true, ...other }),
      end('end', { text: '{{ x }} {{ day }}' }),
    ],
    [to('q', 'r'), to('r', 'end')],
  );

export const severalAnswers = {
  also_unknown: {
    shown: [
      { because: 'nobody asks for it', flow: asking({ also: ['day', 'hour'] }), at: '/nodes/0/also/1' },
      { because: 'its own variable', flow: asking({ also: ['x'] }), at: '/nodes/0/also/0' },
    ],
    notShown: [{ because: 'another question asks for it', flow: asking({ also: ['day'] }) }],
  },
  also_ignored: {
    shown: [
      { because: 'named twice', flow: asking({ also: ['day', 'day'] }), at: '/nodes/0/also/1' },
      {
        because: 'a yes belongs to its own question',
        flow: asking({ also: ['day'] }, { cast: 'boolean' }),
        at: '/nodes/0/also/0',
      },
      {
        because: 'any text is an answer',
        flow: asking({ also: ['day'] }, { pattern: '[A-Z]' }),
        at: '/nodes/0/also/0',
      },
      {
        because: 'a document is taken as it is',
        flow: asking({ also: ['day'], cast: 'json' }),
        at: '/nodes/0/also',
      },
    ],
    notShown: [
      {
        because: 'a whole pattern tells the word',
        flow: asking({ also: ['day'] }, { pattern: '^[A-Z]\\d+$' }),
      },
    ],
  },
  skip_suggested: {
    shown: [
      {
        because: 'it may be filled before it is asked for',
        flow: asking({ also: ['day'] }, { cast: 'date', skip_if_set: null }),
        at: '/nodes/1/variable',
      },
    ],
    notShown: [
      { because: 'it is skipped then', flow: asking({ also: ['day'] }) },
      { because: 'it matters', flow: asking({ also: ['day'] }, { cast: 'date', skip_if_set: false }) },
      { because: 'nothing else fills it', flow: asking({}, { cast: 'date', skip_if_set: null }) },
    ],
  },
} as const satisfies ExamplesByCode;
