// The page of one flow: the canvas, and panels for inspector, JSON, problems, trying, tests and
// versions.
import { useSuspenseQuery } from '@tanstack/react-query';
import { getRouteApi, useRouter } from '@tanstack/react-router';
import { ReactFlowProvider } from '@xyflow/react';
import '../flows.css';
import {
  lazy,
  Suspense,
  useCallback,
  useEffect,
  useMemo,
  useState,
  type ComponentType,
  type KeyboardEvent,
} from 'react';
import { organizationQuery } from '../../api/organization.ts';
import { usePermissions } from '../../session/scopes.tsx';
import { Loading } from '../../ui/page.tsx';
import { flowQuery, type StoredFlow } from '../api.ts';
import { useCalled } from '../calls/called.ts';
import { FlowCanvas } from '../canvas/flow-canvas.tsx';
import { noOverlay, type Overlay } from '../canvas/scene.ts';
import { focusNode, revealNode } from '../canvas/view.ts';
import { listenToClipboard } from '../document/clipboard.ts';
import { edgesOf, nodeById } from '../document/doc.ts';
import { select, useFlow } from '../document/flow-store.ts';
import { Inspector } from '../inspector/inspector.tsx';
import { edgesAlong, nodesAlong } from '../document/problems.ts';
import { chosenOf, useTalk } from '../talk/talk-store.ts';
import { nowhere, walkedBy } from '../talk/walked.ts';
import { coverMarks } from '../tests/covered.ts';
import { exploredOf, useExplore, useExplored } from '../tests/explored.ts';
import { setPanels, useDesk } from '../page-state.ts';
import { DraftNotice } from './draft-notice.tsx';
import { useChecks, useConversation, useDraft, usePlaces } from './keep-up.ts';
import { Palette } from './palette.tsx';
import { Pickers } from './pickers.tsx';
import { panels, type Panel } from '../page-search.ts';
import { listenToKeys } from './shortcuts.ts';
import { Toolbar } from './toolbar.tsx';
import { useOpenFlow } from './use-open-flow.ts';

const route = getRouteApi('/shell/flows/$flowId');

const LABELS: Readonly<Record<Panel, string>> = {
  inspector: 'Inspector',
  json: 'JSON',
  problems: 'Problems',
  try: 'Try it',
  tests: 'Tests',
  versions: 'Versions',
  assistant: 'Assistant',
};

/** The inspector is there at once; the others are loaded when they are opened. */
const PANELS: Readonly<Record<Exclude<Panel, 'inspector'>, ComponentType<{ readonly flowId: string }>>> = {
  json: lazy(async () => ({ default: (await import('../json/json-panel.tsx')).JsonPanel })),
  problems: lazy(async () => ({ default: (await import('../problems/problems-panel.tsx')).ProblemsPanel })),
  try: lazy(async () => ({ default: (await import('../talk/talk-panel.tsx')).TalkPanel })),
  tests: lazy(async () => ({ default: (await import('../tests/tests-panel.tsx')).TestsPanel })),
  versions: lazy(async () => ({ default: (await import('../versions/versions-panel.tsx')).VersionsPanel })),
  assistant: lazy(async () => ({
    default: (await import('../assistant/assistant-panel.tsx')).AssistantPanel,
  })),
};
const DeskDialogs = lazy(async () => ({ default: (await import('./desk-dialogs.tsx')).DeskDialogs }));

export function FlowPage() {
  const { flowId } = route.useParams();
  const { data: stored } = useSuspenseQuery(flowQuery(flowId));
  const { data: organization } = useSuspenseQuery(organizationQuery('flow-builder'));
  const opened = useOpenFlow(organization.id, stored);
  useEffect(() => {
    document.title = `${stored.name} · Parley`;
  }, [stored.name]);
  if (opened === null) return <Loading subject="the flow" />;
  return (
    <ReactFlowProvider key={flowId}>
      <Desk organization={opened.organization} flowId={flowId} stored={stored}>
        <DraftNotice restored={opened.restored} latest={stored} />
      </Desk>
    </ReactFlowProvider>
  );
}

