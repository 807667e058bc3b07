// Tables of answers: one row a line, `answer = value` in JSON, or `answer ! reason`. An answer may
// be quoted to keep its blanks.
import { expect, test } from '@jest/globals';
import type { Cast } from '../src/casts.ts';
import { compileCast, type CastRules } from '../src/cast.ts';
import type { CastOutcome } from '../src/outcome.ts';

/** Monday, 24 August 2026, 12:00 UTC. */
export const mondayMs = Date.parse('2026-08-24T12:00:00Z');

/** The outcome of a cast for an answer. */
export const outcomeOf = (
  cast: Cast,
  answer: string,
  rules: Partial<CastRules> = {},
  variables: Readonly<Record<string, unknown>> = {},
): CastOutcome =>
  compileCast(cast, { choices: [], defaultRegion: null, ...rules })(answer, {
    ...variables,
    nowMs: mondayMs,
  });

/** The value, or why there is none. */
export function readAnswer(...[cast, answer, rules, variables]: Parameters<typeof outcomeOf>): unknown {
  const outcome = outcomeOf(cast, answer, rules, variables);
  return outcome.ok ? outcome.value : { refused: outcome.reason };
}

/** A test for every row. */
export function answers(cast: Cast, table: string, rules: Partial<CastRules> = {}): void {
  const named = [rules.language ?? 'en', cast].join(' ');
  for (const row of table.split('\n').filter((line) => line.trim() !== '')) {
    const [, answer = '', sign, expected = ''] = /^\s*(.*?) ([=!]) (.*)$/.exec(row) ?? [];
    const said = answer.startsWith('"') ? (JSON.parse(answer) as string) : answer;
    test(`${named}: ${row.trim()}`, () => {
      const wanted: unknown = sign === '=' ? JSON.parse(expected) : { refused: expected.trim() };
      expect(readAnswer(cast, said, rules)).toEqual(wanted);
    });
  }
}
