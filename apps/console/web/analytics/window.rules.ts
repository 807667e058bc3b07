// The period on the page, and the previous one. Pure.
import type { operations } from '@parley/sdk/voice-api';

type Query = NonNullable<operations['getUsage']['parameters']['query']>;

export const SPANS = ['24h', '7d', '30d', '90d'] as const;
export type Span = (typeof SPANS)[number];
/** What the API can group by. The compiler checks that none lacks a label. */
export type Dimension = NonNullable<Query['group_by']>;
export const DIMENSIONS: Readonly<Record<Dimension, string>> = {
  bot_id: 'bot',
  bot_version: 'bot version',
  flow_id: 'flow',
  flow_version: 'flow version',
  channel: 'channel',
  status: 'status',
  end_reason: 'end reason',
  error_code: 'error code',
  language: 'language',
};

const HOUR_MS = 3_600_000;
const HOURS: Readonly<Record<Span, number>> = { '24h': 24, '7d': 7 * 24, '30d': 30 * 24, '90d': 90 * 24 };

export interface Window {
  readonly from: string;
  readonly to: string;
  readonly interval: NonNullable<Query['interval']>;
}

/**
 * Ends with the current hour, so that buckets are whole. `before`: 1 returns the previous period of
 * the same length.
 */
export function toWindow(span: Span, nowMs: number, before: 0 | 1): Window {
  const hours = HOURS[span];
  const end = (Math.floor(nowMs / HOUR_MS) + 1) * HOUR_MS - before * hours * HOUR_MS;
  const iso = (ms: number) => new Date(ms).toISOString();
  return { from: iso(end - hours * HOUR_MS), to: iso(end), interval: hours <= 24 ? 'hour' : 'day' };
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
