// Checks the patterns of a flow by compiling each; all of them together have a maximum size.
import { limits } from '@parley/flow-engine/define/limits';
import { patternSize } from '@parley/flow-engine/read/pattern-size';
import { compilePattern } from '@parley/flow-engine/read/patterns';

/** Why a pattern cannot be used, or null. */
export type PatternProblem = (pattern: string, caseSensitive: boolean) => string | null;

export function patternProblems(): PatternProblem {
  const known = new Map<string, string | null>();
  let left: number = limits.flowPatternInstructionsMax;
  const tooMany = `The patterns of the flow take more than ${left} steps together`;
  const findProblem: PatternProblem = (pattern, caseSensitive) => {
    if (left <= 0) return tooMany;
    left -= Math.min(patternSize(pattern), limits.patternInstructionsMax);
    const compiled = compilePattern(pattern, caseSensitive);
    return compiled.ok ? null : compiled.message;
  };
  return (pattern, caseSensitive) => {
    const key = `${caseSensitive} ${pattern}`;
    const problem = known.has(key) ? known.get(key)! : findProblem(pattern, caseSensitive);
    known.set(key, problem);
    return problem;
  };
}
