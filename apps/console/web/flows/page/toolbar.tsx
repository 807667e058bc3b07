// The toolbar above the canvas: name, state and actions of the flow.
import { Toolbar as Base } from '@base-ui/react/toolbar';
import { Link } from '@tanstack/react-router';
import type { ComponentProps, ReactElement } from 'react';
import { sharedEngine } from '../../engine/client.ts';
import { May } from '../../session/scopes.tsx';
import { Badge } from '../../ui/badge.tsx';
import { Button, IconButton, buttonClass } from '../../ui/button.tsx';
import { tidy } from '../canvas/actions.ts';
import { isDirty, redo, showPath, undo, useFlow } from '../document/flow-store.ts';
import { countsOf, coverageTold, coverOf } from '../tests/covered.ts';
import { exploredOf, useExplored } from '../tests/explored.ts';
import { Ring } from '../tests/ring.tsx';
import { Sign } from '../problems/finding-list.tsx';
import type { Problems } from '../document/problems.ts';
import { openUp } from '../page-state.ts';
import type { Panel } from '../page-search.ts';

interface ToolbarProps {
  readonly name: string;
  readonly latestVersion: number;
  readonly publishedVersion: number | null;
  readonly problems: Problems;
  readonly showPanel: (panel: Panel) => void;
}

const SMALL = 'h-7! px-2!';

export function Toolbar({ name, latestVersion, publishedVersion, problems, showPanel }: ToolbarProps) {
  const base = useFlow((state) => state.base);
  const dirty = useFlow(isDirty);
  const canUndo = useFlow((state) => state.past.length > 0);
  const canRedo = useFlow((state) => state.future.length > 0);
  const version = base?.version ?? 0;
  return (
    <header className="flex min-h-11 shrink-0 flex-wrap items-center gap-x-2 gap-y-1 border-b border-line px-3 py-1.5">
      <Link to="/flows" className="hidden text-ink-2 hover:text-ink sm:inline">
        Flows
      </Link>
      <span className="hidden text-ink-2 sm:inline">/</span>
      <h1 title={name} className="max-w-36 shrink-0 truncate font-semibold sm:max-w-80">
        {name}
      </h1>
      <span className="text-xs text-ink-2 tabular-nums">v{version}</span>
      {dirty ? (
        <Badge tone="warn" title="The draft is stored only in this browser">
          unsaved
        </Badge>
      ) : publishedVersion === version ? (
        <Badge tone="good">published</Badge>
      ) : (
        <Badge
          title={
            publishedVersion === null ? 'No version is published' : `Version ${publishedVersion} is published`
          }
        >
          draft
        </Badge>
      )}
      {latestVersion > version && (
        <Badge tone="accent" title="Another person saved this version. Saving merges it with your changes">
          v{latestVersion} is newer
        </Badge>
      )}
      <Base.Root aria-label="Flow" className="ml-auto flex flex-wrap items-center gap-1">
        <Bound />
        <Base.Button
          className={buttonClass('quiet', SMALL)}
          aria-label={`Problems: ${problems.counts.error} errors, ${problems.counts.warning} warnings`}
          onClick={() => showPanel('problems')}
        >
          <Sign severity="error" /> {problems.counts.error}
          <Sign severity="warning" /> {problems.counts.warning}
        </Base.Button>
        <TestsButton showPanel={showPanel} />
        <Stop>
          <Undo
            label="Undo (Ctrl Z)"
            disabled={!canUndo}
            onClick={undo}
            path="M6 4 3 7l3 3M3 7h6a4 4 0 0 1 0 8H7"
          />
        </Stop>
        <Stop>
          <Undo
            label="Redo (Ctrl Shift Z)"
            disabled={!canRedo}
            onClick={redo}
            path="M10 4l3 3-3 3M13 7H7a4 4 0 0 0 0 8h2"
          />
        </Stop>
        <Stop>
          <IconButton
            label="Find a node (/)"
            icon="search"
            className="h-7!"
            onClick={() => openUp({ kind: 'find' })}
          />
        </Stop>
        <Stop>
          <Button kind="quiet" className={SMALL} title="Arrange all nodes (T)" onClick={() => void tidy()}>
            Arrange
          </Button>
        </Stop>
        <Stop>
          <Button
            kind="quiet"
            className={`${SMALL} w-7`}
            title="Keyboard shortcuts (?)"
            aria-label="Keyboard shortcuts"
            onClick={() => openUp({ kind: 'shortcuts' })}
          >
            ?
          </Button>
        </Stop>
        <May service="flow-builder" scope="write">
          {' '}
          <Stop>
            <Button
              className={SMALL}
              disabled={!dirty}
              title="Ctrl S"
              onClick={() => openUp({ kind: 'save' })}
            >
              Save version
            </Button>
          </Stop>
          <Stop>
            <Button
              kind="primary"
              className={SMALL}
              disabled={dirty || publishedVersion === version}
              title={dirty ? 'Save the changes first' : undefined}
              onClick={() => openUp({ kind: 'publish', version })}
            >
              Publish version
            </Button>
          </Stop>
        </May>
      </Base.Root>
    </header>
  );
}

