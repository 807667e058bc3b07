// One recorded turn: messages, reasons, variables, and the result of the draft.
import { Link } from '@tanstack/react-router';
import type { RecordedTurn } from '@parley/flow-analysis';
import { Trace } from '../../flows/talk/trace.tsx';
import { Variables } from '../../flows/talk/variables.tsx';
import { buttonClass } from '../../ui/button.tsx';
import { Loading, Problem } from '../../ui/page.tsx';
import { Time } from '../../ui/time.tsx';
import { FixThis } from './fix-this.tsx';
import { Teach } from './teach.tsx';
import { computeVariables, getCompleteness, listMissing } from './recorded.ts';
import { toSteps } from './replayed.ts';
import { labelVersion, type Replays } from './use-replays.ts';
import { explainStop, Verdict, VerdictBadge } from './verdict.tsx';

interface TurnPanelProps {
  readonly turn: RecordedTurn;
  /** All turns of the conversation that are loaded. */
  readonly turns: readonly RecordedTurn[];
  readonly replays: Replays;
  /** The canvas shows the draft's path instead of the recorded one. */
  readonly isDraftShown: boolean;
  readonly onNode: (id: string) => void;
}

export function TurnPanel({ turn, turns, replays, isDraftShown, onNode }: TurnPanelProps) {
  const isWhole = getCompleteness(turn) === 'whole';
  return (
    <div className="flex flex-col gap-4 p-3">
      <Messages turn={turn} />
      {!isWhole && (
        <p className="rounded-md bg-warn-soft px-2.5 py-1.5 text-warn">{describeCompleteness(turn)}</p>
      )}
      <FixThis turns={turns} turn={turn} />
      <Teach key={`${turn.flow_id} ${turn.turn}`} turn={turn} ranOn={replays.ranOn} />
      <Draft turn={turn} draft={replays.draft} isShown={isDraftShown} />
      <Why turn={turn} replays={replays} isDraftShown={isDraftShown} onNode={onNode} />
      {!isDraftShown && <TurnVariables turn={turn} />}
    </div>
  );
}

function Messages({ turn: { turn, now, input, messages, actions } }: Pick<TurnPanelProps, 'turn'>) {
  const kind = input?.answer?.kind.replace('_', ' ');
  return (
    <section aria-label="Messages" className="flex flex-col gap-1.5">
      {input !== null && (turn > 1 || input.user_input !== null) && (
        <p className="max-w-[85%] self-end rounded-lg rounded-br-sm bg-accent px-2.5 py-1 break-words text-accent-ink">
          {input.user_input ?? <i>{kind ?? 'silence'}</i>}
        </p>
      )}
      {(messages ?? []).map(({ text, node_id }, at) => (
        <p
          key={at}
          title={`said by ${node_id}`}
          className="max-w-[85%] self-start rounded-lg rounded-bl-sm bg-surface-3 px-2.5 py-1 break-words"
        >
          {text}
        </p>
      ))}
      {(actions ?? []).map((action, at) => (
        <p
          key={at}
          className="self-start rounded border border-line px-2 py-0.5 font-mono text-xs text-ink-2"
        >
          {[action['type'], action['tool'] ?? action['target'] ?? action['goal']]
            .filter((word) => typeof word === 'string')
            .join(' ')}
        </p>
      ))}
      <p className="text-xs text-ink-2">
        <Time at={now} absolute />
      </p>
    </section>
  );
}

function describeCompleteness(turn: RecordedTurn): string {
  switch (getCompleteness(turn)) {
    case 'path':
      return 'Only the path of this turn was recorded, because the bot’s recording is “path”. The canvas shows the nodes and edges; messages and comparisons are unknown.';
    case 'part':
      return `Parts of this turn were too large to record: ${listMissing(turn).join(', ').replaceAll('_', ' ')}.`;
    default:
      return `Some values were redacted before recording: ${(turn.redacted ?? []).join(', ')}. The replay may differ.`;
  }
}

/** Compares the draft with the recorded turn. */
function Draft({
  turn,
  draft,
  isShown,
}: {
  readonly turn: RecordedTurn;
  readonly draft: Replays['draft'];
  readonly isShown: boolean;
}) {
  if (draft === undefined || getCompleteness(turn) === 'path') return null;
  if (draft === null)
    return (
      <p className="text-xs text-ink-2">
        Version {turn.version} is the newest, and this browser has no draft.
      </p>
    );
  const { replayed, error } = draft;
  return (
    <section aria-label="Result of the draft" className="rounded-md border border-line">
      <div className="flex min-h-9 flex-wrap items-center gap-2 px-2.5 py-1">
        <h2 className="font-medium">{labelVersion(draft.look)} replies</h2>
        {replayed && <VerdictBadge of={replayed} />}
        {replayed?.trace && (
          <Link
            from="/conversations/$conversationId/why"
            search={(was) => ({ ...was, show: isShown ? undefined : 'draft', node: undefined })}
            replace
            className={buttonClass('quiet', 'ml-auto h-7! px-2!')}
          >
            {isShown ? `Show v${turn.version}` : 'Show its path'}
          </Link>
        )}
      </div>
      {error && <Problem error={error} />}
      {replayed && replayed.same !== true && (
        <div className="border-t border-line px-2.5 py-2">
          <Verdict of={replayed} />
        </div>
      )}
    </section>
  );
}

function Why({ turn, replays, isDraftShown, onNode }: Omit<TurnPanelProps, 'turns'>) {
  if (getCompleteness(turn) === 'path') return null;
  const { replayed, error, isLoading } = isDraftShown && replays.draft ? replays.draft : replays.recorded;
  if (isLoading) return <Loading subject="the reason" />;
  if (error) return <Problem error={error} />;
  if (replayed === undefined) return null;
  const steps = toSteps(replayed.trace);
  const look = isDraftShown && replays.draft ? replays.draft.look : { version: turn.version };
  return (
    <section className="flex flex-col gap-1.5">
      <h2 className="font-semibold">
        Why <span className="font-normal text-ink-2">in {labelVersion(look).toLowerCase()}</span>
      </h2>
      {steps === null || steps.length === 0 ? (
        <p className="text-ink-2">{explainStop(replayed)}</p>
      ) : (
        <Trace steps={steps} onNode={onNode} />
      )}
      {!isDraftShown && replayed.same === false && replayed.exact && (
        <p className="text-warn">
          The replay has another result: the service had another release when this turn was recorded.
        </p>
      )}
    </section>
  );
}

function TurnVariables({ turn }: Pick<TurnPanelProps, 'turn'>) {
  const bags = computeVariables(turn);
  if (bags === null) return null;
  return (
    <section className="flex flex-col gap-1.5">
      <h2 className="font-semibold">
        Variables <span className="font-normal text-ink-2">before and after</span>
      </h2>
      <Variables before={bags.before} after={bags.after} />
    </section>
  );
}
