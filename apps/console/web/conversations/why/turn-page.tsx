// One recorded turn: its path on the canvas, the turns around it, and the reasons.
import { getRouteApi, Link } from '@tanstack/react-router';
import { useMemo } from 'react';
import type { RecordedTurn } from '@parley/flow-analysis';
import { ownNode } from '../../engine/called.ts';
import { nowhere, walkOf, type Walked } from '../../flows/talk/walked.ts';
import { buttonClass, IconButton } from '../../ui/button.tsx';
import { Problem } from '../../ui/page.tsx';
import { toPath } from './recorded.ts';
import { toSteps } from './replayed.ts';
import { TurnPanel } from './turn-panel.tsx';
import { TurnStrip } from './turn-strip.tsx';
import { useReplays, type Replays } from './use-replays.ts';
import { useStep } from './use-step.ts';
import { WalkMap } from './walk-map.tsx';

const route = getRouteApi('/shell/conversations/$conversationId/why');

interface TurnPageProps {
  readonly conversationId: string;
  readonly turn: RecordedTurn;
  readonly turns: readonly RecordedTurn[];
  /** The page of turns that contains it. */
  readonly batch: readonly RecordedTurn[];
}

export function TurnPage({ conversationId, turn, turns, batch }: TurnPageProps) {
  const { show, node } = route.useSearch();
  const navigate = route.useNavigate();
  const step = useStep(turns, turn);
  const replays = useReplays(conversationId, turn, batch);
  const { ranOn, draft } = replays;
  const isDraftShown = show === 'draft' && draft != null;
  const look = isDraftShown ? draft.look : ranOn;
  const way = useWalk(turn, replays, isDraftShown);
  const chosen =
    look?.definition.nodes.find(({ id }) => node !== undefined && id === ownNode(node))?.id ?? null;
  const choose = (id: string | null) =>
    void navigate({ search: (was) => ({ ...was, node: id ?? undefined }), replace: true });
  return (
    <div className="flex min-h-0 flex-1 flex-col overflow-y-auto lg:flex-row lg:overflow-hidden">
      <div className="flex h-[45dvh] min-w-0 shrink-0 flex-col lg:h-auto lg:flex-1">
        <div className="relative min-h-0 flex-1">
          {replays.error && <Problem error={replays.error} onRetry={replays.retry} />}
          {look && (
            <WalkMap
              key={look.version ?? look.changedAt}
              look={look}
              walk={way}
              chosen={chosen}
              onChoose={choose}
            />
          )}
        </div>
        <TurnStrip turns={turns} current={turn} differing={replays.differing} />
      </div>
      <aside
        aria-label={`Turn ${turn.turn}`}
        className="flex shrink-0 flex-col border-t border-line lg:w-100 lg:overflow-y-auto lg:border-t-0 lg:border-l"
      >
        <div className="sticky top-0 z-10 flex items-center gap-1 border-b border-line bg-surface px-2 py-1">
          <IconButton
            label="Previous turn (left arrow)"
            icon="left"
            disabled={step.before === undefined}
            onClick={() => step.go(step.before)}
          />
          <span className="font-medium tabular-nums" aria-live="polite">
            Turn {turn.turn}
          </span>
          <IconButton
            label="Next turn (right arrow)"
            icon="right"
            disabled={step.after === undefined}
            onClick={() => step.go(step.after)}
          />
          <Link
            to="/flows/$flowId"
            params={{ flowId: turn.flow_id }}
            search={{ node: chosen ?? way.visited.at(-1) }}
            className={buttonClass('plain', 'ml-auto')}
          >
            Open in editor
          </Link>
        </div>
        <TurnPanel turns={turns} turn={turn} replays={replays} isDraftShown={isDraftShown} onNode={choose} />
      </aside>
    </div>
  );
}

/** The replayed walk with every edge that was tried, or else the recorded path. */
function useWalk(turn: RecordedTurn, { ranOn, recorded, draft }: Replays, isDraftShown: boolean): Walked {
  const look = isDraftShown ? draft?.look : ranOn;
  const trace = (isDraftShown ? draft?.replayed : recorded.replayed)?.trace;
  return useMemo(() => {
    if (look === undefined) return nowhere;
    const steps = toSteps(trace);
    if (steps !== null && steps.length > 0) return walkOf(steps);
    return isDraftShown ? nowhere : toPath(turn, look.definition);
  }, [look, trace, turn, isDraftShown]);
}