/** A button of the toolbar, which is one tab stop: arrow keys move between its buttons. */
const Stop = ({ children }: { readonly children: ReactElement<Record<string, unknown>> }) => (
  <Base.Button
    focusableWhenDisabled={false}
    disabled={children.props['disabled'] === true}
    render={children}
  />
);

function Undo({
  label,
  path,
  ...rest
}: {
  label: string;
  path: string;
} & ComponentProps<'button'>) {
  return (
    <button
      type="button"
      aria-label={label}
      title={label}
      className={buttonClass('quiet', 'h-7! w-7 px-0!')}
      {...rest}
    >
      <svg
        aria-hidden="true"
        width={15}
        height={15}
        viewBox="0 0 16 18"
        fill="none"
        stroke="currentColor"
        strokeWidth={1.5}
        strokeLinecap="round"
        strokeLinejoin="round"
      >
        <path d={path} />
      </svg>
    </button>
  );
}

/** Results and coverage of the stored tests on the current draft. */
function TestsButton({ showPanel }: Pick<ToolbarProps, 'showPanel'>) {
  const explored = useExplored(exploredOf);
  if (explored === null) return null;
  const counts = countsOf(coverOf(explored));
  const failed = explored.results.filter(({ failures }) => failures.length > 0).length;
  const told = failed === 0 ? coverageTold(counts) : `${failed} of ${explored.results.length} tests fail`;
  return (
    <Base.Button
      className={buttonClass('quiet', SMALL)}
      aria-label={`Tests: ${told}`}
      title={told}
      onClick={() => showPanel('tests')}
    >
      <Ring counts={counts} />
      {failed > 0 && (
        <span className="text-bad">
          {failed} {failed === 1 ? 'fails' : 'fail'}
        </span>
      )}
    </Base.Button>
  );
}

/** The maximum number of nodes per turn. Hovering highlights the longest path. */
function Bound() {
  const steps = useFlow((state) => state.checked?.stats?.max_steps_per_turn);
  if (steps === undefined) return null;
  if (steps === null)
    return (
      <span className="hidden px-1 text-xs whitespace-nowrap text-bad lg:inline">turns may never end</span>
    );
  const show = () => void sharedEngine().longest().then(showPath);
  const hide = () => showPath([]);
  return (
    <Base.Button
      className="hidden rounded px-1 text-xs whitespace-nowrap text-ink-2 hover:bg-surface-3 lg:inline"
      title="The longest possible turn. Click to show it on the canvas"
      onPointerEnter={show}
      onPointerLeave={hide}
      onFocus={show}
      onBlur={hide}
      onClick={show}
    >
      ≤ {steps} nodes per turn
    </Base.Button>
  );
}
