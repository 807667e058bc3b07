// The editable canvas of a flow.
import {
  useCallback,
  useEffect,
  useDeferredValue,
  useMemo,
  useState,
  type DragEvent,
  type FocusEvent,
  type KeyboardEvent,
} from 'react';
import {
  MiniMap,
  ReactFlow,
  useStore,
  type Connection,
  type FinalConnectionState,
  type NodeChange,
} from '@xyflow/react';
import { edgesOf, nodeById, type Place } from '../document/doc.ts';
import { placed, setEdge } from '../document/edits.ts';
import { change, connectFromNode, select, toggleFold, useFlow } from '../document/flow-store.ts';
import { openUp } from '../page-state.ts';
import type { Problems } from '../document/problems.ts';
import { add, join } from './actions.ts';
import { calledBy } from './called-by.ts';
import { CalledFlow } from './called-flow.tsx';
import { useCalledNodes, type CalledNode } from './called-scene.ts';
import { Card } from './card.tsx';
import { Ground } from './ground.tsx';
import { Line } from './line.tsx';
import { FAR_ZOOM, Overview } from './overview.tsx';
import {
  cardNodes,
  edgeIndexOf,
  lineEdges,
  type CardNode,
  type LineEdge,
  type Overlay,
  type Scene,
} from './scene.ts';
import { ALL_DRAWN_MAX, MAPPED_MAX, NODE_HEIGHT, NODE_WIDTH } from '../document/sizes.ts';
import { bringIntoSight, focusNode, revealNode, placeAt, READABLE_ZOOM, setView, type View } from './view.ts';
import { isArrow, nearest } from './walk-by-key.ts';

const nodeTypes = { card: Card, called: CalledFlow };
const edgeTypes = { line: Line };
/** MIME type of a dragged node type. */
export const DRAGGED_TYPE = 'application/x-parley-node-type';
const HELP =
  'Press arrow keys to go to the next node, or Shift and arrow keys to move it. Enter edits the node, N adds a node after it, C connects from it, Delete removes it.';
const ariaLabels = { 'node.a11yDescription.default': HELP, 'node.a11yDescription.keyboardDisabled': HELP };
const MAP = { width: 150, height: 100 };
/** Leaves room for the palette on the left. */
const MARGIN = { left: '72px', top: '24px', right: '24px', bottom: '24px' } as const;
const startView = { x: 0, y: 0, zoom: 1 };

export interface FlowCanvasProps {
  readonly problems: Problems;
  readonly overlay: Overlay;
  /** Called on Enter on a node. */
  readonly onEdit: () => void;
}