interface DeskProps {
  readonly organization: string;
  readonly flowId: string;
  readonly stored: StoredFlow;
  readonly children: React.ReactNode;
}

function Desk({ organization, flowId, stored, children }: DeskProps) {
  const { name } = stored;
  const { panel = 'inspector' } = route.useSearch();
  const navigate = route.useNavigate();
  const showPanel = useCallback(
    (next: Panel) =>
      void navigate({
        search: (old) => ({ ...old, panel: next === 'inspector' ? undefined : next }),
        replace: true,
      }),
    [navigate],
  );
  const called = useCalled(
    flowId,
    useFlow((state) => state.doc.flow),
  );
  useChecks(called);
  useExplore(flowId, called, panel === 'tests');
  useConversation();
  useDraft(organization);
  const isPlaced = usePlaces();
  const problems = useFlow((state) => state.problems);
  const overlay = useOverlay(panel);
  const isDialogOpen = useWasOpen();
  const Other = panel === 'inspector' ? undefined : PANELS[panel];
  useSelectionInAddress();
  useEffect(listenToClipboard, []);
  useEffect(() => listenToKeys({ showPanel, panels }), [showPanel]);
  useEffect(() => setPanels(showPanel), [showPanel]);

  const edit = useCallback(() => {
    showPanel('inspector');
    requestAnimationFrame(() =>
      document
        .querySelector<HTMLElement>('#flow-panel :is(input, textarea, select):not([data-head] *)')
        ?.focus(),
    );
  }, [showPanel]);

  return (
    <div className="flex h-full flex-col">
      <Toolbar
        name={name}
        latestVersion={stored.version}
        publishedVersion={stored.published_version}
        problems={problems}
        showPanel={showPanel}
      />
      {children}
      <div className="flex min-h-0 flex-1 flex-col lg:flex-row">
        <div className="relative min-h-0 min-w-0 flex-1">
          {isPlaced ? (
            <FlowCanvas problems={problems} overlay={overlay} onEdit={edit} />
          ) : (
            <Loading subject="the layout" />
          )}
          <Palette />
        </div>
        {/* Escape returns to the canvas. */}
        {/* eslint-disable-next-line jsx-a11y/no-noninteractive-element-interactions */}
        <aside
          aria-label="Details"
          onKeyDown={backToCanvas}
          className="flex h-1/2 shrink-0 flex-col border-t border-line bg-surface lg:h-auto lg:w-100 lg:border-t-0 lg:border-l"
        >
          <Tabs panel={panel} showPanel={showPanel} />
          <div
            id="flow-panel"
            role="tabpanel"
            aria-label={LABELS[panel]}
            className={`min-h-0 flex-1 ${panel === 'json' ? '' : 'overflow-y-auto p-3'}`}
          >
            {Other === undefined ? (
              <Inspector problems={problems} name={name} />
            ) : (
              <Suspense fallback={<Loading subject={LABELS[panel]} />}>
                <Other flowId={flowId} />
              </Suspense>
            )}
          </div>
        </aside>
      </div>
      <Announcer />
      {/* Its letters may be typed at once, and would be keys of the canvas. */}
      <Pickers />
      {isDialogOpen && (
        <Suspense>
          <DeskDialogs flowId={flowId} name={name} />
        </Suspense>
      )}
    </div>
  );
}

function backToCanvas(event: KeyboardEvent): void {
  const { nodes, edge } = useFlow.getState().selection;
  const chosen = nodes[0] ?? (edge === null ? undefined : edgesOf(useFlow.getState().doc.flow)[edge]?.source);
  if (event.key !== 'Escape' || event.defaultPrevented || chosen === undefined) return;
  event.preventDefault();
  focusNode(chosen);
}

