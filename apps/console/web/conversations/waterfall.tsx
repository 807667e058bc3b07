// The transcript as a waterfall: who spoke when, interruptions and latency.
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { Badge } from '../ui/badge.tsx';
import { Icon } from '../ui/icon.tsx';
import { rowLink } from '../ui/link.ts';
import { formatDuration } from '../ui/time.tsx';
import type { Turn } from './api.ts';
import { toPlaces, type Place } from './waterfall.rules.ts';

export const ROLE_LABELS: Readonly<Record<Turn['role'], string>> = {
  user: 'Caller',
  bot: 'Bot',
  tool: 'Tool',
  system: 'System',
};
const BARS: Readonly<Record<Turn['role'], string>> = {
  user: 'bg-ink-2',
  bot: 'bg-accent',
  tool: 'bg-warn',
  system: 'bg-line-strong',
};
/** Lower confidence is shown as unsure. */
const CONFIDENCE_MIN = 0.7;

export function Waterfall({ id, turns }: { id: string; turns: readonly Turn[] }) {
  const places = toPlaces(turns);
  const isTimed = turns.some(({ start_ms }) => start_ms !== null);
  return (
    <ol className="flex flex-col rounded-lg border border-line">
      {turns.map((turn, index) => (
        <TurnRow key={turn.index} id={id} turn={turn} place={places[index] ?? null} isTimed={isTimed} />
      ))}
    </ol>
  );
}

interface TurnRowProps {
  readonly id: string;
  readonly turn: Turn;
  readonly place: Place | null;
  /** The media runtime reports times. */
  readonly isTimed: boolean;
}

function TurnRow({ id, turn, place, isTimed }: TurnRowProps) {
  const { role, text } = turn;
  return (
    <li className="flex gap-3 border-b border-line px-3 py-1.5 last:border-b-0 hover:bg-surface-2">
      {isTimed && (
        <span className="w-11 shrink-0 pt-0.5 text-right text-xs text-ink-2 tabular-nums">
          {turn.start_ms === null ? '' : clock(turn.start_ms)}
        </span>
      )}
      <span className={`w-12 shrink-0 font-medium ${role === 'bot' ? 'text-accent' : 'text-ink-2'}`}>
        {ROLE_LABELS[role]}
      </span>
      <div className="min-w-0 flex-1">
        <p className={`break-words whitespace-pre-wrap ${role === 'tool' ? 'font-mono text-xs' : ''}`}>
          {text}
        </p>
        <Remarks turn={turn} />
        {place && (
          <div aria-hidden="true" className="mt-1 h-1 rounded bg-surface-3">
            <div
              className={`h-full min-w-0.5 rounded ${BARS[role]}`}
              style={{ marginLeft: `${place.from * 100}%`, width: `${place.width * 100}%` }}
            />
          </div>
        )}
      </div>
      {role === 'bot' && turn.turn !== undefined && (
        <Link
          to="/conversations/$conversationId/why"
          params={{ conversationId: id }}
          search={{ turn: turn.turn, node: turn.node_id }}
          title="Why did the bot say that?"
          aria-label={`Why did the bot say “${text.slice(0, 40)}”?`}
          className={`min-h-6 shrink-0 self-start px-1 text-xs leading-6 ${rowLink}`}
        >
          Why?
        </Link>
      )}
    </li>
  );
}

/** Interruption, low confidence and latency of a turn. */
function Remarks({ turn: { interrupted, confidence, metrics } }: Pick<TurnRowProps, 'turn'>) {
  const [open, setOpen] = useState(false);
  const isUnsure = confidence !== null && confidence < CONFIDENCE_MIN;
  const answeredMs = metrics?.e2e_ms;
  if (!interrupted && !isUnsure && answeredMs === undefined) return null;
  return (
    <>
      <div className="flex flex-wrap items-center gap-x-2">
        {interrupted && <Badge tone="warn">interrupted</Badge>}
        {isUnsure && (
          <Badge tone="warn" title="Confidence of speech recognition">
            confidence {Math.round(confidence * 100)} %
          </Badge>
        )}
        {answeredMs !== undefined && (
          <button
            type="button"
            aria-expanded={open}
            onClick={() => setOpen(!open)}
            className="-mx-1 inline-flex min-h-6 items-center gap-1 rounded px-1 text-xs text-ink-2 tabular-nums hover:bg-surface-3"
          >
            answered in {formatDuration(answeredMs)}
            <Icon name={open ? 'down' : 'right'} size={10} />
          </button>
        )}
      </div>
      {open && (
        <dl className="mt-1 flex flex-wrap gap-x-4 text-xs text-ink-2 tabular-nums">
          {Object.entries(metrics ?? {}).map(([name, ms]) => (
            <div key={name} className="flex gap-1">
              <dt>{name.replace(/_ms$/, '')}</dt>
              <dd>{formatDuration(ms)}</dd>
            </div>
          ))}
        </dl>
      )}
    </>
  );
}

/** 1:07.2 */
function clock(ms: number): string {
  const tenths = Math.round(ms / 100);
  const seconds = Math.floor(tenths / 10);
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}.${tenths % 10}`;
}
