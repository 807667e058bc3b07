// Findings at the field that they are about. Their paths are JSON pointers into the definition.
import type { Finding } from '../../engine/check.ts';

const isAt = (finding: Finding, path: string): boolean =>
  finding.path === path || finding.path.startsWith(`${path}/`);

/** What a field shows of its own findings, and of those below it where nothing there is a field. */
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

/** Those that no field shows, and those with a path that can be drawn. */
export const elsewhere = (findings: readonly Finding[], fields: readonly string[]): readonly Finding[] =>
  findings.filter((one) => one.witness.length > 0 || !fields.some((path) => isAt(one, path)));
