// The paths of callers through one version of a flow, and where they dropped off.
import { queryOptions, useQuery, useSuspenseQuery } from '@tanstack/react-query';
import { Link, getRouteApi } from '@tanstack/react-router';
import { useEffect, useMemo, useState } from 'react';
import type { AuthoredFlow } from '@parley/flow-engine';
import { readJsonData, voiceApi } from '../../api/clients.ts';
import { sharedEngine } from '../../engine/client.ts';
import { Loading, Problem } from '../../ui/page.tsx';
import { flowQuery, versionsQuery } from '../api.ts';
import { useArranged } from '../canvas/arrange.ts';
import { FlowPicture } from '../canvas/flow-picture.tsx';
import { noOverlay } from '../canvas/scene.ts';
import { toDoc } from '../document/doc.ts';
import { INPUT } from '../controls/controls.tsx';
import { Answers } from './answers.tsx';
import { leavings, leavingNotes, stepMarks, turnsSeen, type FlowSteps } from './steps.ts';

const route = getRouteApi('/shell/flows/$flowId/callers');

const stepsQuery = (flowId: string, version: number) =>
  queryOptions({
    queryKey: ['flow-steps', flowId, version],
    queryFn: () =>
      readJsonData(
        voiceApi.GET('/v1/analytics/flow-steps', { params: { query: { flow_id: flowId, version } } }),
      ),
  });

const drawnQuery = (flowId: string, version: number, definition: AuthoredFlow) =>
  queryOptions({
    queryKey: ['flow', flowId, 'drawn', version],
    queryFn: () => sharedEngine().read(definition),
    staleTime: Infinity, // versions are immutable
  });

export function CallersPage() {
  const { flowId } = route.useParams();
  const { data: versions } = useSuspenseQuery(versionsQuery(flowId));
  const latest = versions.items[0]?.version ?? 1;
  const published = versions.items.find(({ is_published }) => is_published)?.version;
  const { version = published ?? latest } = route.useSearch();
  const navigate = route.useNavigate();
  const stored = useQuery(flowQuery(flowId, version));
  const steps = useQuery(stepsQuery(flowId, version));
  useEffect(() => {
    document.title = `Callers of ${flowId} · Parley`;
  }, [flowId]);
  const error = stored.error ?? steps.error;
  return (
    <div className="flex h-full flex-col">
      <header className="flex h-11 shrink-0 items-center gap-2 border-b border-line px-3">
        <Link to="/flows/$flowId" params={{ flowId }} className="truncate text-ink-2 hover:text-ink">
          {versions.items[0]?.name ?? flowId}
        </Link>
        <span className="text-ink-2">/</span>
        <h1 className="font-semibold">Callers</h1>
        <select
          aria-label="Version"
          className={`${INPUT} h-7 w-auto!`}
          value={version}
          onChange={(event) =>
            void navigate({ search: { version: Number(event.target.value) }, replace: true })
          }
        >
          {Array.from({ length: latest }, (_, at) => latest - at).map((one) => (
            <option key={one} value={one}>
              v{one}
              {one === published ? ', published' : ''}
            </option>
          ))}
        </select>
      </header>
      {error !== null && <Problem error={error} onRetry={() => void steps.refetch()} />}
      {(stored.isLoading || steps.isLoading) && <Loading subject="caller paths" />}
      {stored.data !== undefined && steps.data !== undefined && (
        <Callers
          key={version}
          flowId={flowId}
          version={version}
          definition={stored.data.definition}
          steps={steps.data}
        />
      )}
    </div>
  );
}

interface CallersProps {
  readonly flowId: string;
  readonly version: number;
  readonly definition: AuthoredFlow;
  readonly steps: FlowSteps;
}

function Callers({ flowId, version, definition, steps }: CallersProps) {
  const doc = useMemo(() => toDoc(definition), [definition]);
  const places = useArranged(doc);
  const checked = useQuery(drawnQuery(flowId, version, definition)).data ?? null;
  const [chosen, setChosen] = useState<string | null>(null);
  const left = useMemo(() => leavings(doc.flow, steps), [doc, steps]);
  const overlay = useMemo(
    () => ({ ...noOverlay, marks: stepMarks(doc.flow, steps), notes: leavingNotes(left) }),
    [doc, steps, left],
  );
  const seen = turnsSeen(steps);
  return (
    <div className="flex min-h-0 flex-1 flex-col lg:flex-row">
      <div className="min-h-0 min-w-0 flex-1">
        {places === null ? (
          <Loading subject="the layout" />
        ) : (
          <FlowPicture
            flow={doc.flow}
            places={places}
            checked={checked}
            overlay={overlay}
            chosen={chosen}
            onChoose={setChosen}
          />
        )}
      </div>
      <aside
        aria-label="Callers"
        className="flex h-1/2 shrink-0 flex-col gap-3 overflow-y-auto border-t border-line p-3 lg:h-auto lg:w-92 lg:border-t-0 lg:border-l"
      >
        {seen === 0 ? (
          <p className="text-ink-2">
            No recorded turns of this version yet. Turns are recorded when a bot of the voice API runs the
            flow.
          </p>
        ) : (
          <p className="text-ink-2">
            All recorded turns. Each edge shows how many turns took it, and their share of the turns that left
            its node.
          </p>
        )}
        {left.length > 0 && (
          <table className="w-full text-left">
            <thead className="text-xs text-ink-2">
              <tr>
                <th scope="col" className="pb-1 font-medium">
                  Dropped off at
                </th>
                <th scope="col" className="pb-1 text-right font-medium">
                  Callers
                </th>
                <th scope="col" className="pb-1 text-right font-medium">
                  Share of turns
                </th>
              </tr>
            </thead>
            <tbody>
              {left.map((one) => (
                <tr key={one.nodeId} className={one.nodeId === chosen ? 'bg-surface-2' : ''}>
                  <td className="max-w-0 w-full py-0.5">
                    <button
                      type="button"
                      className="block min-h-6 max-w-full truncate font-mono text-xs text-accent hover:underline"
                      aria-pressed={one.nodeId === chosen}
                      onClick={() => setChosen(one.nodeId === chosen ? null : one.nodeId)}
                    >
                      {one.nodeId}
                    </button>
                  </td>
                  <td className="text-right tabular-nums">{one.left.toLocaleString('en')}</td>
                  <td className="pl-3 text-right whitespace-nowrap text-ink-2 tabular-nums">{one.share}</td>
                </tr>
              ))}
            </tbody>
          </table>
        )}
        {seen > 0 && left.length === 0 && <p>No caller dropped off while the flow waited for an answer.</p>}
        <Answers flow={doc.flow} flowId={flowId} version={version} chosen={chosen} onChoose={setChosen} />
      </aside>
    </div>
  );
}
