// Patterns of `matches` and `not_matches`: RE2 syntax through re2js, so no pattern and no utterance can make a turn hang. Compiled
// once per flow version; patterns that hold placeholders go through a bounded cache.
import { RE2JS } from 're2js';
import { limits } from '../define/limits.ts';
import { compose } from './readings.ts';

export type CompiledPattern =
  | { readonly ok: true; readonly test: (text: string) => boolean }
  | { readonly ok: false; readonly message: string };

/** Compiles a pattern, or says why it cannot be one. Never throws. */
export function compilePattern(pattern: string, caseSensitive: boolean): CompiledPattern {
  if (pattern.length > limits.patternCharsMax)
    return {
      ok: false,
      message: `Pattern of ${pattern.length} characters, at most ${limits.patternCharsMax}`,
    };
  try {
    const regex = RE2JS.compile(compose(pattern), caseSensitive ? 0 : RE2JS.CASE_INSENSITIVE);
    if (regex.programSize() > limits.patternInstructionsMax)
      return {
        ok: false,
        message: `Pattern too costly: its repeats multiply to ${regex.programSize()} steps`,
      };
    return { ok: true, test: (text) => regex.test(text) };
  } catch (error) {
    return { ok: false, message: error instanceof Error ? error.message : 'Not a pattern' };
  }
}

/** Looks a pattern up by its text; what cannot be compiled is remembered too. */
export type PatternSource = (pattern: string, caseSensitive: boolean) => CompiledPattern;

/**
 * A cache for one flow version, since rendered patterns depend on what the bag holds. It forgets the pattern used longest ago: a Map
 * keeps the order in which its keys were put in.
 */
export function patternCache(): PatternSource {
  const cache = new Map<string, CompiledPattern>();
  return (pattern, caseSensitive) => {
    const key = `${caseSensitive ? 's' : 'i'}${pattern}`;
    const compiled = cache.get(key) ?? compilePattern(pattern, caseSensitive);
    cache.delete(key);
    cache.set(key, compiled);
    if (cache.size > limits.patternsCachedMax) cache.delete(cache.keys().next().value as string);
    return compiled;
  };
}
