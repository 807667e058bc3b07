// Finds the findings of a field by their JSON pointers.
import type { Finding } from '../../engine/check.ts';

const isAt = (finding: Finding, path: string): boolean =>
  finding.path === path || finding.path.startsWith(`${path}/`);

/** The findings of a field, and of members below it that have no field. */
export function problemAt(
  findings: readonly Finding[],
  path: string,
  { below = true } = {},
): { readonly problem: string | undefined; readonly tone: 'bad' | 'warn' } {
  const found = findings.filter((one) => (below ? isAt(one, path) : one.path === path));
  return {
    problem: found.length === 0 ? undefined : found.map(({ message }) => message).join('. '),
    tone: found.some(({ severity }) => severity === 'error') ? 'bad' : 'warn',
  };
}

/** Findings without a field, and those with a path to show. */
export const elsewhere = (findings: readonly Finding[], fields: readonly string[]): readonly Finding[] =>
  findings.filter((one) => one.witness.length > 0 || !fields.some((path) => isAt(one, path)));
