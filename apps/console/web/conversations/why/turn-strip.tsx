// The turns of the conversation in a row. Marks turns in which the draft has another result.
import { Link } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import type { RecordedTurn } from '@parley/flow-analysis';

interface TurnStripProps {
  readonly turns: readonly RecordedTurn[];
  readonly current: RecordedTurn;
  /** Turn numbers. */
  readonly differing: readonly number[];
}

export function TurnStrip({ turns, current, differing }: TurnStripProps) {
  const list = useRef<HTMLElement>(null);
  useEffect(() => {
    list.current?.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  }, [current]);
  return (
    <nav
      ref={list}
      aria-label="Turns"
      className="flex shrink-0 gap-1 overflow-x-auto border-t border-line bg-surface px-2 py-1"
    >
      {turns.map((turn) => {
        const isOther = differing.includes(turn.turn);
        return (
          <Link
            key={`${turn.flow_id} ${turn.turn}`}
            from="/conversations/$conversationId/why"
            search={(was) => ({ ...was, turn: turn.turn, node: undefined })}
            replace
            aria-current={turn === current ? 'step' : undefined}
            className="flex h-7 max-w-40 shrink-0 items-center gap-1.5 rounded px-2 text-ink-2 hover:bg-surface-2 aria-[current]:bg-surface-3 aria-[current]:text-ink"
          >
            <b className="text-xs font-semibold tabular-nums">{turn.turn}</b>
            <span className="truncate">
              {turn.input?.user_input ?? turn.messages?.[0]?.text ?? turn.current_node}
            </span>
            {isOther && (
              <span
                role="img"
                aria-label="the draft has another result"
                title="The draft has another result"
                className="size-1.5 shrink-0 rounded-full bg-warn"
              />
            )}
          </Link>
        );
      })}
    </nav>
  );
}
