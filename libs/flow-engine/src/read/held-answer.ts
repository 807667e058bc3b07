// Whether the current value of a variable answers its question: the question would capture the same
// value (docs/flow-language.md#several-answers-at-once).
import {
  casts,
  choiceValue,
  type AnswerCast,
  type Cast,
  type CastRules,
  type CastSpec,
} from '@parley/answers';
import { isEmpty } from '@parley/answers/readings';
import type { Acceptance } from './acceptance.ts';
import { hasType } from './default-answer.ts';
import { compileLookup, type Scope } from './paths.ts';
import { readingContext } from './reading-context.ts';

export type HeldAnswer = (scope: Scope) => boolean;

export function compileHeldAnswer(
  variable: string,
  cast: Cast | null,
  { choices }: Pick<CastRules, 'choices'>,
  read: AnswerCast,
  accepts: Acceptance | null,
): HeldAnswer {
  const lookup = compileLookup(variable);
  const values: ReadonlySet<unknown> = new Set(choices.map(choiceValue));
  const isOfCast = (value: unknown, scope: Scope): boolean => {
    if (cast === null || isEmpty(value)) return false;
    if (cast === 'json') return true;
    if (cast === 'enum') return values.has(value);
    const { captures } = casts[cast] as CastSpec;
    if (typeof value !== 'string') return hasType(value, cast, captures);
    if (captures !== 'string') return false;
    if (cast === 'string') return true;
    const outcome = read(value, readingContext(scope));
    // A moment reads back in the time zone of the conversation.
    return outcome.ok && (cast === 'datetime' || outcome.value === value);
  };
  return (scope) => {
    const value = lookup(scope);
    if (!isOfCast(value, scope)) return false;
    return accepts === null || accepts(value, scope.turn.nowMs, scope.variables, scope.budget);
  };
}
