// Examples of the codes about how answers are read.
import type { Definition, ExamplesByCode } from './pieces.ts';
import { ask, branch, end, flow, node, say, to, tool, when } from './pieces.ts';

const asking = (members: Record<string, unknown>, more: Record<string, unknown> = {}): Definition => ({
  ...flow([ask('q', 'x', members), end('end', { text: '{{ x }}' })], [to('q', 'end')]),
  ...more,
});

/** A day that a tool books: at once, or after the node `between`. */
const booking = (
  members: Record<string, unknown>,
  between: Record<string, unknown> = branch('between'),
): Definition =>
  flow(
    [
      ask('q', 'x', { cast: 'date', ...members }),
      between,
      tool('book', undefined, { args: { day: '{{ x }}' } }),
      end(),
    ],
    [to('q', 'between'), to('between', 'book'), to('book', 'end')],
  );

export const answerRules = {
  answer_rule_invalid: {
    shown: [
      {
        because: 'a bound that is no number',
        flow: asking({ cast: 'integer', min: '1' }),
        at: '/nodes/0/min',
        severity: 'error',
      },
      {
        because: 'nothing is within',
        flow: asking({ cast: 'number', min: 2, max: 1 }),
        at: '/nodes/0/min',
        severity: 'error',
      },
      {
        because: 'no RE2 syntax',
        flow: asking({ pattern: '(?=a)' }),
        at: '/nodes/0/pattern',
        severity: 'error',
      },
      {
        because: 'no such direction',
        flow: asking({ cast: 'date', prefer: 'soon' }),
        at: '/nodes/0/prefer',
        severity: 'error',
      },
      {
        because: 'no such status',
        flow: asking({ reprompts: { silence: 'x' } }),
        at: '/nodes/0/reprompts',
        severity: 'error',
      },
      {
        because: 'not what the cast captures',
        flow: asking({ cast: 'integer', max_attempts: 1, default_answer: 'banana' }),
        at: '/nodes/0/default_answer',
        severity: 'error',
      },
      {
        because: 'no day',
        flow: asking({ cast: 'date', max_attempts: 1, default_answer: 'banana' }),
        at: '/nodes/0/default_answer',
        severity: 'error',
      },
      {
        because: 'another day each day',
        flow: asking({ cast: 'date', max_attempts: 1, default_answer: 'tomorrow' }),
        at: '/nodes/0/default_answer',
        severity: 'error',
      },
      {
        because: 'below the least',
        flow: asking({ cast: 'integer', min: 1, max_attempts: 1, default_answer: 0 }),
        at: '/nodes/0/default_answer',
        severity: 'error',
      },
      {
        because: 'a boolean has no bounds',
        flow: asking({ cast: 'boolean', max: 1 }),
        at: '/nodes/0/max',
        severity: 'warning',
      },
      {
        because: 'the node asks for ever',
        flow: asking({ default_answer: 'x' }),
        at: '/nodes/0/default_answer',
        severity: 'warning',
      },
    ],
    notShown: [
      { because: 'bounds of a day', flow: asking({ cast: 'date', min: 'today', max: '2030-12-31' }) },
      {
        because: 'a default in words, as a caller says it',
        flow: asking({ cast: 'integer', max_attempts: 1, default_answer: 'one' }),
      },
      { because: 'null counts as absent', flow: asking({ cast: 'boolean', min: null, prefer: null }) },
      {
        because: 'only a collect node reads answers',
        flow: flow([say('a', { min: 'x' }), end()], [to('a', 'end')]),
      },
    ],
  },
  language_not_spoken: {
    shown: [
      {
        because: 'no words of Basque',
        flow: asking({ cast: 'date' }, { language: 'eu' }),
        at: '/language',
      },
    ],
    notShown: [
      { because: 'a region of a language', flow: asking({ cast: 'date' }, { language: 'pt-BR' }) },
      { because: 'an address needs no words', flow: asking({ cast: 'email' }, { language: 'eu' }) },
      { because: 'read from data of CLDR', flow: asking({ cast: 'date' }, { language: 'ja' }) },
    ],
  },
  past_not_preferred: {
    shown: [
      {
        because: 'it has happened',
        flow: asking({ cast: 'date', prompt: 'When did it happen?' }),
        at: '/nodes/0/prompt',
      },
      {
        because: 'the same in German',
        flow: asking({ cast: 'date', prompt: 'Wann ist es passiert?' }, { language: 'de' }),
        at: '/nodes/0/prompt',
      },
    ],
    notShown: [
      { because: 'it is to come', flow: asking({ cast: 'date', prompt: 'When will you come?' }) },
      {
        because: 'it is preferred',
        flow: asking({ cast: 'date', prefer: 'past', prompt: 'When did it happen?' }),
      },
      { because: 'no day is asked for', flow: asking({ prompt: 'When did it happen?' }) },
    ],
  },
  unit_suggested: {
    shown: [
      {
        because: 'nights are counted',
        flow: asking({ cast: 'integer', prompt: 'How many nights will you stay?' }),
        at: '/nodes/0/prompt',
      },
    ],
    notShown: [
      {
        because: 'the unit is named',
        flow: asking({ cast: 'integer', unit: ['nights'], prompt: 'How many nights?' }),
      },
      { because: 'no noun', flow: asking({ cast: 'integer', prompt: 'How many are you?' }) },
    ],
  },
  confirmation_suggested: {
    shown: [
      { because: 'a tool acts at once', flow: booking({}), at: '/nodes/0/cast' },
      {
        because: 'another question says nothing of it',
        flow: booking({}, ask('between', 'y', { cast: 'boolean' })),
        at: '/nodes/0/cast',
      },
      {
        because: 'the last words come too late',
        flow: flow(
          [
            ask('q', 'x', { cast: 'email' }),
            node('webhook')('hook', { url: 'https://example.com/', payload: { to: '{{ x }}' } }),
            end('end', { text: 'We write to {{ x }}.' }),
          ],
          [to('q', 'end')],
        ),
        at: '/nodes/0/cast',
      },
    ],
    notShown: [
      { because: 'a question says it', flow: booking({}, ask('between', 'y', { prompt: 'On {{ x }}?' })) },
      { because: 'a message says it', flow: booking({}, say('between', { text: '{{ x }}, then.' })) },
      {
        because: 'one way of two says it',
        flow: flow(
          [
            ask('q', 'x', { cast: 'phone', default_region: 'GB' }),
            ask('confirm', 'y', { prompt: '{{ x }}?', cast: 'boolean' }),
            tool('call', undefined, { args: { number: '{{ x }}' } }),
            end(),
          ],
          [
            when('q', 'confirm', '_attempts', 'gt', 0),
            to('q', 'call', { default: true }),
            to('confirm', 'call'),
            to('call', 'end'),
          ],
        ),
      },
      {
        because: 'a tool looks it up, and what it found is confirmed',
        flow: flow(
          [
            ask('q', 'x', { cast: 'date' }),
            tool('look', 'free', { args: { day: '{{ x }}' } }),
            ask('confirm', 'y', { prompt: '{{ x }} is {{ free }}. Yes?', cast: 'boolean' }),
            end(),
          ],
          [to('q', 'look'), to('look', 'confirm'), to('confirm', 'end')],
        ),
      },
      { because: 'no word is left over', flow: booking({ reading: 'whole' }) },
      { because: 'strict takes no sentence', flow: booking({ strict: true }) },
      { because: 'counts are often scales', flow: booking({ cast: 'integer' }) },
      { because: 'words are taken as they are', flow: booking({ cast: 'string' }) },
      {
        because: 'a summary is made of it',
        flow: booking({}, branch('between', { set: [{ variable: 'summary', to: 'On {{ x }}' }] })),
      },
      {
        because: 'the flow looks at how it was read',
        flow: flow(
          [
            ask('q', 'x', { cast: 'date' }),
            ask('confirm', 'y', { cast: 'boolean' }),
            tool('book', undefined, { args: { day: '{{ x }}' } }),
            end(),
          ],
          [
            when('q', 'confirm', '_input_reading', 'eq', 'sentence'),
            to('q', 'book', { default: true }),
            to('confirm', 'book'),
            to('book', 'end'),
          ],
        ),
      },
      { because: 'no tool reads it', flow: asking({ cast: 'date' }) },
    ],
  },
  reader_not_configured: {
    shown: [
      {
        because: 'the operator has named no model',
        flow: asking({ cast: 'date', read_with: 'model' }),
        at: '/nodes/0/read_with',
      },
    ],
    notShown: [
      { because: 'no model is asked', flow: asking({ cast: 'date' }) },
      { because: 'the cast refuses nothing', flow: asking({ read_with: 'model' }) },
    ],
  },
  language_basic: {
    shown: [
      {
        because: 'nobody has tuned Japanese',
        flow: asking({ cast: 'date' }, { language: 'ja' }),
        at: '/language',
      },
    ],
    notShown: [
      { because: 'Portuguese is tuned', flow: asking({ cast: 'date' }, { language: 'pt-BR' }) },
      { because: 'an address needs no words', flow: asking({ cast: 'email' }, { language: 'ja' }) },
    ],
  },
} as const satisfies ExamplesByCode;
