// The period on the page, and the previous one. Pure.
import type { operations } from '@parley/sdk/voice-api';

type Query = NonNullable<operations['getUsage']['parameters']['query']>;

export const SPANS = ['24h', '7d', '30d', '90d', 'month', 'last_month', 'own'] as const;
export type Span = (typeof SPANS)[number];

/** What the page shows. `from` and `to` are local dates, both inclusive, of the span `own`. */
export interface Period {
  readonly span: Span;
  readonly from?: string | undefined;
  readonly to?: string | undefined;
}
/** What the API can group by. The compiler checks that none lacks a label. */
export type Dimension = NonNullable<Query['group_by']>;
export const DIMENSIONS: Readonly<Record<Dimension, string>> = {
  bot_id: 'agent',
  bot_version: 'agent version',
  flow_id: 'flow',
  flow_version: 'flow version',
  channel: 'channel',
  status: 'status',
  end_reason: 'end reason',
  error_code: 'error code',
  language: 'language',
};

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const DAYS = { '7d': 7, '30d': 30, '90d': 90, own: 7 } as const;
/** Longer periods have weekly buckets. */
const DAILY_DAYS_MAX = 92;
const HOURLY_DAYS_MAX = 2;

export interface Window {
  readonly from: string;
  readonly to: string;
  readonly interval: NonNullable<Query['interval']>;
}

/**
 * Whole local days or calendar months, the last of which ends with the current hour. `before`: 1
 * returns the period to compare with: as many days, or as much of a month.
 */
export function toWindow(period: Period, nowMs: number, before: 0 | 1): Window {
  const now = new Date((Math.floor(nowMs / HOUR_MS) + 1) * HOUR_MS);
  switch (period.span) {
    case '24h': {
      const end = new Date(now.getTime() - before * DAY_MS);
      return between(new Date(end.getTime() - DAY_MS), end);
    }
    case 'month': {
      const start = startOfMonth(now, 0);
      if (before === 0) return between(start, now);
      // On the 31st, a month ago is later than the previous month.
      const end = new Date(now);
      end.setMonth(now.getMonth() - 1);
      return between(startOfMonth(now, -1), end < start ? end : start);
    }
    case 'last_month':
      return between(startOfMonth(now, -1 - before), startOfMonth(now, -before));
    default: {
      const { start, end } = readDays(period, now);
      const days = Math.ceil((end.getTime() - start.getTime()) / DAY_MS - 1 / 24);
      return between(addDays(start, -before * days), addDays(end, -before * days));
    }
  }
}

function readDays({ span, from, to }: Period, now: Date): { start: Date; end: Date } {
  if (span === 'own' && from !== undefined && to !== undefined) {
    const start = new Date(`${from}T00:00:00`);
    const end = addDays(new Date(`${to}T00:00:00`), 1);
    if (start < end && start < now) return { start, end: end < now ? end : now };
  }
  const start = new Date(now.getTime() - 1);
  start.setHours(0, 0, 0, 0);
  return { start: addDays(start, 1 - DAYS[span as keyof typeof DAYS]), end: now };
}

function between(start: Date, end: Date): Window {
  const days = (end.getTime() - start.getTime()) / DAY_MS;
  const interval = days <= HOURLY_DAYS_MAX ? 'hour' : days <= DAILY_DAYS_MAX ? 'day' : 'week';
  return { from: start.toISOString(), to: end.toISOString(), interval };
}

function startOfMonth(at: Date, months: number): Date {
  return new Date(at.getFullYear(), at.getMonth() + months, 1);
}

/** The same local time of another day. */
function addDays(at: Date, days: number): Date {
  const other = new Date(at);
  other.setDate(at.getDate() + days);
  return other;
}

/** The local dates of a window, for the fields of an own period. */
export function toDates({ from, to }: Window): { from: string; to: string } {
  const format = (at: Date) =>
    [at.getFullYear(), at.getMonth() + 1, at.getDate()]
      .map((part) => String(part).padStart(2, '0'))
      .join('-');
  return { from: format(new Date(from)), to: format(new Date(Date.parse(to) - 1)) };
}

/** The hours of today so far, or the same hours of an earlier day, in the person's time zone. */
export function toToday(nowMs: number, daysBefore: number): Window {
  const start = new Date(nowMs);
  start.setDate(start.getDate() - daysBefore);
  const end = new Date((Math.floor(start.getTime() / HOUR_MS) + 1) * HOUR_MS);
  start.setHours(0, 0, 0, 0);
  return { from: start.toISOString(), to: end.toISOString(), interval: 'hour' };
}

/**
 * The change of a number in percent; of a rate in points, because a percentage of a percentage
 * misleads. Null when there is nothing to compare with.
 */
export function computeChange(now: number | null, before: number | null, isRate = false): number | null {
  if (now === null || before === null) return null;
  if (isRate) return Math.round((now - before) * 1_000) / 10;
  return before === 0 ? null : Math.round(((now - before) / before) * 100);
}

export function formatChange(change: number, isRate: boolean): string {
  const unit = isRate ? 'points' : '%';
  return `${change > 0 ? '+' : ''}${change} ${unit}`;
}
