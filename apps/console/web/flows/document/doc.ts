// The edited document: a definition, and the positions of its nodes. A stored definition keeps
// positions in `layout`; here they are separate, so that moving a node does not change the flow.
import type { AuthoredEdge, AuthoredFlow, AuthoredNode } from '@parley/flow-engine';

import { spread } from './card-size.ts';
import type { Place, Places } from './sizes.ts';

export type { Place, Places } from './sizes.ts';

export interface Doc {
  /** Without `layout`. */
  readonly flow: AuthoredFlow;
  readonly places: Places;
}

export const edgesOf = ({ edges }: AuthoredFlow): readonly AuthoredEdge[] => edges ?? [];

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The minimum to draw: nodes with ids, edges with ends. Validation reports everything else. */
export function isDrawable(definition: unknown): definition is AuthoredFlow {
  if (!isObject(definition) || !Array.isArray(definition['nodes'])) return false;
  const { nodes, edges } = definition as { nodes: unknown[]; edges?: unknown };
  if (!nodes.every((node) => isObject(node) && typeof node['id'] === 'string')) return false;
  return (
    edges === undefined ||
    edges === null ||
    (Array.isArray(edges) &&
      edges.every(
        (edge) => isObject(edge) && typeof edge['source'] === 'string' && typeof edge['target'] === 'string',
      ))
  );
}

export function toDoc(definition: AuthoredFlow): Doc {
  const { layout, ...flow } = definition;
  const places: Record<string, Place> = {};
  for (const node of definition.nodes) {
    const place = placeIn(isObject(layout) ? layout[node.id] : undefined) ?? placeIn(node['position']);
    if (place !== null) places[node.id] = place;
  }
  return { flow, places: spread(flow, places) };
}

/** Drops the positions of removed nodes. */
export function toDefinition({ flow, places }: Doc): AuthoredFlow {
  const layout = Object.fromEntries(
    flow.nodes.flatMap(({ id }) => (places[id] === undefined ? [] : [[id, places[id]] as const])),
  );
  return Object.keys(layout).length === 0 ? flow : { ...flow, layout };
}

function placeIn(value: unknown): Place | null {
  if (!isObject(value)) return null;
  const { x, y } = value;
  return typeof x === 'number' && typeof y === 'number' && Number.isFinite(x) && Number.isFinite(y)
    ? { x, y }
    : null;
}

export const nodeById = ({ flow }: Doc, id: string): AuthoredNode | undefined =>
  flow.nodes.find((node) => node.id === id);

/** Indexes of the edges out of a node, in the order in which the engine tries them. */
export function edgesFrom(flow: AuthoredFlow, source: string): number[] {
  return edgesOf(flow).flatMap((edge, index) => (edge.source === source ? [index] : []));
}
