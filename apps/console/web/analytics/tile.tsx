// One figure beside its value in an earlier period.
import { Badge, type Tone } from '../ui/badge.tsx';
import { computeChange, formatChange } from './window.rules.ts';

const whole = new Intl.NumberFormat('en', { maximumFractionDigits: 1 });
export const formatPercent = (value: number): string => `${Math.round(value * 100)} %`;

interface TileProps {
  readonly name: string;
  /** Undefined while loading; null when there is nothing to measure. */
  readonly now: number | null | undefined;
  readonly before: number | null | undefined;
  /** When `before` was: "a week ago". */
  readonly earlier: string;
  readonly format?: (value: number) => string;
  /** Whether an increase is good or bad; undefined: neither. */
  readonly more?: 'good' | 'bad';
  /** From 0 to 1: its change is shown in points. */
  readonly isRate?: boolean;
}

export function Tile({ name, now, before, earlier, format = whole.format, more, isRate = false }: TileProps) {
  const change = computeChange(now ?? null, before ?? null, isRate);
  return (
    <div className="rounded-lg border border-line px-4 py-3">
      <dt className="text-ink-2">{name}</dt>
      <dd>
        <span className="flex items-center gap-2">
          <span className="text-xl leading-8 font-semibold tabular-nums">
            {now == null ? '–' : format(now)}
          </span>
          {change !== null && change !== 0 && (
            <Badge tone={toTone(change, more)}>{formatChange(change, isRate)}</Badge>
          )}
        </span>
        <span className="text-xs text-ink-2">
          {before == null ? `no data ${earlier}` : `${format(before)} ${earlier}`}
        </span>
      </dd>
    </div>
  );
}

function toTone(change: number, more: TileProps['more']): Tone {
  if (more === undefined) return 'neutral';
  return change > 0 === (more === 'good') ? 'good' : 'bad';
}
