// Texts that callers hear (docs/flow-language.md#missing-members). A text that reads a member that
// the result of a tool lacks is not spoken: other texts of the node are tried instead.
import { compileLookup, parsePath, type Scope } from '../read/paths.ts';
import type { FlowModel } from '../define/model.ts';
import { compileTemplate, type Template } from './interpolate.ts';
import { parseTemplate } from './template-syntax.ts';

export interface SpokenText extends Template {
  /** The path that a tool's result lacks; null = nothing is missing. Absent = it reads none. */
  readonly findGap?: (scope: Scope) => string | null;
}

/** Whether a path leads to a member of the result of a tool that the flow waits for. */
export type IsResultMember = (path: string) => boolean;

export function findResultMembers({ nodes }: FlowModel): IsResultMember {
  const results = new Set<string>();
  for (const { waitsFor, outputVar } of nodes)
    if (waitsFor === 'tool_result' && outputVar !== null) results.add((parsePath(outputVar) ?? []).join('.'));
  if (results.size === 0) return () => false;
  return (path) => {
    const steps = parsePath(path) ?? [];
    return steps.some((_, at) => at > 0 && results.has(steps.slice(0, at).join('.')));
  };
}

/** Null for a blank text. A placeholder with a `default` has no gap. */
export function compileSpoken(
  text: string | null | undefined,
  isResultMember: IsResultMember,
): SpokenText | null {
  if (text == null || text.trim() === '') return null;
  const template = compileTemplate(text);
  const reads = parseTemplate(text).parts.flatMap((part) =>
    typeof part === 'string' ||
    part.filters.some(({ name }) => name === 'default') ||
    !isResultMember(part.path)
      ? []
      : [{ path: part.path, read: compileLookup(part.path) }],
  );
  if (reads.length === 0) return template;
  const findGap = (scope: Scope) => reads.find(({ read }) => (read(scope) ?? null) === null)?.path ?? null;
  return Object.assign(template, { findGap });
}

/** Says the chosen text, or else the next one without a gap. */
export function chooseSpoken(
  texts: readonly [SpokenText, ...SpokenText[]],
  choose: (scope: Scope) => number,
): SpokenText {
  if (texts.every(({ findGap }) => findGap === undefined)) return (scope) => texts[choose(scope)]!(scope);
  const find = (scope: Scope): SpokenText => {
    const first = choose(scope);
    const inOrder = [...texts.slice(first), ...texts.slice(0, first)];
    return inOrder.find((text) => (text.findGap?.(scope) ?? null) === null) ?? inOrder[0]!;
  };
  const say = (scope: Scope) => find(scope)(scope);
  return Object.assign(say, { findGap: (scope: Scope) => find(scope).findGap?.(scope) ?? null });
}

/** A text, and the one that is said in its place when it has a gap. */
export function orElse(text: SpokenText | null, other: SpokenText | null): SpokenText | null {
  if (text?.findGap === undefined || other === null) return text;
  return chooseSpoken([text, other], () => 0);
}
