// The engagement part of a notification's status.
import { notificationsDialect } from '@parley/envelopes';
import type { EngagementEvent } from './record-engagement.ts';

/** Null: no engagement. */
export type EngagementRow = Readonly<
  Partial<Record<EngagementEvent, { readonly first_ms: number; readonly count: number }>>
> | null;

/** SQL expression for a statement over `deliveries`; yields an `EngagementRow`. */
export const ENGAGEMENT = `(
  SELECT json_object_agg(event, json_build_object('first_ms', (extract(epoch FROM first_at) * 1000)::float8, 'count', count))
  FROM engagements WHERE engagements.notification_id = deliveries.notification_id AND engagements.channel = deliveries.channel)`;

export function toEngagement(row: EngagementRow) {
  const { opened, clicked, dismissed } = row ?? {};
  return {
    ...(opened ? { opened_at: toTime(opened) } : {}),
    ...(clicked ? { clicked_at: toTime(clicked), clicks: clicked.count } : {}),
    ...(dismissed ? { dismissed_at: toTime(dismissed) } : {}),
  };
}

const toTime = ({ first_ms: ms }: { readonly first_ms: number }) => notificationsDialect.time(new Date(ms));
