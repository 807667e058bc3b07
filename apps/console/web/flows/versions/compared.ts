// Merges two versions into one picture: the newer one, and the removed parts of the older one.
import type { FlowDiff } from '@parley/flow-analysis';
import type { AuthoredEdge, AuthoredFlow, AuthoredNode } from '@parley/flow-engine';
import type { Difference } from '../canvas/scene.ts';
import { edgesOf, toDoc, type Doc } from '../document/doc.ts';

export interface Compared {
  readonly doc: Doc;
  readonly nodes: ReadonlyMap<string, Difference>;
  /** By edge index of the picture. */
  readonly edges: ReadonlyMap<number, Difference>;
}

export function compared(older: AuthoredFlow, newer: AuthoredFlow, diff: FlowDiff): Compared {
  const [before, after] = [toDoc(older), toDoc(newer)];
  // Copies, because the canvas caches drawings by object and these differ from the edited flow.
  const nodes: AuthoredNode[] = [...after.flow.nodes, ...diff.nodes.removed.map(({ node }) => node)].map(
    (node) => ({ ...node }),
  );
  const kept = edgesOf(after.flow);
  const edges: AuthoredEdge[] = [...kept, ...diff.edges.removed.map(({ edge }) => edge)].map((edge) => ({
    ...edge,
  }));
  const marks = new Map<number, Difference>();
  for (const { to_index } of [...diff.edges.moved, ...diff.edges.changed]) marks.set(to_index, 'changed');
  for (const { edge_index } of diff.edges.added) marks.set(edge_index, 'added');
  diff.edges.removed.forEach((_, at) => marks.set(kept.length + at, 'removed'));
  return {
    doc: { flow: { ...after.flow, nodes, edges }, places: { ...before.places, ...after.places } },
    edges: marks,
    nodes: new Map<string, Difference>([
      ...diff.nodes.changed.map(({ id }) => [id, 'changed'] as const),
      ...diff.nodes.added.map(({ id }) => [id, 'added'] as const),
      ...diff.nodes.removed.map(({ id }) => [id, 'removed'] as const),
    ]),
  };
}
