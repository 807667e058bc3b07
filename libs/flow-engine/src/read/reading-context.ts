// What a cast reads an answer with: the clock of the turn, and the caller's language and time zone
// from the variables.
import type { ReadingContext } from '@parley/answers';
import { ownMember, type Scope } from './paths.ts';

export const readingContext = ({
  turn,
  variables,
  budget,
}: Pick<Scope, 'turn' | 'variables' | 'budget'>): ReadingContext => ({
  nowMs: turn.nowMs,
  timezone: ownMember(variables, 'timezone'),
  language: ownMember(variables, 'language'),
  budget,
});
