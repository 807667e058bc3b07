// Test coverage of edges, for the canvas and in words.
import type { Explored } from '../../engine/explore.ts';
import type { Mark } from '../canvas/scene.ts';

/**
 * `tested`: a stored test takes the edge. `takeable`: only a generated one. `open`: unknown.
 * `dead`: never taken.
 */
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
  takeable: { tone: 'accent', note: 'untested' },
  open: { tone: 'warn', note: 'not covered' },
  dead: { tone: 'quiet', note: '' },
};

export const coverMarks = (explored: Explored): ReadonlyMap<number, Mark> =>
  new Map(coverOf(explored).map((cover, edge) => [edge, MARKS[cover]] as const));

/** The coverage in words. */
export function coverageTold({ tested, takeable, open, dead }: Counts): string {
  const all = tested + takeable + open + dead;
  if (all === 0) return 'The flow has no edges yet.';
  const parts = [
    `Stored tests cover ${tested} of ${all} ${all === 1 ? 'edge' : 'edges'}`,
    takeable > 0 && `${takeable} more can be covered`,
    open > 0 && `${open} unknown`,
    dead > 0 && `${dead} never taken`,
  ];
  return `${parts.filter(Boolean).join(', ')}.`;
}
