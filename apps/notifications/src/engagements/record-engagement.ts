// Records engagements: each reader once, up to a maximum number of readers.
import { createHash } from 'node:crypto';
import type { ChannelName } from '@parley/jobs';
import type { BaseDeps } from '../base-deps.ts';
import type { TrackedNotification } from './tracking-token.ts';

export const ENGAGEMENT_EVENTS = ['opened', 'clicked', 'dismissed'] as const;
export type EngagementEvent = (typeof ENGAGEMENT_EVENTS)[number];

/** Distinct readers of a channel and event: everybody who was sent a token knows it. */
export const READERS_MAX = 10_000;

export interface Engagement extends TrackedNotification {
  readonly channel: ChannelName;
  readonly event: EngagementEvent;
  /** SHA-256 of the reader, if several are possible. Absent: the single receiver, or unknown. */
  readonly reader?: Buffer | undefined;
}

/** Idempotent. Ignores deleted notifications and channels that the notification does not have. */
export async function recordEngagement(
  { sql, clock, count }: Pick<BaseDeps, 'sql' | 'clock' | 'count'>,
  { organizationId, notificationId, channel, event, reader = Buffer.alloc(0) }: Engagement,
): Promise<void> {
  const now = new Date(clock());
  const [recorded] = await sql(RECORD, [organizationId, notificationId, channel, event, reader, now]);
  if (recorded) count.engaged(channel, event);
}

/** The reader hash of a user, for inbox items that may be for all users. */
export function hashUser(userId: string): Buffer {
  return createHash('sha256').update(userId).digest();
}

/** `hash`: SHA-256 of the endpoint in hexadecimal. Only registered devices count. */
export async function findDeviceReader(
  { sql }: Pick<BaseDeps, 'sql'>,
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

/** An existing reader stops it, even one being written now. The first event marks the callback. */
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
  callback AS (
    UPDATE notification_callbacks SET look_at = $6::timestamptz
    FROM engagement WHERE id = $2::text AND organization_id = $1::text AND tracked AND engagement.count = 1)
  SELECT count FROM engagement`;
