// Draws the zoomed-out flow on one canvas instead of thousands of elements.
import { useEffect, useRef } from 'react';
import { useStore } from '@xyflow/react';
import type { AuthoredFlow } from '@parley/flow-engine';
import { edgesOf, type Places } from '../document/doc.ts';
import { boxesOf } from '../document/card-size.ts';
import { NODE_WIDTH } from '../document/sizes.ts';

/** Below this zoom, cards are unreadable. */
export const FAR_ZOOM = 0.35;

const colour = (name: string) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

export function Overview({ flow, places }: { readonly flow: AuthoredFlow; readonly places: Places }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const [x, y, zoom] = useStore((state) => state.transform);
  const width = useStore((state) => state.width);
  const height = useStore((state) => state.height);
  useEffect(() => {
    const context = canvas.current?.getContext('2d');
    if (!context) return;
    const ratio = devicePixelRatio;
    const boxes = boxesOf(flow, places);
    context.canvas.width = width * ratio;
    context.canvas.height = height * ratio;
    context.setTransform(zoom * ratio, 0, 0, zoom * ratio, x * ratio, y * ratio);
    const [west, north, east, south] = [-x / zoom, -y / zoom, (width - x) / zoom, (height - y) / zoom];
    const isSeen = (x0: number, y0: number, x1: number, y1: number) =>
      x1 > west && x0 < east && y1 > north && y0 < south;
    context.strokeStyle = colour('--ink-2');
    context.lineWidth = 1 / zoom;
    context.beginPath();
    for (const { source, target } of edgesOf(flow)) {
      const [from, to] = [boxes[source], boxes[target]];
      if (from === undefined || to === undefined) continue;
      const [x0, x1] = [Math.min(from.x, to.x), Math.max(from.x, to.x) + NODE_WIDTH];
      const [y0, y1] = [Math.min(from.y, to.y), Math.max(from.y + from.height, to.y + to.height)];
      if (!isSeen(x0, y0, x1, y1)) continue;
      context.moveTo(from.x + NODE_WIDTH / 2, from.y + from.height);
      context.lineTo(to.x + NODE_WIDTH / 2, to.y);
    }
    context.stroke();
    context.fillStyle = colour('--line-strong');
    context.beginPath();
    for (const { x: left, y: top, height } of Object.values(boxes))
      if (isSeen(left, top, left + NODE_WIDTH, top + height)) context.rect(left, top, NODE_WIDTH, height);
    context.fill();
  }, [x, y, zoom, width, height, flow, places]);
  return (
    <div
      className="pointer-events-none absolute inset-0"
      role="img"
      aria-label={`Overview of ${flow.nodes.length} nodes`}
    >
      <canvas ref={canvas} className="h-full w-full" />
    </div>
  );
}
