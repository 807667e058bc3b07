// How well examples tell the branches of a node apart, as a small matrix: every example is left out
// and decided by the others.
import { useEffect, useState } from 'react';
import type { MeasuredNode } from '@parley/flow-analysis';
import type { AuthoredFlow } from '@parley/flow-engine';
import { sharedEngine } from '../../engine/client.ts';
import { edgesFrom, edgesOf } from '../document/doc.ts';
import { select, useFlow } from '../document/flow-store.ts';

/** Wait for a pause in typing. */
const AFTER_MS = 500;

interface ConfusionProps {
  readonly source: string;
  /** The edge in focus; null = the node. */
  readonly edge: number | null;
}

export function Confusion({ source, edge }: ConfusionProps) {
  const flow = useFlow((state) => state.doc.flow);
  const isTaught = edgesFrom(flow, source).some((index) => countExamples(flow, index) > 0);
  const nodes = useMeasured(isTaught ? flow : null);
  const measured =
    nodes?.find(({ node_id }) => node_id === source) ??
    nodes?.find(({ branches }) => branches.some(({ edge_index }) => edge_index === edge));
  if (!isTaught || measured === undefined) return null;
  return <Matrix measured={measured} edge={edge} />;
}

function countExamples(flow: AuthoredFlow, index: number): number {
  const examples: unknown = edgesOf(flow)[index]?.['examples'];
  return Array.isArray(examples) ? examples.length : 0;
}

/** Of the last flow that was measured: it stays while a newer one is measured. */
function useMeasured(flow: AuthoredFlow | null): readonly MeasuredNode[] | null {
  const [nodes, setNodes] = useState<readonly MeasuredNode[] | null>(null);
  useEffect(() => {
    if (flow === null) return;
    let isNewest = true;
    const timer = setTimeout(() => {
      void sharedEngine()
        .measure(flow)
        .then((found) => {
          if (isNewest && found !== null) setNodes(found.kind === 'found' ? found.found : null);
        });
    }, AFTER_MS);
    return () => {
      isNewest = false;
      clearTimeout(timer);
    };
  }, [flow]);
  return nodes;
}

const CELL = 'h-6 min-w-6 px-1 text-center text-xs tabular-nums';

function Matrix({
  measured: { branches, confusion },
  edge,
}: {
  readonly measured: MeasuredNode;
  readonly edge: number | null;
}) {
  const names = branches.map(({ label, nl }) => label ?? nl);
  return (
    <section aria-label="Recognised examples" className="flex flex-col gap-1 border-t border-line pt-3">
      <h2 className="text-xs font-medium text-ink-2">Recognised examples</h2>
      <p className="text-xs text-ink-2">{describe(branches, confusion, edge)}</p>
      <div className="overflow-x-auto">
        <table className="border-separate border-spacing-0.5">
          <thead>
            <tr>
              <th scope="col" className="text-left text-xs font-normal text-ink-2">
                Examples of
              </th>
              {names.map((name, column) => (
                <th key={column} scope="col" title={name} className={`${CELL} font-normal text-ink-2`}>
                  {column + 1}
                  <span className="sr-only"> {name}</span>
                </th>
              ))}
              <th
                scope="col"
                title="The model or the default edge decides"
                className={`${CELL} font-normal text-ink-2`}
              >
                –<span className="sr-only"> the model or the default edge</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {branches.map(({ edge_index }, row) => (
              <tr key={edge_index}>
                <th scope="row" className="max-w-24 text-left font-normal">
                  <button
                    type="button"
                    title={names[row]}
                    aria-current={edge_index === edge}
                    className="block min-h-6 w-full truncate text-left text-xs hover:underline aria-current:font-medium"
                    onClick={() => select([], edge_index)}
                  >
                    {row + 1} {names[row]}
                  </button>
                </th>
                {confusion[row]!.map((count, column) => (
                  <td
                    key={column}
                    className={`${CELL} rounded ${tone(count, row === column, column < branches.length)}`}
                  >
                    {count === 0 ? '' : count}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}

function tone(count: number, isOwn: boolean, isBranch: boolean): string {
  if (count === 0) return 'bg-surface-2';
  if (isOwn) return 'bg-good-soft text-good';
  return isBranch ? 'bg-bad-soft text-bad' : 'bg-surface-3 text-ink-2';
}

const percent = (share: number): string => `${Math.round(share * 100)}\u00a0%`;

function describe(
  branches: MeasuredNode['branches'],
  confusion: MeasuredNode['confusion'],
  edge: number | null,
): string {
  const one = branches.find(({ edge_index }) => edge_index === edge);
  if (one !== undefined) {
    const precision =
      one.precision === null ? '' : ` ${percent(one.precision)} of the examples that come here belong here.`;
    return `Without themselves, ${percent(one.recall)} of its examples come here.${precision}`;
  }
  const all = branches.reduce((sum, { examples }) => sum + examples, 0);
  const right = confusion.reduce((sum, row, at) => sum + row[at]!, 0);
  const left = confusion.reduce((sum, row) => sum + row.at(-1)!, 0);
  return `Without themselves, ${right} of ${all} examples go to their edge and ${all - right - left} to another.`;
}
