// Patterns of `matches` and `not_matches`: RE2 syntax through re2js, so no pattern and no utterance
// can make a turn hang. Their size is estimated first (pattern-size.ts); all flows of a process can
// share a cache of compiled ones.
import { RE2JS, RE2Set } from 're2js';
import { limits } from '../define/limits.ts';
import { patternSize } from './pattern-size.ts';
import { compose } from '@parley/answers/readings';

export type CompiledPattern =
  | { readonly ok: true; readonly test: (text: string) => boolean }
  | { readonly ok: false; readonly message: string };

/**
 * Bytes that searching may hold: per instruction, and at least. RE2 caches its states, by default
 * eight megabytes a pattern, and a flow has hundreds of patterns.
 */
const stateBytesPerInstruction = 512;
const stateBytesMin = 16 * 1024;

/** Compiles a pattern, or returns why it is invalid. Never throws. */
export function compilePattern(pattern: string, caseSensitive: boolean): CompiledPattern {
  if (pattern.length > limits.patternCharsMax)
    return {
      ok: false,
      message: `Pattern of ${pattern.length} characters, at most ${limits.patternCharsMax}`,
    };
  const size = patternSize(pattern);
  if (size > limits.patternInstructionsMax)
    return { ok: false, message: `Pattern too costly: its repeats multiply to ${size} steps` };
  try {
    // A set of one: the form of re2js with bounded memory.
    const stateBytes = Math.max(stateBytesMin, size * stateBytesPerInstruction);
    const regex = new RE2Set(RE2Set.UNANCHORED, caseSensitive ? 0 : RE2JS.CASE_INSENSITIVE, stateBytes);
    regex.add(compose(pattern));
    regex.compile();
    return { ok: true, test: (text) => regex.match(text).length > 0 };
  } catch (error) {
    return { ok: false, message: error instanceof Error ? error.message : 'Not a pattern' };
  }
}

/** Looks up a pattern by its text; also caches invalid ones. */
export type PatternSource = (pattern: string, caseSensitive: boolean) => CompiledPattern;

/** Small patterns take memory too. */
const weightMin = 32;

/** A cache of compiled patterns, least recently used first out: a Map keeps insertion order. */
export function patternCache(): PatternSource {
  const cache = new Map<string, { readonly compiled: CompiledPattern; readonly weight: number }>();
  let weight = 0;
  return (pattern, caseSensitive) => {
    const key = `${caseSensitive ? 's' : 'i'}${pattern}`;
    const known = cache.get(key);
    if (known !== undefined) {
      cache.delete(key);
      cache.set(key, known);
      return known.compiled;
    }
    const compiled = compilePattern(pattern, caseSensitive);
    const entry = { compiled, weight: Math.max(weightMin, compiled.ok ? patternSize(pattern) : 0) };
    cache.set(key, entry);
    weight += entry.weight;
    for (const [oldest, { weight: freed }] of cache) {
      if (weight <= limits.patternInstructionsCachedMax) break;
      cache.delete(oldest);
      weight -= freed;
    }
    return compiled;
  };
}
