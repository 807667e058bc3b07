// Relative times with the exact time on hover. The voice API uses ISO 8601, the others Unix
// seconds.
import { useSyncExternalStore } from 'react';

export type Moment = string | number;

export const toDate = (moment: Moment): Date => new Date(typeof moment === 'number' ? moment * 1000 : moment);

const STEPS: readonly (readonly [seconds: number, unit: Intl.RelativeTimeFormatUnit])[] = [
  [60, 'second'],
  [3600, 'minute'],
  [86_400, 'hour'],
  [86_400 * 30, 'day'],
];

const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto', style: 'narrow' });
const exact = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'medium' });
const day = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium' });

export function formatAgo(moment: Moment, nowMs: number): string {
  const seconds = (toDate(moment).getTime() - nowMs) / 1000;
  const size = Math.abs(seconds);
  if (size < 5) return 'now';
  const at = STEPS.findIndex(([limit]) => size < limit);
  if (at === -1) return day.format(toDate(moment));
  return relative.format(Math.round(seconds / (STEPS[at - 1]?.[0] ?? 1)), STEPS[at]![1]);
}

const TICK_MS = 10_000;
let nowMs = Date.now();
const listeners = new Set<() => void>();
let timer: ReturnType<typeof setInterval> | undefined;

function tick(): void {
  nowMs = Date.now();
  for (const listener of listeners) listener();
}

/** One shared timer keeps relative times correct on an open page. */
function onTick(listener: () => void): () => void {
  if (listeners.size === 0) {
    nowMs = Date.now();
    timer = setInterval(tick, TICK_MS);
  }
  listeners.add(listener);
  return () => {
    listeners.delete(listener);
    if (listeners.size === 0) clearInterval(timer);
  };
}

export const useNowMs = (): number => useSyncExternalStore(onTick, () => nowMs);

export function Time({ at, absolute = false }: { at: Moment; absolute?: boolean }) {
  const now = useNowMs();
  const date = toDate(at);
  const whole = exact.format(date);
  return (
    <time dateTime={date.toISOString()} title={whole} className="whitespace-nowrap tabular-nums">
      {absolute ? whole : formatAgo(at, now)}
    </time>
  );
}

/** 850 ms, 2.4 s, 3 m 20 s. */
export function formatDuration(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${(ms / 1000).toFixed(1)} s`;
  const seconds = Math.round(ms / 1000);
  if (seconds < 3600) return `${Math.floor(seconds / 60)} m ${seconds % 60} s`;
  return `${Math.floor(seconds / 3600)} h ${Math.floor((seconds % 3600) / 60)} m`;
}