export function FlowCanvas({ problems, overlay, onEdit }: FlowCanvasProps) {
  // Deferred, so that drawing a thousand cards does not delay typing in the inspector.
  const flow = useDeferredValue(useFlow((state) => state.doc.flow));
  const places = useFlow((state) => state.doc.places);
  const selection = useFlow((state) => state.selection);
  const checked = useFlow((state) => state.checked);
  const connectFrom = useFlow((state) => state.connectFrom);
  const unfolded = useFlow((state) => state.unfolded);
  const [dragged, setDragged] = useState<Readonly<Record<string, Place>>>({});
  const isFar = useStore((state) => state.transform[2] < FAR_ZOOM) && flow.nodes.length > ALL_DRAWN_MAX;

  const scene: Scene = useMemo(
    () => ({
      flow,
      selection,
      problems,
      overlay,
      connectFrom,
      unfolded,
      places: { ...places, ...dragged },
      startId: checked?.startId ?? flow.start ?? null,
      sketches: checked?.edges ?? [],
    }),
    [flow, places, dragged, selection, problems, overlay, connectFrom, unfolded, checked],
  );
  const nodes = useMemo(() => cardNodes(scene), [scene]);
  const edges = useMemo(() => lineEdges(scene), [scene]);
  const called = useCalledNodes(scene.places, overlay);
  const drawn = useMemo(() => (called.length === 0 ? nodes : [...nodes, ...called]), [nodes, called]);

  const newest = called.at(-1)?.id;
  useEffect(() => {
    if (newest !== undefined) requestAnimationFrame(() => bringIntoSight(newest));
  }, [newest]);
  useEffect(() => () => setView(null), []);
  const onInit = useCallback((view: View) => {
    setView(view);
    void showFirst(view);
  }, []);

  const onNodesChange = useCallback((changes: NodeChange<CardNode | CalledNode>[]) => {
    const moving: Record<string, Place> = {};
    const settled: Record<string, Place> = {};
    for (const one of changes)
      if (one.type === 'position' && one.position !== undefined)
        (one.dragging === true ? moving : settled)[one.id] = {
          x: Math.round(one.position.x),
          y: Math.round(one.position.y),
        };
    if (Object.keys(moving).length > 0) setDragged((before) => ({ ...before, ...moving }));
    const known = useFlow.getState().doc.places;
    const moved = Object.entries(settled).filter(([id, at]) => known[id]?.x !== at.x || known[id].y !== at.y);
    if (moved.length > 0)
      change(
        (doc) => placed(doc, Object.fromEntries(moved)),
        `Moved ${moved.map(([id]) => id).join(', ')}`,
        'move',
      );
    if (Object.keys(settled).length > 0) setDragged({});
    const chosen = new Set(useFlow.getState().selection.nodes);
    let isChosen = false;
    for (const one of changes) {
      if (one.type !== 'select') continue;
      isChosen = true;
      if (one.selected) chosen.add(one.id);
      else chosen.delete(one.id);
    }
    if (isChosen) select([...chosen], chosen.size === 0 ? useFlow.getState().selection.edge : null);
  }, []);

  const onConnect = useCallback(
    ({ source, target, sourceHandle }: Connection) => join(source, target, sourceHandle),
    [],
  );
  const onReconnect = useCallback(
    (old: LineEdge, { source, target }: Connection) =>
      change(
        (doc) => setEdge(doc, edgeIndexOf(old.id), { source, target }),
        `Connected the edge to ${target}`,
      ),
    [],
  );
  /** An edge dropped on the empty canvas opens the list of node types. */
  const onConnectEnd = useCallback((event: MouseEvent | TouchEvent, state: FinalConnectionState) => {
    if (state.toNode !== null || state.fromNode === null || state.fromHandle?.type !== 'source') return;
    const { clientX, clientY } = 'changedTouches' in event ? event.changedTouches[0]! : event;
    const { fromNode, fromHandle } = state;
    openUp({ kind: 'add', from: fromNode.id, port: fromHandle.id ?? null, at: placeAt(clientX, clientY) });
  }, []);

  function onDrop(event: DragEvent) {
    const type = event.dataTransfer.getData(DRAGGED_TYPE);
    if (type === '') return;
    event.preventDefault();
    add(type, null, placeAt(event.clientX, event.clientY));
  }

  function onKeyDown(event: KeyboardEvent<HTMLDivElement>) {
    const id = (event.target as HTMLElement).closest('.react-flow__node')?.getAttribute('data-id');
    if (id == null || event.ctrlKey || event.metaKey || event.altKey) return;
    const from = useFlow.getState().connectFrom;
    if (isArrow(event.key) && !event.shiftKey) {
      const next = nearest(useFlow.getState().doc.places, id, event.key);
      if (next !== null) revealNode(next, { focus: true });
    } else if (event.key === 'Enter' && from !== null) {
      join(from, id);
      focusNode(id);
    } else if (event.key === 'Enter') {
      select([id]);
      onEdit();
    } else if (event.key === 'c') connectFromNode(id);
    else if (event.key === 'f' && isCall(id)) toggleFold(id);
    else if (event.key === 'n') openUp({ kind: 'add', from: id, port: null, at: null });
    else {
      if (isArrow(event.key) || event.key === 'Delete' || event.key === 'Backspace')
        if (!useFlow.getState().selection.nodes.includes(id)) select([id]);
      return;
    }
    event.preventDefault();
    event.stopPropagation();
  }

  /** Tab also reaches nodes out of view. */
  function onFocus({ target }: FocusEvent) {
    const id = target.closest('.react-flow__node')?.getAttribute('data-id');
    if (id != null && target.matches(':focus-visible')) bringIntoSight(id);
  }

  return (
    // The nodes are focusable; the canvas only handles their bubbling events.
    // eslint-disable-next-line jsx-a11y/no-static-element-interactions
    <div
      className="flow-canvas relative h-full"
      onKeyDownCapture={onKeyDown}
      onFocusCapture={onFocus}
      onDrop={onDrop}
      onDragOver={(event) => {
        if (event.dataTransfer.types.includes(DRAGGED_TYPE)) event.preventDefault();
      }}
    >
      <ReactFlow<CardNode | CalledNode, LineEdge>
        nodes={isFar ? [] : drawn}
        edges={isFar ? [] : edges}
        nodeTypes={nodeTypes}
        edgeTypes={edgeTypes}
        defaultViewport={startView}
        onInit={onInit}
        onNodesChange={onNodesChange}
        onEdgeClick={(_, { id }) => select([], edgeIndexOf(id))}
        onConnect={onConnect}
        onConnectEnd={onConnectEnd}
        onReconnect={onReconnect}
        onPaneClick={() => select([])}
        ariaLabelConfig={ariaLabels}
        autoPanOnNodeFocus={false}
        onlyRenderVisibleElements={flow.nodes.length > ALL_DRAWN_MAX}
        deleteKeyCode={null}
        connectionRadius={36}
        minZoom={0.05}
        maxZoom={1.6}
        elevateNodesOnSelect={false}
        panOnScroll
        zoomOnDoubleClick={false}
      >
        <Ground />
        {flow.nodes.length > 12 && flow.nodes.length <= MAPPED_MAX && (
          <MiniMap pannable zoomable ariaLabel="Map of the flow" style={MAP} />
        )}
        {isFar && <Overview flow={flow} places={scene.places} />}
      </ReactFlow>
      {edgesOf(flow).length === 0 && flow.nodes.length === 0 && <Nothing />}
    </div>
  );
}

function isCall(id: string): boolean {
  const node = nodeById(useFlow.getState().doc, id);
  return node !== undefined && calledBy(node) !== null;
}

function Nothing() {
  return (
    <div className="pointer-events-none absolute inset-0 grid place-items-center">
      <p className="text-center text-ink-2">
        This flow is empty. Press <kbd>N</kbd> to add its first node,
        <br />
        or drag one from the palette.
      </p>
    </div>
  );
}

/** Shows the whole flow when it is readable, or else the selected node or the start. */
async function showFirst(view: View): Promise<void> {
  const { doc, selection } = useFlow.getState();
  const { nodes, start } = doc.flow;
  const isSmall = nodes.length <= ALL_DRAWN_MAX;
  if (isSmall) await view.fitView({ maxZoom: 1, padding: MARGIN, minZoom: READABLE_ZOOM });
  const at = doc.places[selection.nodes[0] ?? start ?? nodes[0]?.id ?? ''];
  if (at !== undefined && (!isSmall || view.getZoom() <= READABLE_ZOOM))
    await view.setCenter(at.x + NODE_WIDTH / 2, at.y + 4 * NODE_HEIGHT, { zoom: 0.8 });
}
