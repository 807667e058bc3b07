// What is edited: a definition and where its nodes are drawn. The places are kept in the member `layout` of a stored definition, which a
// diff does not count; here they stand beside it, so that moving a node touches nothing of what the flow does.
import type { AuthoredEdge, AuthoredFlow, AuthoredNode } from '@parley/flow-engine';

export interface Place {
  readonly x: number;
  readonly y: number;
}
export type Places = Readonly<Record<string, Place>>;

export interface Doc {
  /** Without `layout`. */
  readonly flow: AuthoredFlow;
  readonly places: Places;
}

export const edgesOf = ({ edges }: AuthoredFlow): readonly AuthoredEdge[] => edges ?? [];

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The least that can be drawn: nodes with ids, edges with ends. What else is wrong is for validation to say. */
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
  return { flow: flow, places };
}

/** What is stored: places of nodes that are gone are left behind. */
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

/** Positions in `edges` of the edges out of a node, in the order in which they are tried. */
export function edgesFrom(flow: AuthoredFlow, source: string): number[] {
  return edgesOf(flow).flatMap((edge, index) => (edge.source === source ? [index] : []));
}
