// Builds the exact RFC 6902 patch from one definition to another. Moves nodes and edges by the
// pairing of diff-flows.ts: a general differ of lists takes quadratic time, and a flow has
// thousands of nodes.
import type { AuthoredFlow } from '@parley/flow-engine/define/definition';
import { patchObject, type PatchOperation } from './json-changes.ts';
import { findLongestAscending, type Pairing } from './pairing.ts';

const nothing: ReadonlySet<string> = new Set();

/** The operations that turn `from` into `to`. */
export function patchFlow(
  from: AuthoredFlow,
  to: AuthoredFlow,
  nodes: Pairing,
  edges: Pairing,
): PatchOperation[] {
  // Without a list of edges in both versions, `edges` is a member like any other.
  const bothHaveEdges = Array.isArray(from.edges) && Array.isArray(to.edges);
  const lists = new Set(bothHaveEdges ? ['nodes', 'edges'] : ['nodes']);
  const members = patchObject(from, to, '', lists);
  if (members.some(({ path }) => path === '')) return members;
  return [
    ...members,
    ...patchList(from.nodes, to.nodes, nodes, '/nodes'),
    ...(bothHaveEdges ? patchList(from.edges ?? [], to.edges ?? [], edges, '/edges') : []),
  ];
}

type Elements = readonly Readonly<Record<string, unknown>>[];

/**
 * Removes from the back, adds from the front, then changes what stayed: every index is right at the
 * moment of its operation.
 */
function patchList(before: Elements, after: Elements, pairing: Pairing, at: string): PatchOperation[] {
  const paired = [...after.keys()].filter((place) => pairing[place] !== -1);
  const inOrder = findLongestAscending(paired.map((place) => pairing[place]!));
  const stays = paired.filter((_, order) => inOrder.has(order));
  const keptBefore = new Set(stays.map((place) => pairing[place]!));
  const keptAfter = new Set(stays);
  const patch: PatchOperation[] = [];
  for (let place = before.length - 1; place >= 0; place--)
    if (!keptBefore.has(place)) patch.push({ op: 'remove', path: `${at}/${place}` });
  after.forEach((value, place) => {
    if (!keptAfter.has(place)) patch.push({ op: 'add', path: `${at}/${place}`, value });
  });
  const changes = stays.map((place) =>
    patchObject(before[pairing[place]!]!, after[place]!, `${at}/${place}`, nothing),
  );
  return [...patch, ...changes.flat()];
}