function Tabs({ panel, showPanel }: { readonly panel: Panel; readonly showPanel: (panel: Panel) => void }) {
  const { can } = usePermissions('flow-builder');
  const shown = panels.filter((one) => one !== 'assistant' || can('write'));
  /** Arrow keys choose, so that the tabs are one stop. */
  const step = (event: KeyboardEvent<HTMLElement>) => {
    const at = shown.indexOf(panel);
    const next = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: -1 }[event.key];
    if (next === undefined) return;
    event.preventDefault();
    const chosen = shown.at(next % shown.length)!;
    showPanel(chosen);
    document.getElementById(`tab-${chosen}`)?.focus();
  };
  return (
    // The tabs have the focus.
    // eslint-disable-next-line jsx-a11y/interactive-supports-focus
    <div
      role="tablist"
      aria-label="Details"
      onKeyDown={step}
      className="flex shrink-0 flex-wrap border-b border-line px-0.5 lg:justify-between"
    >
      {shown.map((one) => (
        <button
          key={one}
          type="button"
          role="tab"
          id={`tab-${one}`}
          aria-selected={panel === one}
          aria-controls="flow-panel"
          tabIndex={panel === one ? 0 : -1}
          className="-mb-px h-8 shrink-0 border-b-2 border-transparent px-1 whitespace-nowrap text-ink-2 hover:text-ink aria-selected:border-accent aria-selected:text-ink"
          onClick={() => showPanel(one)}
        >
          {LABELS[one]}
        </button>
      ))}
    </div>
  );
}

/** Announces changes of the canvas to screen readers. */
function Announcer() {
  const announced = useFlow((state) => state.announced);
  return (
    <p role="status" className="sr-only">
      {announced}
    </p>
  );
}

/** Highlights the selected turn, the test coverage or a requested path. */
function useOverlay(panel: Panel): Overlay {
  const flow = useFlow((state) => state.doc.flow);
  const path = useFlow((state) => state.shownPath);
  const way = useFlow((state) => state.shownEdges);
  const turn = useTalk(chosenOf);
  const explored = useExplored((state) => (state.flow === flow ? exploredOf(state) : null));
  return useMemo(() => {
    const walked = panel === 'try' ? walkedBy(turn) : nowhere;
    return {
      ...noOverlay,
      ...walked,
      marks: panel === 'tests' && explored !== null ? coverMarks(explored) : noOverlay.marks,
      path: way.length === 0 ? path : nodesAlong(flow, way),
      pathEdges: new Set(way.length > 0 ? way : path.length === 0 ? [] : edgesAlong(flow, path)),
    };
  }, [panel, turn, path, way, flow, explored]);
}

/** True from the first dialog on, so that each can return focus when it closes. */
function useWasOpen(): boolean {
  const open = useDesk((state) => state.open !== null);
  const [was, setWas] = useState(false);
  if (open && !was) setWas(true);
  return was;
}

const ADDRESS_AFTER_MS = 150;

/** Keeps the selection in the URL, so that links keep it. */
function useSelectionInAddress(): void {
  const router = useRouter();
  const [here] = useState(() => router.latestLocation.pathname);
  const { nodes, edge } = useFlow((state) => state.selection);
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const node = nodes.length === 1 ? nodes[0] : undefined;
  useEffect(() => {
    const { node: asked, edge: askedEdge } = search;
    const { doc } = useFlow.getState();
    if (asked !== undefined && nodeById(doc, asked) !== undefined)
      requestAnimationFrame(() => revealNode(asked));
    else if (askedEdge !== undefined && askedEdge < edgesOf(doc.flow).length) select([], askedEdge);
    // Only the initial URL; afterwards the URL follows the selection.
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, []);
  useEffect(() => {
    // Browsers limit URL changes per second, and arrow keys are faster.
    const timer = setTimeout(() => {
      // Do not navigate back while another page is loading.
      if (router.latestLocation.pathname === here)
        void navigate({ search: (old) => ({ ...old, node, edge: edge ?? undefined }), replace: true });
    }, ADDRESS_AFTER_MS);
    return () => clearTimeout(timer);
  }, [node, edge, navigate, router, here]);
}
