// What a recorded turn (docs/why.md#a-recorded-turn) says to a person. Pure.
import { recordedTurn, type AuthoredFlow, type Bag, type RecordedTurn } from '@parley/flow-engine';
import { nowhere, type Walked } from '../../flows/talk/walked.ts';

/** What a newer flow builder adds is left out; null: what is no recorded turn at all. */
export const readTurn = (wire: unknown): RecordedTurn | null =>
  recordedTurn.strip().safeParse(wire).data ?? null;

/** `path`: the bot keeps no more. `part`: something was too large. `masked`: values were replaced. */
export type Kept = 'whole' | 'masked' | 'part' | 'path';

export function keptOf({ truncated, redacted, input, variables_in, messages }: RecordedTurn): Kept {
  if (truncated === true) return 'part';
  if (input === null && variables_in === null && messages === null) return 'path';
  return (redacted ?? []).length > 0 ? 'masked' : 'whole';
}

/** The members that were too large, as the record names them. */
export function lostOf(turn: RecordedTurn): string[] {
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

/** null where it was not kept. */
export function bagsOf(turn: RecordedTurn): { readonly before: Bag; readonly after: Bag } | null {
  const { variables_in: before, variables_set, variables_cleared } = turn;
  if (before === null || variables_set === null || variables_cleared === null) return null;
  const gone = new Set(variables_cleared);
  const after = Object.entries({ ...before, ...variables_set }).filter(([name]) => !gone.has(name));
  return { before, after: Object.fromEntries(after) };
}

/** The way by positions alone, on the definition that ran. Those of called flows stand behind its own and are not drawn. */
export function wayOf({ path }: RecordedTurn, { nodes, edges }: AuthoredFlow): Walked {
  return {
    ...nowhere,
    visited: path.flatMap(([node]) => nodes[node]?.id ?? []),
    taken: new Set(path.flatMap(([, edge]) => (edge === null || edges?.[edge] === undefined ? [] : [edge]))),
  };
}
