// Reads the default answer of a node by its cast when the flow is loaded, so that the captured
// value has the right type.
import { casts, choiceValue, compileCast, type Cast, type CastRules, type CastSpec } from '@parley/answers';

/** Two days far apart: an answer that depends on the day of the turn is no constant. */
const momentsMs = [Date.UTC(2026, 0, 5, 9), Date.UTC(2031, 5, 18, 16)];

/**
 * The captured form of an authored default; undefined when there is none or the cast refuses it.
 */
export function toTypedDefault(cast: Cast | null, rules: CastRules, answer: unknown): unknown {
  if (answer === undefined || cast === null || cast === 'string' || cast === 'json')
    return cast === 'string' && typeof answer !== 'string' ? undefined : answer;
  const { captures } = casts[cast] as CastSpec;
  if (cast === 'enum') return toChoice(rules, answer);
  if (typeof answer !== 'string') return hasType(answer, cast, captures) ? answer : undefined;
  const read = compileCast(cast, { ...rules, reading: 'whole' });
  const [first, second] = momentsMs.map((nowMs) => read(answer, { nowMs }));
  if (first?.ok !== true || second?.ok !== true) return undefined;
  return JSON.stringify(first.value) === JSON.stringify(second.value) ? first.value : undefined;
}

function toChoice(rules: CastRules, answer: unknown): unknown {
  const values: unknown[] = rules.choices.map(choiceValue);
  if (values.includes(answer) || typeof answer !== 'string')
    return values.includes(answer) ? answer : undefined;
  const read = compileCast('enum', { ...rules, reading: 'whole' })(answer, { nowMs: 0 });
  return read.ok ? read.value : undefined;
}

/** Whether the cast captures the value unchanged. */
export function hasType(answer: unknown, cast: Cast, captures: CastSpec['captures']): boolean {
  if (captures === 'array') return Array.isArray(answer);
  return (
    typeof answer === captures &&
    captures !== 'string' &&
    (cast !== 'integer' || Number.isSafeInteger(answer))
  );
}
