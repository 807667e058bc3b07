// The rule of each word of an answer matches what the cast did, and explaining does not change the
// result.
import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { mondayMs } from '../test/answer-tables.ts';
import type { Cast } from './casts.ts';
import { compileCast, type CastRules } from './cast.ts';
import { readAnswer } from './read-answer.ts';

const rules = (more: Partial<CastRules>): CastRules => ({
  choices: ['red', { value: 'blue', synonyms: ['navy blue'] }],
  defaultRegion: 'US',
  ...more,
});

/** The utterance with the rule of each token: "friday=value". */
function told(cast: Cast, utterance: string, more: Partial<CastRules> = {}): string {
  const { tokens } = readAnswer(utterance, { cast, ...rules(more) }, { nowMs: mondayMs });
  return tokens.map(({ text, rule }) => `${text}=${rule}`).join(' ');
}

test.each<[Cast, string, string]>([
  ['date', 'on Friday, please', 'on=filler Friday=value ,=filler please=filler'],
  [
    ...(['date', 'Monday, no, Tuesday'] as const),
    'Monday=discarded ,=discarded no=repair ,=repair Tuesday=value',
  ],
  ['date', 'we arrive on Friday', 'we=unread arrive=unread on=filler Friday=value'],
  ['date', 'before Friday', 'before=changes_value Friday=value'],
  ['email', 'no , ada@example.com', 'no=unread ,=filler ada=value @=value example=value .=value com=value'],
  ['date', 'is Friday free?', 'is=unread Friday=unread free=unread ?=question'],
  ['integer', 'twenty-one', 'twenty=value one=value'],
  ['integer', '21', '21=value'],
  ['integer', 'the room 5 or 6', 'the=unread room=unread 5=other or=changes_value 6=value'],
  ['boolean', 'yes, at seven', 'yes=value ,=filler at=unread seven=unread'],
  ['enum', 'navy blue', 'navy=value blue=value'],
  ['enum', 'the bike was navy blue', 'the=filler bike=unread was=unread navy=value blue=value'],
  [
    ...(['email', 'my email is ada dot l at example dot com thanks'] as const),
    'my=carrier email=carrier is=carrier ada=value dot=value l=value at=value example=value dot=value com=value thanks=filler',
  ],
  [
    'email',
    'not ada@example.com',
    'not=changes_value ada=unread @=unread example=unread .=unread com=unread',
  ],
  ['phone', 'call me on 206 555 0123', 'call=carrier me=carrier on=carrier 206=value 555=value 0123=value'],
])('%s: %s', (cast, utterance, expected) => {
  expect(told(cast, utterance)).toBe(expected);
});

test('a word that is written as one is one token, with its place', () => {
  const { tokens } = readAnswer(
    'es sind dreihundertvier',
    { cast: 'integer', ...rules({ language: 'de' }) },
    { nowMs: mondayMs },
  );
  expect(tokens.at(-1)).toEqual({ text: 'dreihundertvier', start: 8, end: 23, rule: 'value' });
});

test('what is longer than something spoken has no tokens', () => {
  const long = 'word '.repeat(1_000);
  expect(readAnswer(long, { cast: 'string', ...rules({}) }, { nowMs: mondayMs })).toMatchObject({
    ok: true,
    tokens: [],
  });
  expect(readAnswer(long, { cast: 'date', ...rules({}) }, { nowMs: mondayMs })).toMatchObject({
    ok: false,
    reason: 'too_long',
    tokens: [],
  });
});

const words =
  'yes no not Friday Monday at seven 5 two red blue I said , . please or wait to ada@example.com'.split(' ');
test('asking how an answer was read never changes how it is read, and a captured one has words of its value', () => {
  const casts: readonly Cast[] = ['date', 'time', 'integer', 'boolean', 'enum', 'email', 'phone'];
  fc.assert(
    fc.property(
      fc.constantFrom(...casts),
      fc.array(fc.constantFrom(...words), { minLength: 1, maxLength: 7 }),
      (cast, said) => {
        const utterance = said.join(' ');
        const { rule, tokens, ...outcome } = readAnswer(
          utterance,
          { cast, ...rules({}) },
          { nowMs: mondayMs },
        );
        expect(outcome).toEqual(compileCast(cast, rules({}))(utterance, { nowMs: mondayMs }));
        if (outcome.ok) {
          expect(tokens.map((token) => token.rule)).toContain('value');
          const unread = tokens.filter((token) => token.rule === 'unread').map(({ text }) => text);
          // All words of a discarded part have the same rule.
          if (rule !== 'repair') expect(unread).toEqual(outcome.unread);
        }
      },
    ),
    { numRuns: 500 },
  );
});
