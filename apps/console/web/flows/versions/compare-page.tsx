// Compares two versions of a flow on one canvas.
import { useQuery, useSuspenseQuery } from '@tanstack/react-query';
import { Link, getRouteApi } from '@tanstack/react-router';
import { useEffect, useMemo, useState, type ReactNode } from 'react';
import type { FlowDiff } from '@parley/flow-analysis';
import type { AuthoredFlow } from '@parley/flow-engine';
import type { Checked } from '../../engine/check.ts';
import { Loading, Problem } from '../../ui/page.tsx';
import { versionsQuery } from '../api.ts';
import { useArranged } from '../canvas/arrange.ts';
import { FlowPicture } from '../canvas/flow-picture.tsx';
import { noOverlay } from '../canvas/scene.ts';
import { INPUT } from '../controls/controls.tsx';
import { BehaviourBetween } from './behaviour-view.tsx';
import { compared } from './compared.ts';
import { ChangeTable, Sentences } from './diff-list.tsx';
import { versionDiffQuery } from './use-diff.ts';

const route = getRouteApi('/shell/flows/$flowId/compare');

export function ComparePage() {
  const { flowId } = route.useParams();
  const { data: versions } = useSuspenseQuery(versionsQuery(flowId));
  const latest = versions.items[0]?.version ?? 1;
  const { to = latest, from = Math.max(1, to - 1) } = route.useSearch();
  const both = useQuery(versionDiffQuery(flowId, from, to));
  useEffect(() => {
    document.title = `Version ${from} and ${to} of ${flowId} · Parley`;
  }, [flowId, from, to]);
  return (
    <div className="flex h-full flex-col">
      <header className="flex h-11 shrink-0 items-center gap-2 border-b border-line px-3">
        <Link to="/flows/$flowId" params={{ flowId }} className="text-ink-2 hover:text-ink">
          {versions.items[0]?.name ?? flowId}
        </Link>
        <span className="text-ink-2">/</span>
        <h1 className="font-semibold">Compare</h1>
        <VersionSelect label="From version" name="from" value={from} latest={latest} other={to} />
        <span className="text-ink-2">→</span>
        <VersionSelect label="To version" name="to" value={to} latest={latest} other={from} />
      </header>
      {both.error !== null && <Problem error={both.error} />}
      {both.isLoading && <Loading subject="the two versions" />}
      {both.data?.diff != null && (
        <Both
          key={`${from} ${to}`}
          behaviour={(show) => <BehaviourBetween flowId={flowId} from={from} to={to} onOpen={show} />}
          older={both.data.older.definition}
          newer={both.data.newer.definition}
          diff={both.data.diff}
          checked={both.data.checked}
        />
      )}
    </div>
  );
}

interface BothProps {
  readonly older: AuthoredFlow;
  readonly newer: AuthoredFlow;
  readonly diff: FlowDiff;
  readonly checked: Checked;
  /** Renders the behavioural differences; `show` selects a node of the older version. */
  readonly behaviour: (show: (nodeId: string | null) => void) => ReactNode;
}

function Both({ older, newer, diff, checked, behaviour }: BothProps) {
  const picture = useMemo(() => compared(older, newer, diff), [older, newer, diff]);
  const places = useArranged(picture.doc);
  const [chosen, setChosen] = useState<string | null>(null);
  const overlay = useMemo(() => ({ ...noOverlay, nodes: picture.nodes, edges: picture.edges }), [picture]);
  const changes = diff.nodes.changed.find(({ id }) => id === chosen)?.changes;
  return (
    <div className="flex min-h-0 flex-1 flex-col lg:flex-row">
      <div className="min-h-0 min-w-0 flex-1">
        {places === null ? (
          <Loading subject="the layout" />
        ) : (
          <FlowPicture
            flow={picture.doc.flow}
            places={places}
            checked={checked}
            overlay={overlay}
            chosen={chosen}
            onChoose={setChosen}
          />
        )}
      </div>
      <aside
        aria-label="Differences"
        className="flex h-1/2 shrink-0 flex-col gap-4 overflow-y-auto border-t border-line p-3 lg:h-auto lg:w-92 lg:border-t-0 lg:border-l"
      >
        <ul className="flex gap-4 text-xs">
          <li className="text-good">■ added</li>
          <li className="text-warn">■ changed</li>
          <li className="text-bad">■ removed</li>
        </ul>
        <section aria-label="Differences for callers" className="flex flex-col gap-1">
          <h2 className="text-xs font-medium text-ink-2">Differences for callers</h2>
          {behaviour(setChosen)}
        </section>
        <section aria-label="Changes" className="flex flex-col gap-1">
          <h2 className="text-xs font-medium text-ink-2">Changes</h2>
          <Sentences diff={diff} />
        </section>
        {diff.nodes.changed.length > 0 && (
          <ul className="flex flex-col gap-3 border-t border-line pt-3">
            {diff.nodes.changed.map((node) => (
              <li key={node.id}>
                <button
                  type="button"
                  className="font-mono text-xs text-accent hover:underline"
                  aria-expanded={node.id === chosen}
                  onClick={() => setChosen(node.id === chosen ? null : node.id)}
                >
                  {node.id}
                </button>
                {node.id === chosen && changes !== undefined && <ChangeTable changes={changes} />}
              </li>
            ))}
          </ul>
        )}
      </aside>
    </div>
  );
}

function VersionSelect({
  label,
  name,
  value,
  latest,
  other,
}: {
  readonly label: string;
  readonly name: 'from' | 'to';
  readonly value: number;
  readonly latest: number;
  readonly other: number;
}) {
  const navigate = route.useNavigate();
  return (
    <select
      aria-label={label}
      className={`${INPUT} h-7 w-auto!`}
      value={value}
      onChange={(event) => {
        const chosen = Number(event.target.value);
        void navigate({
          search: name === 'from' ? { from: chosen, to: other } : { from: other, to: chosen },
          replace: true,
        });
      }}
    >
      {Array.from({ length: latest }, (_, at) => latest - at).map((version) => (
        <option key={version} value={version}>
          v{version}
        </option>
      ))}
    </select>
  );
}
