// The natural-language edges that a recorded turn could have taken. Pure.
import type { RecordedTurn } from '@parley/flow-analysis';
import type { AuthoredFlow } from '@parley/flow-engine';

export interface Branch {
  /** Position in the edges of the latest version. */
  readonly index: number;
  readonly nl: string;
  readonly label: string | null;
  readonly target: string;
}

/** @param ranOn its definition; `latest` the one that learns */
export function listBranches(
  { path, input }: RecordedTurn,
  ranOn: AuthoredFlow,
  latest: AuthoredFlow,
): { readonly edges: readonly Branch[]; readonly isTaken: boolean } {
  if ((input?.user_input ?? '').trim() === '') return { edges: [], isTaken: false };
  const visited = new Set(path.map(([node]) => ranOn.nodes[node]?.id));
  const commands = latest.nodes.filter(({ type, on }) => type === 'trigger' && on === 'any_turn');
  const sources = new Set<string | undefined>([...visited, ...commands.map(({ id }) => id)]);
  const edges = (latest.edges ?? []).flatMap(({ source, target, nl, condition, label }, index) => {
    const meaning = nl ?? condition ?? '';
    return meaning === '' || !sources.has(source)
      ? []
      : [{ index, nl: meaning, label: label ?? null, target }];
  });
  const isBranch = edges.some(({ index }) => visited.has(latest.edges![index]!.source));
  const isTaken = path.some(([, , decidedBy]) => decidedBy === 'classifier');
  return { edges: isBranch || isTaken ? edges : [], isTaken };
}
