// The stretch of time that is looked at, and the one before it. Pure.
import type { operations } from '@parley/sdk/voice-api';

type Query = NonNullable<operations['getUsage']['parameters']['query']>;

export const SPANS = ['24h', '7d', '30d', '90d'] as const;
export type Span = (typeof SPANS)[number];
/** What the API divides by; the compiler asks for a name of each. */
export type Dimension = NonNullable<Query['group_by']>;
export const DIMENSIONS: Readonly<Record<Dimension, string>> = {
  bot_id: 'bot',
  bot_version: 'bot version',
  flow_id: 'flow',
  flow_version: 'flow version',
  channel: 'channel',
  status: 'status',
  end_reason: 'end reason',
  language: 'language',
};

const HOUR_MS = 3_600_000;
const HOURS: Readonly<Record<Span, number>> = { '24h': 24, '7d': 7 * 24, '30d': 30 * 24, '90d': 90 * 24 };

export interface Window {
  readonly from: string;
  readonly to: string;
  readonly interval: NonNullable<Query['interval']>;
}

/** Ends with the hour that goes on, so that buckets are whole. `before`: 1 is the period before, as long. */
export function windowOf(span: Span, nowMs: number, before: 0 | 1): Window {
  const hours = HOURS[span];
  const end = (Math.floor(nowMs / HOUR_MS) + 1) * HOUR_MS - before * hours * HOUR_MS;
  const iso = (ms: number) => new Date(ms).toISOString();
  return { from: iso(end - hours * HOUR_MS), to: iso(end), interval: hours <= 24 ? 'hour' : 'day' };
}

/** How much more or less than before, as a part of it; null where there is nothing to compare with. */
export function changeOf(now: number | null, before: number | null): number | null {
  if (now === null || before === null || before === 0) return null;
  return (now - before) / before;
}
