// Flows for the codes about examples of branches.
import type { ExamplesByCode } from './pieces.ts';
import { ask, branching, end, fallback, to } from './pieces.ts';

const stop = { nl: 'wants to stop', examples: ['stop now'] };
/** So many branches of 50 examples each. */
const taught = (branches: number) =>
  Array.from({ length: branches }, (_, branch) => ({
    nl: `wants number ${branch}`,
    examples: Array.from({ length: 50 }, (_, at) => `number ${branch} please ${at}`),
  }));
const choosing = (cast: string, ...choices: unknown[]) => ({
  nodes: [ask('ask', 'answer', { cast, choices }), end()],
  edges: [to('ask', 'end')],
});

export const branchExamples = {
  examples_invalid: {
    shown: [
      {
        because: 'one text is no list',
        flow: branching({ ...stop, examples: 'stop now' }, fallback),
        at: '/edges/0/examples',
      },
      {
        because: 'a blank text',
        flow: branching({ ...stop, counter_examples: [' '] }, fallback),
        at: '/edges/0/counter_examples',
      },
      {
        because: 'too many',
        flow: branching({ ...stop, examples: Array.from({ length: 51 }, (_, at) => `stop ${at}`) }, fallback),
        at: '/edges/0/examples',
      },
      {
        because: 'of a choice',
        flow: choosing('enum', 'a', { value: 'b', examples: 'stop' }),
        at: '/nodes/0/choices/1/examples',
      },
      {
        because: 'too long',
        flow: branching({ ...stop, examples: ['stop '.repeat(61)] }, fallback),
        at: '/edges/0/examples',
      },
      { because: 'too many are learned together', flow: branching(...taught(21), fallback), at: '/edges/0' },
    ],
    notShown: [
      { because: 'as many as are learned together', flow: branching(...taught(20), fallback) },
      { because: 'null is none', flow: branching({ ...stop, examples: null }, fallback) },
      { because: 'a list of texts', flow: branching(stop, fallback) },
    ],
  },
  examples_overlap: {
    shown: [
      {
        because: 'equal but for case and marks',
        flow: branching(stop, { nl: 'wants to end', examples: ['Stop, now!'] }, fallback),
        at: '/edges/1/examples/0',
      },
      {
        because: 'of two choices',
        flow: choosing(
          'enum',
          { value: 'a', examples: ['stop now'] },
          { value: 'b', examples: ['stop now'] },
        ),
        at: '/nodes/0/choices/1/examples/0',
      },
      {
        because: 'the same words in another order',
        flow: branching(stop, { nl: 'wants to end', examples: ['end', 'now stop'] }, fallback),
        at: '/edges/1/examples/1',
      },
      {
        because: 'they differ in one small word',
        flow: branching(
          { nl: 'wants a renewal', examples: ['can you renew my prescription'] },
          { nl: 'asks for medicine', examples: ['could you renew my prescription'] },
          fallback,
        ),
        at: '/edges/1/examples/0',
      },
    ],
    notShown: [
      {
        because: 'twice on one edge',
        flow: branching({ ...stop, examples: ['stop now', 'Stop now'] }, fallback),
      },
      { because: 'another text', flow: branching(stop, { nl: 'wants to end', examples: ['end'] }, fallback) },
      {
        because: 'the words that matter differ',
        flow: branching(
          { nl: 'cancels', examples: ['I want to cancel my appointment'] },
          { nl: 'confirms', examples: ['I want to confirm my appointment'] },
          fallback,
        ),
      },
    ],
  },
  examples_few: {
    shown: [
      { because: 'one', flow: branching(stop, fallback), at: '/edges/0/examples' },
      {
        because: 'of a choice',
        flow: choosing('enum', { value: 'a', examples: ['stop now'] }),
        at: '/nodes/0/choices/0/examples',
      },
    ],
    notShown: [
      { because: 'five', flow: branching({ ...stop, examples: [...'abcde'] }, fallback) },
      { because: 'none', flow: branching({ nl: 'wants to stop' }, fallback) },
    ],
  },
  example_misread: {
    shown: [
      {
        because: 'it is like those of the other choice',
        flow: choosing(
          'enum',
          { value: 'bill', examples: ['why is my bill so high', 'I need another password today'] },
          {
            value: 'access',
            examples: ['I need another password please', 'I need another password now'],
          },
        ),
        at: '/nodes/0/choices/0/examples/1',
      },
      {
        because: 'it is like those of the other edge',
        flow: branching(
          { nl: 'asks about a bill', examples: ['why is my bill so high', 'I need another password today'] },
          { nl: 'lost access', examples: ['I need another password please', 'I need another password now'] },
          fallback,
        ),
        at: '/edges/0/examples/1',
      },
    ],
    notShown: [
      {
        because: 'each is like its own',
        flow: branching(
          { nl: 'asks about a bill', examples: ['why is my bill so high', 'my bill is so high'] },
          { nl: 'lost access', examples: ['I need another password please', 'I need another password now'] },
          fallback,
        ),
      },
    ],
  },
  examples_unused: {
    shown: [
      {
        because: 'a comparison',
        flow: branching({ variable: 'x', examples: ['stop'] }, fallback),
        at: '/edges/0/examples',
      },
      {
        because: 'a choice of another cast',
        flow: choosing('string', { value: 'a', examples: ['stop now'] }),
        at: '/nodes/0/choices/0/examples',
      },
      {
        because: 'the default',
        flow: branching(stop, { ...fallback, counter_examples: ['stop'] }),
        at: '/edges/1/counter_examples',
      },
    ],
    notShown: [
      { because: 'beside nl', flow: branching(stop, fallback) },
      { because: 'of a choice', flow: choosing('enum', { value: 'a', examples: ['stop now'] }) },
    ],
  },
} satisfies ExamplesByCode;
