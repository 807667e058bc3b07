// Paths of variables in canonical form, and how they contain each other.
import { isReservedName } from '@parley/flow-engine/define/definition';
import { parsePath } from '@parley/flow-engine/read/paths';

/**
 * Steps of a path that are distinguished; longer paths with the same beginning count as one
 * variable.
 */
const pathStepsMax = 16;

/**
 * A path in canonical form; null when it can never hold a value of the flow: no path, or one
 * through a reserved name.
 */
export type PathReader = (text: string) => ReadPath | null;

export interface ReadPath {
  readonly path: string;
  readonly root: string;
}

/** Caches paths: the same few names occur all over a flow. */
export function makePathReader(): PathReader {
  const known = new Map<string, ReadPath | null>();
  return (text) => {
    let read = known.get(text);
    if (read !== undefined) return read;
    const steps = parsePath(text);
    read =
      steps === null || steps.some(isReservedName)
        ? null
        : { path: steps.slice(0, pathStepsMax).join('.'), root: steps[0] ?? '' };
    known.set(text, read);
    return read;
  };
}

/**
 * Whether a path equals one of the given, lies inside one, or contains one: setting `order` sets
 * `order.total`, and the reverse in part.
 */
export function makePathMatcher(paths: Iterable<string>): (path: string) => boolean {
  const whole = new Set(paths);
  const leadingTo = new Set<string>();
  for (const path of whole) for (const prefix of listPrefixes(path)) leadingTo.add(prefix);
  const known = new Map<string, boolean>();
  return (path) => {
    const matches =
      known.get(path) ?? (leadingTo.has(path) || listPrefixes(path).some((prefix) => whole.has(prefix)));
    known.set(path, matches);
    return matches;
  };
}

/** `a`, `a.b` and `a.b.c` of `a.b.c`. */
export function listPrefixes(path: string): string[] {
  const steps = path.split('.');
  return steps.map((_, at) => steps.slice(0, at + 1).join('.'));
}
