// What a cast reads an answer with: the clock of the turn, and what the bag says of the caller.
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
