// Reads recorded turns (docs/why.md#a-recorded-turn). Pure.
import type { RecordedTurn } from '@parley/flow-analysis';
import type { AuthoredFlow, Bag } from '@parley/flow-engine';
import { nowhere, type Walked } from '../../flows/talk/walked.ts';

/**
 * `path`: the bot records only the path. `part`: something was too large. `masked`: values were
 * redacted.
 */
export type Completeness = 'whole' | 'masked' | 'part' | 'path';

export function getCompleteness({
  truncated,
  redacted,
  input,
  variables_in,
  messages,
}: RecordedTurn): Completeness {
  if (truncated === true) return 'part';
  if (input === null && variables_in === null && messages === null) return 'path';
  return (redacted ?? []).length > 0 ? 'masked' : 'whole';
}

/** The members that were too large to store. */
export function listMissing(turn: RecordedTurn): string[] {
  const members = [
    'input',
    'variables_in',
    'variables_set',
    'variables_cleared',
    'answers',
    'messages',
  ] as const;
  return [...members, 'actions' as const].filter((name) => turn[name] === null);
}

/** Null when the variables were not stored. */
export function computeVariables(turn: RecordedTurn): { readonly before: Bag; readonly after: Bag } | null {
  const { variables_in: before, variables_set, variables_cleared } = turn;
  if (before === null || variables_set === null || variables_cleared === null) return null;
  const gone = new Set(variables_cleared);
  const after = Object.entries({ ...before, ...variables_set }).filter(([name]) => !gone.has(name));
  return { before, after: Object.fromEntries(after) };
}

/**
 * The path on the definition that ran. Nodes of called flows come after its own and are not drawn.
 */
export function toPath({ path }: RecordedTurn, { nodes, edges }: AuthoredFlow): Walked {
  return {
    ...nowhere,
    visited: path.flatMap(([node]) => nodes[node]?.id ?? []),
    taken: new Set(path.flatMap(([, edge]) => (edge === null || edges?.[edge] === undefined ? [] : [edge]))),
  };
}
