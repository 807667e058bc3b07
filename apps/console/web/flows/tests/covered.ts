// Which edges conversations take, as it is drawn and counted.
import type { Explored } from '../../engine/explore.ts';
import type { Mark } from '../canvas/scene.ts';

/** Of an edge: stored tests take it; only generated conversations do; nobody knows how; no conversation can. */
export type Cover = 'tested' | 'takeable' | 'open' | 'dead';

export function coverOf({ byStored, uncovered, edges }: Explored): readonly Cover[] {
  const left = new Map(uncovered.map(({ edge, reason }) => [edge, reason] as const));
  return Array.from({ length: edges }, (_, edge) => {
    if ((byStored.get(edge) ?? 0) > 0) return 'tested';
    const reason = left.get(edge);
    if (reason === undefined) return 'takeable';
    return reason === 'proved_dead' ? 'dead' : 'open';
  });
}

export type Counts = Readonly<Record<Cover, number>>;

export function countsOf(covers: readonly Cover[]): Counts {
  const counts = { tested: 0, takeable: 0, open: 0, dead: 0 };
  for (const cover of covers) counts[cover] += 1;
  return counts;
}

const MARKS: Readonly<Record<Cover, Mark>> = {
  tested: { tone: 'good', note: '' },
  takeable: { tone: 'accent', note: 'no test' },
  open: { tone: 'warn', note: 'not covered' },
  dead: { tone: 'quiet', note: '' },
};

export const coverMarks = (explored: Explored): ReadonlyMap<number, Mark> =>
  new Map(coverOf(explored).map((cover, edge) => [edge, MARKS[cover]] as const));

/** In words, for who does not see the ring. */
export function coverageTold({ tested, takeable, open, dead }: Counts): string {
  const all = tested + takeable + open + dead;
  if (all === 0) return 'There are no edges yet.';
  const parts = [
    `Stored tests take ${tested} of ${all} ${all === 1 ? 'edge' : 'edges'}`,
    takeable > 0 && `${takeable} more can be taken`,
    open > 0 && `of ${open} it is not known how`,
    dead > 0 && `${dead} never ${dead === 1 ? 'is' : 'are'}`,
  ];
  return `${parts.filter(Boolean).join(', ')}.`;
}
