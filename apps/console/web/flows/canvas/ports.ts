// The ports of a card: the top, the bottom, and one for each choice of a question.
import { Position, type NodeHandle } from '@xyflow/react';
import type { AuthoredNode } from '@parley/flow-engine';
import { heightOf, portAboveBottom, rowsOf } from '../document/card-size.ts';
import { NODE_WIDTH } from '../document/sizes.ts';

/** The first port of a direction is the default one. */
export function handlesOf(node: AuthoredNode): NodeHandle[] {
  const [height, dot] = [heightOf(node), { width: 1, height: 1 }];
  return [
    { type: 'target', position: Position.Top, x: NODE_WIDTH / 2, y: 0, ...dot },
    { type: 'source', position: Position.Bottom, x: NODE_WIDTH / 2, y: height, ...dot },
    ...rowsOf(node).map(({ port }, row) => ({
      id: port,
      type: 'source' as const,
      position: Position.Right,
      x: NODE_WIDTH,
      y: height - portAboveBottom(node, row),
      ...dot,
    })),
  ];
}

/** Where an edge leaves its card. */
export interface Leaving {
  /** The choice whose port it leaves, of `rows`; null = it leaves the bottom of the card. */
  readonly row: number | null;
  readonly rows: number;
  /** Pixels from that port to the bottom of the card. */
  readonly drop: number;
}

export function choiceOf(from: AuthoredNode, port: string | null): Leaving {
  if (port === null) return { row: null, rows: 0, drop: 0 };
  const rows = rowsOf(from);
  const row = rows.findIndex((one) => one.port === port);
  return { row, rows: rows.length, drop: portAboveBottom(from, row) };
}
