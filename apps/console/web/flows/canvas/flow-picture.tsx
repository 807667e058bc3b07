// A read-only canvas, for comparisons and for the paths of conversations.
import { useCallback, useEffect, useMemo } from 'react';
import { ReactFlow, ReactFlowProvider } from '@xyflow/react';
import type { AuthoredFlow } from '@parley/flow-engine';
import '../flows.css';
import type { Checked } from '../../engine/check.ts';
import type { Places } from '../document/doc.ts';
import { none } from '../document/problems.ts';
import type { CalledNode } from './called-scene.ts';
import { Card } from './card.tsx';
import { Ground } from './ground.tsx';
import { Line } from './line.tsx';
import { cardNodes, lineEdges, type CardNode, type LineEdge, type Overlay } from './scene.ts';
import { ALL_DRAWN_MAX } from '../document/sizes.ts';
import { bringIntoSight, READABLE_ZOOM, setView, type View } from './view.ts';

const nodeTypes = { card: Card };
const edgeTypes = { line: Line };
const nothing = { nodes: [], edge: null };

export interface FlowPictureProps {
  readonly flow: AuthoredFlow;
  readonly places: Places;
  readonly checked: Pick<Checked, 'startId' | 'edges'> | null;
  readonly overlay: Overlay;
  readonly chosen?: string | null;
  readonly onChoose?: (id: string | null) => void;
  /** A node to keep in view at a readable zoom. */
  readonly follow?: string | null;
}

export function FlowPicture(props: FlowPictureProps) {
  const { flow, places, checked, overlay, chosen = null, onChoose, follow = null } = props;
  const scene = useMemo(
    () => ({
      flow,
      places,
      overlay,
      problems: none,
      connectFrom: null,
      selection: chosen === null ? nothing : { nodes: [chosen], edge: null },
      startId: checked?.startId ?? null,
      sketches: checked?.edges ?? [],
    }),
    [flow, places, overlay, chosen, checked],
  );
  const nodes = useMemo(() => cardNodes(scene), [scene]);
  const edges = useMemo(() => lineEdges(scene), [scene]);
  useEffect(() => () => setView(null), []);
  useEffect(() => {
    if (follow !== null) bringIntoSight(follow);
  }, [follow]);
  const onInit = useCallback(
    (view: View) => {
      setView(view);
      const fitted = view.fitView({ maxZoom: 1, padding: 0.08, ...(follow && { minZoom: READABLE_ZOOM }) });
      void fitted.then(() => follow !== null && bringIntoSight(follow));
    },
    [follow],
  );
  return (
    <ReactFlowProvider>
      <div className="flow-canvas h-full">
        <ReactFlow<CardNode | CalledNode, LineEdge>
          nodes={nodes}
          edges={edges}
          nodeTypes={nodeTypes}
          edgeTypes={edgeTypes}
          nodesDraggable={false}
          nodesConnectable={false}
          edgesReconnectable={false}
          deleteKeyCode={null}
          onNodeClick={(_, { id }) => onChoose?.(id)}
          onPaneClick={() => onChoose?.(null)}
          onlyRenderVisibleElements={flow.nodes.length > ALL_DRAWN_MAX}
          onInit={onInit}
          minZoom={0.05}
          panOnScroll
        >
          <Ground />
        </ReactFlow>
      </div>
    </ReactFlowProvider>
  );
}
