// A called flow, expanded next to the calling node.
import { memo } from 'react';
import type { NodeProps } from '@xyflow/react';
import { buttonClass } from '../../ui/button.tsx';
import { edgesFrom, edgesOf } from '../document/doc.ts';
import { toggleFold } from '../document/flow-store.ts';
import type { CalledNode } from './called-scene.ts';
import { CardFace } from './card.tsx';
import { edgeRoute, laneOf } from './edge-route.ts';
import { plainCard } from './scene.ts';
import { boxesOf } from '../document/card-size.ts';
import { NODE_WIDTH } from '../document/sizes.ts';

const SMALL = buttonClass('quiet', 'nodrag h-6! px-1.5! text-xs');

/** A large flow scrolls in its frame. */
const scrolledByKey = { tabIndex: 0, role: 'group' };

export const CalledFlow = memo(function CalledFlow({ data, width, height }: NodeProps<CalledNode>) {
  const { callerId, flowId, version, flow, places, visited } = data;
  const boxes = boxesOf(flow, places);
  const all = Object.values(boxes);
  const [right, bottom] = [
    Math.max(...all.map(({ x }) => x)),
    Math.max(...all.map((box) => box.y + box.height)),
  ];
  const size = { width: right + NODE_WIDTH + 20, height: bottom + 20 };
  return (
    <section
      aria-label={`Flow ${flowId}, called by ${callerId}`}
      className="flow-called"
      style={{ width: width ?? size.width, height: height ?? size.height }}
    >
      <header className="flex h-8 items-center gap-1 border-b border-line px-2">
        <span className="min-w-0 truncate font-semibold">{flowId}</span>
        <span className="text-xs text-ink-2">v{version}</span>
        <a
          href={`/flows/${encodeURIComponent(flowId)}`}
          target="_blank"
          rel="noreferrer"
          className={`${SMALL} ml-auto`}
        >
          Open flow
        </a>
        <button type="button" className={SMALL} onClick={() => toggleFold(callerId)}>
          Collapse
        </button>
      </header>
      <div
        className="nowheel nodrag nopan relative min-h-0 flex-1 overflow-auto"
        aria-label={`Nodes of ${flowId}`}
        {...scrolledByKey}
      >
        <div className="relative" style={size}>
          <svg aria-hidden="true" className="absolute inset-0" {...size}>
            {edgesOf(flow).map(({ source, target }, index) => {
              const [from, to] = [boxes[source], boxes[target]];
              if (from === undefined || to === undefined) return null;
              const siblings = edgesFrom(flow, source);
              const { path } = edgeRoute(
                { x: from.x + NODE_WIDTH / 2, y: from.y + from.height },
                { x: to.x + NODE_WIDTH / 2, y: to.y },
                siblings.indexOf(index),
                siblings.length,
                laneOf(boxes, from, to),
              );
              return <path key={index} d={path} fill="none" stroke="var(--edge-ink)" strokeWidth={1.4} />;
            })}
          </svg>
          {flow.nodes.map((node) => {
            const at = places[node.id];
            return at === undefined ? null : (
              <div key={node.id} className="absolute" style={{ left: at.x, top: at.y }}>
                <CardFace data={plainCard(node, visited)} />
              </div>
            );
          })}
        </div>
      </div>
    </section>
  );
});
