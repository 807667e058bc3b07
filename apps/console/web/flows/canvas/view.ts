// Moves the view of the canvas, for the problems list, the search and the chat.
import type { ReactFlowInstance } from '@xyflow/react';
import type { Place } from '../document/doc.ts';
import { select } from '../document/flow-store.ts';
import type { CalledNode } from './called-scene.ts';
import type { CardNode, LineEdge } from './scene.ts';
import { NODE_HEIGHT, NODE_WIDTH } from '../document/sizes.ts';

export type View = ReactFlowInstance<CardNode | CalledNode, LineEdge>;
let view: View | null = null;

export const setView = (instance: View | null): void => {
  view = instance;
};

const DURATION_MS = 200;
/** Below this zoom, cards are unreadable. */
export const READABLE_ZOOM = 0.6;
/** Frames to wait for the element of a new node. */
const FRAMES_MAX = 10;

const elementOf = (id: string): HTMLElement | null =>
  document.querySelector(`.react-flow__node[data-id="${CSS.escape(id)}"]`);

/** Selects a node and scrolls it into view. */
export function revealNode(id: string, { focus = false } = {}): void {
  select([id]);
  bringIntoSight(id);
  if (focus) focusNode(id);
}

export function revealEdge(index: number, source: string): void {
  select([], index);
  bringIntoSight(source);
}

export function focusNode(id: string): void {
  const attempt = (left: number) => {
    const element = elementOf(id);
    if (element !== null) element.focus({ preventScroll: true });
    else if (left > 0) requestAnimationFrame(() => attempt(left - 1));
  };
  attempt(FRAMES_MAX);
}

/** Leaves room for the palette on the left. */
const MARGIN = { left: 72, top: 24, right: 24, bottom: 24 };

/** Moves the canvas as little as possible. */
export function bringIntoSight(id: string): void {
  const node = view?.getNode(id);
  const pane = document.querySelector('.react-flow')?.getBoundingClientRect();
  if (view === null || node === undefined || pane === undefined) return;
  const { x, y, zoom } = view.getViewport();
  if (zoom < READABLE_ZOOM) {
    const middle = {
      x: node.position.x + NODE_WIDTH / 2,
      y: node.position.y + (node.height ?? NODE_HEIGHT) / 2,
    };
    void view.setCenter(middle.x, middle.y, { zoom: 0.8, duration: DURATION_MS });
    return;
  }
  const [left, top] = [node.position.x * zoom + x, node.position.y * zoom + y];
  const { width = NODE_WIDTH, height = NODE_HEIGHT } = node;
  const dx = shift(left, left + width * zoom, MARGIN.left, pane.width - MARGIN.right);
  const dy = shift(top, top + height * zoom, MARGIN.top, pane.height - MARGIN.bottom);
  if (dx !== 0 || dy !== 0) void view.setViewport({ x: x + dx, y: y + dy, zoom }, { duration: DURATION_MS });
}

/** The shift that brings a range between two bounds. */
function shift(from: number, to: number, least: number, most: number): number {
  if (from < least) return least - from;
  return to > most ? Math.max(most - to, least - from) : 0;
}

export const showAll = (): void => void view?.fitView({ duration: DURATION_MS, maxZoom: 1, padding: 0.1 });
export const zoomBy = (way: 'in' | 'out'): void => {
  void (way === 'in' ? view?.zoomIn({ duration: DURATION_MS }) : view?.zoomOut({ duration: DURATION_MS }));
};
/** The centre of the visible area. */
export function middle(): Place | null {
  const pane = document.querySelector('.react-flow')?.getBoundingClientRect();
  if (view === null || pane === undefined) return null;
  const { x, y } = view.screenToFlowPosition({
    x: pane.left + pane.width / 2,
    y: pane.top + pane.height / 2,
  });
  return { x: Math.round(x - NODE_WIDTH / 2), y: Math.round(y - NODE_HEIGHT / 2) };
}

/** The position of a card whose top centre is at the pointer. */
export function placeAt(clientX: number, clientY: number): Place {
  const { x, y } = view?.screenToFlowPosition({ x: clientX, y: clientY }) ?? { x: 0, y: 0 };
  return { x: Math.round(x - NODE_WIDTH / 2), y: Math.round(y) };
}
