// Test coverage as a ring.
import type { Counts, Cover } from './covered.ts';

const RADIUS = 7;
const AROUND = 2 * Math.PI * RADIUS;
const ORDER: readonly Cover[] = ['tested', 'takeable', 'open', 'dead'];
const STROKES: Readonly<Record<Cover, string>> = {
  tested: 'var(--good)',
  takeable: 'color-mix(in srgb, var(--accent) 35%, var(--surface-3))',
  open: 'color-mix(in srgb, var(--warn) 60%, var(--surface))',
  dead: 'var(--surface-3)',
};

export function Ring({ counts, size = 18 }: { readonly counts: Counts; readonly size?: number }) {
  const all = ORDER.reduce((sum, cover) => sum + counts[cover], 0);
  return (
    <svg aria-hidden="true" width={size} height={size} viewBox="0 0 18 18" className="shrink-0 -rotate-90">
      <circle cx={9} cy={9} r={RADIUS} fill="none" stroke="var(--surface-3)" strokeWidth={3} />
      {ORDER.map((cover, at) => {
        const share = all === 0 ? 0 : counts[cover] / all;
        const before = ORDER.slice(0, at).reduce((sum, one) => sum + counts[one], 0);
        return share === 0 ? null : (
          <circle
            key={cover}
            cx={9}
            cy={9}
            r={RADIUS}
            fill="none"
            stroke={STROKES[cover]}
            strokeWidth={3}
            strokeDasharray={`${share * AROUND} ${AROUND}`}
            strokeDashoffset={(-before / all) * AROUND}
          />
        );
      })}
    </svg>
  );
}
