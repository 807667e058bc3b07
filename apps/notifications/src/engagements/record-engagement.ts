// Writes down what receivers did with a notification: rows first, each reader once, and never more than a number of them.
import { createHash } from 'node:crypto';
import type { ChannelName } from '@parley/queues';
import type { Deps } from '../deps.ts';
import type { Tracked } from './tracking-token.ts';

export const ENGAGEMENT_EVENTS = ['opened', 'clicked', 'dismissed'] as const;
export type EngagementEvent = (typeof ENGAGEMENT_EVENTS)[number];

/** Readers that are told apart, of a channel and event: a token is known to everybody who was sent it. */
export const READERS_MAX = 10_000;

export interface Engaged extends Tracked {
  readonly channel: ChannelName;
  readonly event: EngagementEvent;
  /** SHA-256 of who did it, where several may. Left out: the one whom it was sent to, or nobody can tell. */
  readonly reader?: Buffer | undefined;
}

/** Repeated, it changes nothing; nor does what comes for a notification that is no more, or that had no such channel. */
export async function recordEngagement(
  { sql, clock, count }: Pick<Deps, 'sql' | 'clock' | 'count'>,
  { organizationId, notificationId, channel, event, reader = Buffer.alloc(0) }: Engaged,
): Promise<void> {
  const now = new Date(clock());
  const [recorded] = await sql(RECORD, [organizationId, notificationId, channel, event, reader, now]);
  if (recorded) count.engaged(channel, event);
}

/** A user that opens an item of the inbox, which may be for all users. */
export function userAsReader(userId: string): Buffer {
  return createHash('sha256').update(userId).digest();
}

/** `hash`: SHA-256 of its endpoint, in hexadecimal digits. Only of a device that is registered: others would be without number. */
export async function deviceAsReader(
  { sql }: Pick<Deps, 'sql'>,
  organizationId: string,
  hash: string | undefined,
): Promise<Buffer | undefined> {
  if (hash === undefined) return undefined;
  const reader = Buffer.from(hash, 'hex');
  const [known] = await sql(
    'SELECT 1 AS one FROM push_subscriptions WHERE organization_id = $1 AND endpoint_hash = $2',
    [organizationId, reader],
  );
  return known && reader;
}

/** A reader that is there already stops it, also one that is being written at this moment. The first of an event tells its callback. */
const RECORD = `
  WITH reader AS (
    INSERT INTO engaged_readers (notification_id, channel, event, reader)
    SELECT notification_id, channel, $4::text, $5::bytea FROM deliveries
    WHERE organization_id = $1::text AND notification_id = $2::text AND channel = $3::text AND NOT EXISTS (
      SELECT FROM engagements WHERE notification_id = $2::text AND channel = $3::text AND event = $4::text AND count >= ${READERS_MAX})
    ON CONFLICT DO NOTHING RETURNING 1),
  engagement AS (
    INSERT INTO engagements (notification_id, channel, event, organization_id, first_at, count)
    SELECT $2::text, $3::text, $4::text, $1::text, $6::timestamptz, 1 FROM reader
    ON CONFLICT (notification_id, channel, event) DO UPDATE SET count = engagements.count + 1
      WHERE engagements.count < ${READERS_MAX}
    RETURNING count),
  told AS (
    UPDATE notification_callbacks SET look_at = $6::timestamptz
    FROM engagement WHERE id = $2::text AND organization_id = $1::text AND tracked AND engagement.count = 1)
  SELECT count FROM engagement`;
