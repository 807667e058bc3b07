// The transcript as a waterfall: who spoke when and for how long, what was interrupted, and where the time went.
import { duration } from '../ui/time.tsx';
import { Badge } from '../ui/badge.tsx';
import { Icon } from '../ui/icon.tsx';
import { useState } from 'react';
import type { Turn } from './api.ts';
import { placesOf, type Place } from './waterfall.rules.ts';

const WHO: Readonly<Record<Turn['role'], string>> = {
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

export function Waterfall({ turns }: { turns: readonly Turn[] }) {
  const places = placesOf(turns);
  return (
    <ol className="flex flex-col rounded-lg border border-line">
      {turns.map((turn, index) => (
        <TurnRow key={turn.index} turn={turn} place={places[index] ?? null} />
      ))}
    </ol>
  );
}

function TurnRow({ turn, place }: { turn: Turn; place: Place | null }) {
  const [open, setOpen] = useState(false);
  const { role, text, metrics, interrupted, confidence } = turn;
  const parts = metrics ? Object.entries(metrics) : [];
  return (
    <li className="border-b border-line px-3 py-2 last:border-b-0 hover:bg-surface-2">
      <div className="flex gap-3">
        <div className="w-14 shrink-0 pt-px text-right text-xs text-ink-2 tabular-nums">
          {turn.start_ms === null ? '' : clock(turn.start_ms)}
        </div>
        <div className="min-w-0 flex-1">
          <div className="flex flex-wrap items-center gap-x-2">
            <span className={`font-medium ${role === 'bot' ? 'text-accent' : ''}`}>{WHO[role]}</span>
            {interrupted && <Badge tone="warn">interrupted</Badge>}
            {confidence !== null && confidence < 0.7 && (
              <Badge tone="warn" title="How sure the recogniser was">
                heard {Math.round(confidence * 100)} %
              </Badge>
            )}
            {metrics?.e2e_ms !== undefined && (
              <button
                type="button"
                aria-expanded={open}
                onClick={() => setOpen(!open)}
                className="inline-flex min-h-6 items-center gap-1 rounded px-1 text-xs text-ink-2 tabular-nums hover:bg-surface-3"
              >
                answered in {duration(metrics.e2e_ms)}
                <Icon name={open ? 'down' : 'right'} size={10} />
              </button>
            )}
          </div>
          <p className="break-words whitespace-pre-wrap">{text}</p>
          {place && (
            <div aria-hidden="true" className="mt-1 h-1 rounded bg-surface-3">
              <div
                className={`h-full min-w-0.5 rounded ${BARS[role]}`}
                style={{ marginLeft: `${place.from * 100}%`, width: `${place.width * 100}%` }}
              />
            </div>
          )}
          {open && (
            <dl className="mt-1 flex flex-wrap gap-x-4 text-xs text-ink-2 tabular-nums">
              {parts.map(([name, ms]) => (
                <div key={name} className="flex gap-1">
                  <dt>{name.replace(/_ms$/, '')}</dt>
                  <dd>{duration(ms)}</dd>
                </div>
              ))}
            </dl>
          )}
        </div>
      </div>
    </li>
  );
}

/** 1:07.2 */
function clock(ms: number): string {
  const tenths = Math.round(ms / 100);
  const seconds = Math.floor(tenths / 10);
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}.${tenths % 10}`;
}
