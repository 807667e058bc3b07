// The camera over the canvas, for whoever wants to show something on it: the list of problems, the search, the chat.
import type { ReactFlowInstance } from '@xyflow/react';
import type { Place } from '../document/doc.ts';
import { select } from '../document/flow-store.ts';
import type { CardNode, LineEdge } from './scene.ts';
import { NODE_HEIGHT, NODE_WIDTH } from './sizes.ts';

export type View = ReactFlowInstance<CardNode, LineEdge>;
let view: View | null = null;

export const setView = (instance: View | null): void => {
  view = instance;
};

const DURATION_MS = 200;
/** Frames until the element of a node that was just added is there. */
const FRAMES_MAX = 10;

const elementOf = (id: string): HTMLElement | null =>
  document.querySelector(`.react-flow__node[data-id="${CSS.escape(id)}"]`);

/** Selects a node, and brings it into sight when it is not. */
export function revealNode(id: string, { focus = false } = {}): void {
  select([id]);
  centreOn(id);
  if (focus) focusNode(id);
}

export function revealEdge(index: number, source: string): void {
  select([], index);
  centreOn(source);
}

export function focusNode(id: string): void {
  const attempt = (left: number) => {
    const element = elementOf(id);
    if (element !== null) element.focus({ preventScroll: true });
    else if (left > 0) requestAnimationFrame(() => attempt(left - 1));
  };
  attempt(FRAMES_MAX);
}

function centreOn(id: string): void {
  if (view === null) return;
  const node = view.getNode(id);
  if (node === undefined) return;
  const zoom = Math.max(view.getZoom(), 0.7);
  const { x, y } = view.flowToScreenPosition(node.position);
  const pane = document.querySelector('.react-flow')?.getBoundingClientRect();
  const isInSight =
    pane !== undefined &&
    zoom === view.getZoom() &&
    x >= pane.left &&
    y >= pane.top &&
    x + NODE_WIDTH * zoom <= pane.right &&
    y + NODE_HEIGHT * zoom <= pane.bottom;
  if (!isInSight)
    void view.setCenter(node.position.x + NODE_WIDTH / 2, node.position.y + NODE_HEIGHT / 2, {
      zoom,
      duration: DURATION_MS,
    });
}

export const showAll = (): void => void view?.fitView({ duration: DURATION_MS, maxZoom: 1, padding: 0.1 });
export const zoomBy = (way: 'in' | 'out'): void => {
  void (way === 'in' ? view?.zoomIn({ duration: DURATION_MS }) : view?.zoomOut({ duration: DURATION_MS }));
};
/** The middle of what is in sight. */
export function middle(): Place | null {
  const pane = document.querySelector('.react-flow')?.getBoundingClientRect();
  if (view === null || pane === undefined) return null;
  const { x, y } = view.screenToFlowPosition({ x: pane.left + pane.width / 2, y: pane.top + pane.height / 2 });
  return { x: Math.round(x - NODE_WIDTH / 2), y: Math.round(y - NODE_HEIGHT / 2) };
}

/** Where a card lies whose top is in the middle under the pointer. */
export function placeAt(clientX: number, clientY: number): Place {
  const { x, y } = view?.screenToFlowPosition({ x: clientX, y: clientY }) ?? { x: 0, y: 0 };
  return { x: Math.round(x - NODE_WIDTH / 2), y: Math.round(y) };
}
