// `npm run coverage -- intents`: what is counted, and lines that are no case.
import { expect, test } from '@jest/globals';
import { countIntents } from './print-intents.ts';

const edges = [
  { nl: 'asks about a bill', examples: ['why is my bill so high', 'there is an error on my bill'] },
  { nl: 'lost access', examples: ['I forgot my password', 'my password does not work'] },
];
const line = (text: string, right: number | null) => JSON.stringify({ text, edges, right });

test('counts what is right, wrong, and taken although it fits none', () => {
  const lines = [
    line('Why is my bill so high?', 0),
    line('i forgot my password again', 1),
    line('my password does not work', 0),
    line('what a lovely morning', 1),
    line('I forgot my password', null),
    line('play some music', null),
    '',
  ];
  expect(countIntents(lines.join('\n'))).toEqual({ fitting: 4, right: 2, wrong: 1, others: 2, taken: 1 });
});

test('a line that is no case is refused', () => {
  expect(() => countIntents('{"text": "hi"}')).toThrow();
  expect(() => countIntents(JSON.stringify({ text: 'hi', edges, right: -1 }))).toThrow();
});
