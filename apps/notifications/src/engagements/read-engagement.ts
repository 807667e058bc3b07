// What readers did with a channel of a notification, as its status tells it.
import { notificationsDialect } from '@parley/envelopes';
import type { EngagementEvent } from './record-engagement.ts';

/** Null: nothing. */
export type EngagementRow = Readonly<
  Partial<Record<EngagementEvent, { readonly first_ms: number; readonly count: number }>>
> | null;

/** An expression of a statement over `deliveries` that reads an `EngagementRow`. */
export const ENGAGEMENT = `(
  SELECT json_object_agg(event, json_build_object('first_ms', (extract(epoch FROM first_at) * 1000)::float8, 'count', count))
  FROM engagements WHERE engagements.notification_id = deliveries.notification_id AND engagements.channel = deliveries.channel)`;

export function engagementOf(row: EngagementRow) {
  const { opened, clicked, dismissed } = row ?? {};
  return {
    ...(opened ? { opened_at: timeOf(opened) } : {}),
    ...(clicked ? { clicked_at: timeOf(clicked), clicks: clicked.count } : {}),
    ...(dismissed ? { dismissed_at: timeOf(dismissed) } : {}),
  };
}

const timeOf = ({ first_ms: ms }: { readonly first_ms: number }) => notificationsDialect.time(new Date(ms));
