// Conditions on an answer beyond its cast: `min`, `max` and `pattern` of a collect node
// (docs/flow-language.md#answers).
import type { AnswerRules, Bound } from '../define/answer-rules.ts';
import type { Cast } from '@parley/answers';
import { compileComparison } from './compare.ts';
import { ownMember, type Bag } from './paths.ts';
import type { PatternSource } from './patterns.ts';
import { readIso } from '@parley/answers/readings';
import { isoWithOffset, zoneOffset } from '@parley/answers';
import type { TurnBudget } from './turn-budget.ts';

/**
 * Whether a captured value is acceptable. "today" and "now" are those of the turn, in the variable
 * `timezone`.
 */
export type Acceptance = (value: unknown, nowMs: number, variables: Bag, budget: TurnBudget) => boolean;

/** Null when every value of the cast is acceptable. */
export function compileAcceptance(
  cast: Cast | null,
  { min, max, pattern }: Pick<AnswerRules, 'min' | 'max' | 'pattern'>,
  patterns: PatternSource,
): Acceptance | null {
  // An invalid pattern accepts nothing, as it matches nothing in a condition; an empty one has no
  // effect.
  const matches = pattern ? compileComparison('matches', pattern, { caseSensitive: false, patterns }) : null;
  if (cast === null || (min === null && max === null && matches === null)) return null;
  return (value, nowMs, variables, budget) => {
    if (typeof value === 'string') {
      budget.text(value.length);
      if (matches?.(value, budget).matched === false) return false;
    }
    if (min === null && max === null) return true;
    const compare = makeBoundComparison(cast, value, nowMs, variables);
    return (min === null || compare(min) >= 0) && (max === null || compare(max) <= 0);
  };
}

/** Code points: a letter outside the basic plane is one. */
function countCodePoints(text: string): number {
  let length = 0;
  for (const _ of text) length++;
  return length;
}

/** The sign of value minus bound. */
function makeBoundComparison(
  cast: Cast,
  value: unknown,
  nowMs: number,
  variables: Bag,
): (bound: Bound) => number {
  if (typeof value === 'number') return (bound) => value - Number(bound);
  if (Array.isArray(value)) return (bound) => value.length - Number(bound);
  const text = String(value);
  if (cast === 'string') {
    const length = countCodePoints(text);
    return (bound) => length - Number(bound);
  }
  const isTime = cast === 'time';
  return (bound) => {
    if (bound !== 'now' && bound !== 'today') return compareMoments(text, String(bound), isTime);
    const now = isoWithOffset(nowMs, zoneOffset(ownMember(variables, 'timezone')));
    if (bound === 'today') return compareMoments(text, now.slice(0, 10), isTime);
    return compareMoments(text, isTime ? now.slice(11, 16) : now, isTime);
  };
}

/**
 * A bound with an offset is an instant. Without one it is local time of the caller, like the value.
 */
function compareMoments(value: string, bound: string, isTime: boolean): number {
  if (!isTime && /(?:Z|[+-]\d{2}:?\d{2})$/.test(bound.slice(10)))
    return (readIso(value)?.ms ?? NaN) - (readIso(bound)?.ms ?? NaN);
  const shown = value.slice(0, bound.length);
  return shown < bound ? -1 : shown > bound ? 1 : 0;
}
