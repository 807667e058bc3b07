// Turns the voice API's counts of one version into marks on the canvas.
import type { AuthoredFlow } from '@parley/flow-engine';
import type { components } from '@parley/sdk/voice-api';
import type { Mark } from '../canvas/scene.ts';
import { edgesOf } from '../document/doc.ts';

export type FlowSteps = components['schemas']['FlowSteps'];

const WIDTH_MIN = 1.2;
const WIDTH_MAX = 6;

const percent = (share: number): string =>
  share > 0 && share < 0.01 ? '<1 %' : `${Math.round(share * 100)} %`;
const counted = (count: number): string => count.toLocaleString('en');

/**
 * By edge index: the number of turns, their share of the turns that left the node, and the line
 * width.
 */
export function stepMarks(flow: AuthoredFlow, { edges }: FlowSteps): ReadonlyMap<number, Mark> {
  const turns = new Map(edges.map((edge) => [edge.index, edge.turns] as const));
  const most = Math.max(1, ...edgesOf(flow).map((_, index) => turns.get(index) ?? 0));
  const from = new Map<string, number>();
  edgesOf(flow).forEach(({ source }, index) =>
    from.set(source, (from.get(source) ?? 0) + (turns.get(index) ?? 0)),
  );
  return new Map(
    edgesOf(flow).map(({ source }, index): [number, Mark] => {
      const took = turns.get(index) ?? 0;
      if (took === 0) return [index, { tone: 'quiet', note: '0' }];
      const share = took / from.get(source)!;
      const note = share === 1 ? counted(took) : `${counted(took)} · ${percent(share)}`;
      // The square root keeps small counts visible.
      return [
        index,
        { tone: 'accent', note, width: WIDTH_MIN + (WIDTH_MAX - WIDTH_MIN) * Math.sqrt(took / most) },
      ];
    }),
  );
}

export interface Leaving {
  readonly nodeId: string;
  readonly turns: number;
  readonly left: number;
  /** Share of the turns at this node. */
  readonly share: string;
}

/** The nodes at which callers dropped off, most first. */
export function leavings({ nodes: authored }: AuthoredFlow, { nodes }: FlowSteps): Leaving[] {
  return nodes
    .flatMap(({ index, turns, left }) => {
      const nodeId = authored[index]?.id;
      if (nodeId === undefined || left === 0) return [];
      return [{ nodeId, turns, left, share: percent(turns === 0 ? 1 : Math.min(1, left / turns)) }];
    })
    .sort((a, b) => b.left - a.left);
}

export const leavingNotes = (left: readonly Leaving[]): ReadonlyMap<string, string> =>
  new Map(left.map((one) => [one.nodeId, `${counted(one.left)} dropped off`] as const));

/** A lower bound of the recorded turns: the count of the busiest node. */
export const turnsSeen = ({ nodes }: FlowSteps): number => Math.max(0, ...nodes.map(({ turns }) => turns));
