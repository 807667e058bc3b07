// Canvas nodes of expanded called flows. They are read-only and not part of the document.
import type { Node } from '@xyflow/react';
import { useEffect, useMemo, useState } from 'react';
import { calledKey, type AuthoredFlow } from '@parley/flow-engine';
import { toDoc, type Places } from '../document/doc.ts';
import { useFlow } from '../document/flow-store.ts';
import { arrangeFlow } from './arrange.ts';
import { calledBy } from './called-by.ts';
import type { Overlay } from './scene.ts';
import { boxesOf, type Boxes } from '../document/card-size.ts';
import { NODE_WIDTH } from '../document/sizes.ts';

export interface CalledData extends Record<string, unknown> {
  readonly callerId: string;
  readonly flowId: string;
  readonly version: number;
  readonly flow: AuthoredFlow;
  /** Relative to the frame. */
  readonly places: Places;
  readonly visited: readonly string[];
}
export type CalledNode = Node<CalledData, 'called'>;

const PADDING = 20;
export const HEAD_HEIGHT = 34;
const BESIDE = 28;
/** A larger flow scrolls in its frame. */
const [WIDTH_MAX, HEIGHT_MAX] = [860, 640];

export function useCalledNodes(places: Places, { inside }: Pick<Overlay, 'inside'>): CalledNode[] {
  const nodes = useFlow((state) => state.doc.flow.nodes);
  const unfolded = useFlow((state) => state.unfolded);
  const versions = useFlow((state) => state.called?.versions);
  const [arranged, setArranged] = useState<ReadonlyMap<AuthoredFlow, Places>>(new Map());
  const called = useMemo(
    () =>
      nodes.flatMap((node) => {
        const call = unfolded.includes(node.id) ? calledBy(node) : null;
        const stored = call === null ? undefined : versions?.[calledKey(call)];
        return stored === undefined ? [] : [{ callerId: node.id, stored, doc: toDoc(stored.definition) }];
      }),
    [nodes, unfolded, versions],
  );
  useEffect(() => {
    for (const { stored, doc } of called)
      if (doc.flow.nodes.some(({ id }) => doc.places[id] === undefined))
        void arrangeFlow(doc.flow).then((made) =>
          setArranged((before) =>
            before.has(stored.definition) ? before : new Map(before).set(stored.definition, made),
          ),
        );
  }, [called]);
  return useMemo(
    () =>
      called.flatMap(({ callerId, stored, doc }) => {
        const isPlaced = doc.flow.nodes.every(({ id }) => doc.places[id] !== undefined);
        const inner = isPlaced ? doc.places : arranged.get(stored.definition);
        const at = places[callerId];
        if (inner === undefined || at === undefined) return [];
        const frame = framed(boxesOf(doc.flow, inner));
        return [
          {
            id: `${callerId}/`,
            type: 'called' as const,
            zIndex: 5,
            draggable: false,
            selectable: false,
            focusable: false,
            connectable: false,
            position: { x: at.x + NODE_WIDTH + BESIDE, y: at.y },
            width: frame.width,
            height: frame.height,
            measured: { width: frame.width, height: frame.height },
            handles: [],
            data: {
              callerId,
              flowId: stored.flowId,
              version: stored.version,
              flow: doc.flow,
              places: frame.places,
              visited: inside.get(callerId) ?? [],
            },
          },
        ];
      }),
    [called, arranged, places, inside],
  );
}

/** Moves cards into a frame and returns its size. */
export function framed(boxes: Boxes): {
  readonly places: Places;
  readonly width: number;
  readonly height: number;
} {
  const all = Object.values(boxes);
  const [left, top] = [Math.min(...all.map(({ x }) => x)), Math.min(...all.map(({ y }) => y))];
  const [right, bottom] = [
    Math.max(...all.map(({ x }) => x)),
    Math.max(...all.map((box) => box.y + box.height)),
  ];
  return {
    places: Object.fromEntries(
      Object.entries(boxes).map(([id, { x, y }]) => [id, { x: x - left + PADDING, y: y - top + PADDING }]),
    ),
    width: Math.min(WIDTH_MAX, right - left + NODE_WIDTH + 2 * PADDING + 2),
    height: Math.min(HEIGHT_MAX, bottom - top + 2 * PADDING + HEAD_HEIGHT + 2),
  };
}
