// Values that an agent that talks returns beside its words
// (docs/flow-language.md#agents-that-talk). The engine checks each: it has the declared type, or is
// a text that the cast of that type reads.
import { compileCast, type AnswerCast, type Cast } from '@parley/answers';
import { isCarriable } from '@parley/answers/readings';
import { ownMember } from '../read/paths.ts';
import { readingContext } from '../read/reading-context.ts';
import type { AutonomousNode } from '../compile/compiled.ts';
import { compileExtraction, fitsSchema, mergeExtracted, type CompiledExtraction } from './extraction.ts';
import type { JsonSchema } from './extraction.ts';
import type { AgentOutcome } from './turn.ts';
import type { Walk } from './walk-state.ts';

export interface AgentValues extends CompiledExtraction {
  /** What reads a text in place of a value, by the name of the variable. */
  readonly casts: ReadonlyMap<string, AnswerCast>;
}

/** @param language BCP 47, of the flow */
export function compileAgentValues(
  extraction: JsonSchema | null | undefined,
  language: string | null,
): AgentValues | null {
  const compiled = compileExtraction(extraction);
  if (compiled === null) return null;
  const casts = compiled.variables.flatMap(({ name, schema }) => {
    const cast = compileSchemaCast(schema, language);
    return cast === null ? [] : [[name, cast] as const];
  });
  return { ...compiled, casts: new Map(casts) };
}

function compileSchemaCast(schema: unknown, language: string | null): AnswerCast | null {
  const [type, choices] = [ownMember(schema, 'type'), ownMember(schema, 'enum')];
  const rules = { choices: [], defaultRegion: null, language, reading: 'whole' } as const;
  if (Array.isArray(choices) && choices.every((choice) => typeof choice === 'string'))
    return compileCast('enum', { ...rules, choices });
  return isCastType(type) ? compileCast(type, rules) : null;
}

const isCastType = (type: unknown): type is Cast & ('number' | 'integer' | 'boolean') =>
  type === 'number' || type === 'integer' || type === 'boolean';

/** Its bounds are used up, or it could not answer. */
export const hasFailed = ({ status }: AgentOutcome): boolean =>
  status !== 'replied' && status !== 'goal_reached';

/** Writes the values that count. A failed run has none. */
export function mergeAgentValues(walk: Walk, { values }: AutonomousNode, outcome: AgentOutcome): void {
  if (values === null || outcome.values === undefined || hasFailed(outcome)) return;
  const read = Object.fromEntries(
    values.variables.map(({ name, schema }) => [
      name,
      readValue(walk, values.casts.get(name), schema, ownMember(outcome.values, name)),
    ]),
  );
  const found = mergeExtracted(values, read, walk.variables);
  if (walk.trace !== null)
    walk.traced = { input: null, ...walk.traced, extraction: { ...found, unavailable: null } };
}

/** Null = not stated. What cannot be read stays as it is, and is rejected. */
function readValue(walk: Walk, cast: AnswerCast | undefined, schema: unknown, value: unknown): unknown {
  if (typeof value === 'number' && !isCarriable(value)) return undefined;
  if (typeof value !== 'string') return value;
  const text = value.trim();
  if (text === '') return null;
  if (cast === undefined || fitsSchema(text, schema)) return text;
  const read = cast(text, readingContext(walk));
  return read.ok && read.reading === 'whole' && read.discarded === null ? read.value : text;
}
