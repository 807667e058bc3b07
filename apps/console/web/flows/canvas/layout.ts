// Arranges all nodes: with dagre, or with our own layers for large flows.
import { Graph, layout } from '@dagrejs/dagre';
import type { Place, Places } from '../document/doc.ts';
import { heightIn, layoutInLayers, type Ends, type Heights } from './layout-layers.ts';
import { GAP_X, GAP_Y, NODE_WIDTH } from '../document/sizes.ts';

/** Beyond this, dagre takes seconds and overflows the stack of a worker. */
const DAGRE_NODES_MAX = 300;

/** Puts unconnected nodes (a persona, a webhook) in a column next to the flow. */
export function arrange(ids: readonly string[], edges: readonly Ends[], heights: Heights = {}): Places {
  const known = new Set(ids);
  const sound = edges.filter(({ source, target }) => known.has(source) && known.has(target));
  const touched = new Set(sound.flatMap(({ source, target }) => [source, target]));
  const inFlow = ids.filter((id) => touched.has(id));
  const places = arranged(inFlow, sound, heights);
  const left =
    inFlow.length === 0 ? 0 : Math.min(...inFlow.map((id) => places[id]!.x)) - NODE_WIDTH - 2 * GAP_X;
  const top = inFlow.length === 0 ? 0 : Math.min(...inFlow.map((id) => places[id]!.y));
  const alone = ids.filter((id) => !touched.has(id));
  return Object.fromEntries([
    ...Object.entries(places),
    ...alone.map((id, at): [string, Place] => [
      id,
      { x: left, y: alone.slice(0, at).reduce((y, one) => y + heightIn(heights, one) + GAP_Y / 2, top) },
    ]),
  ]);
}

function arranged(ids: readonly string[], edges: readonly Ends[], heights: Heights): Places {
  if (ids.length > DAGRE_NODES_MAX) return layoutInLayers(ids, edges, heights);
  try {
    return layoutWithDagre(ids, edges, heights);
  } catch (error) {
    if (error instanceof RangeError) return layoutInLayers(ids, edges, heights);
    throw error;
  }
}

function layoutWithDagre(ids: readonly string[], edges: readonly Ends[], heights: Heights): Places {
  const graph = new Graph({ multigraph: true });
  graph.setGraph({ rankdir: 'TB', nodesep: GAP_X, ranksep: GAP_Y });
  graph.setDefaultEdgeLabel(() => ({}));
  for (const id of ids) graph.setNode(id, { width: NODE_WIDTH, height: heightIn(heights, id) });
  edges.forEach(({ source, target }, index) => {
    if (source !== target) graph.setEdge(source, target, {}, String(index));
  });
  layout(graph);
  return Object.fromEntries(
    ids.map((id) => {
      const { x = 0, y = 0 } = graph.node(id) as Partial<Place>;
      return [id, { x: Math.round(x - NODE_WIDTH / 2), y: Math.round(y - heightIn(heights, id) / 2) }];
    }),
  );
}
