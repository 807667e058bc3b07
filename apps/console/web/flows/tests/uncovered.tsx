// Edges that no conversation covers, with reasons.
import type { ReactNode } from 'react';
import type { UncoveredEdge } from '@parley/flow-analysis';
import { shownValue } from '../../engine/shown.ts';
import { revealEdge } from '../canvas/view.ts';
import { edgesOf } from '../document/doc.ts';
import { useFlow } from '../document/flow-store.ts';
import { useExplored } from './explored.ts';

const WHY: Readonly<Record<UncoveredEdge['reason'], string>> = {
  proved_dead: 'Never taken',
  needs_variable: 'Needs a variable',
  opaque: 'Unknown',
};

export function Left({ uncovered }: { readonly uncovered: readonly UncoveredEdge[] }) {
  if (uncovered.length === 0) return null;
  return (
    <Part title="Uncovered edges">
      <ul className="-mx-3">
        {uncovered.map(({ edge, reason, witness }) => (
          <li key={edge}>
            <button
              type="button"
              className="flex w-full flex-col px-3 py-1 text-left hover:bg-surface-2"
              onClick={() => reveal(edge)}
            >
              <EdgeName index={edge} />
              <span className="text-xs break-words text-ink-2">
                {WHY[reason]}: {witness.message}
                {witness.variables !== undefined && ` (${shownValue(witness.variables)})`}
              </span>
            </button>
          </li>
        ))}
      </ul>
    </Part>
  );
}

export function reveal(index: number): void {
  const edge = edgesOf(useFlow.getState().doc.flow)[index];
  if (edge !== undefined) revealEdge(index, edge.source);
}

export function EdgeName({ index }: { readonly index: number }) {
  const flow = useExplored((state) => state.flow);
  const edge = flow === null ? undefined : edgesOf(flow)[index];
  return (
    <span className="min-w-0 truncate font-mono text-xs leading-5">
      {edge === undefined ? `edge ${index}` : `${edge.source} → ${edge.target}`}
    </span>
  );
}

export function Part({
  title,
  aside,
  children,
}: {
  readonly title: string;
  readonly aside?: ReactNode;
  readonly children: ReactNode;
}) {
  return (
    <section aria-label={title} className="flex flex-col gap-1">
      <div className="flex min-h-6 items-center gap-2">
        <h2 className="text-xs font-medium text-ink-2">{title}</h2>
        <span className="ml-auto text-xs">{aside}</span>
      </div>
      {children}
    </section>
  );
}
