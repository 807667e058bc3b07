// Whether a value in the bag answers a question (docs/flow-language.md#several-answers-at-once): it is what the question would have captured.
import { casts, type AnswerCast, type Cast, type CastRules, type CastSpec } from '@parley/answers';
import { isEmpty } from '@parley/answers/readings';
import type { Acceptance } from './acceptance.ts';
import { compileLookup, ownMember, type Scope } from './paths.ts';

export type HeldAnswer = (scope: Scope) => boolean;

export function compileHeldAnswer(
  variable: string,
  cast: Cast | null,
  { choices }: Pick<CastRules, 'choices'>,
  read: AnswerCast,
  accepts: Acceptance | null,
): HeldAnswer {
  const lookup = compileLookup(variable);
  const isOfCast = (value: unknown, { turn, variables, budget }: Scope): boolean => {
    if (cast === null || isEmpty(value)) return false;
    const { captures } = casts[cast] as CastSpec;
    if (cast === 'enum')
      return choices.some((choice) => value === (typeof choice === 'object' ? choice.value : choice));
    if (cast === 'json' || captures === 'array') return cast === 'json' || Array.isArray(value);
    if (typeof value !== captures) return false;
    if (cast === 'integer') return Number.isSafeInteger(value);
    if (cast === 'string' || typeof value !== 'string') return true;
    const [timezone, language] = [ownMember(variables, 'timezone'), ownMember(variables, 'language')];
    const outcome = read(value, { nowMs: turn.nowMs, timezone, language, budget });
    // A moment reads back in the zone of the conversation.
    return outcome.ok && (cast === 'datetime' || outcome.value === value);
  };
  return (scope) => {
    const value = lookup(scope);
    if (!isOfCast(value, scope)) return false;
    return accepts === null || accepts(value, scope.turn.nowMs, scope.variables, scope.budget);
  };
}
