// When the reaper ends a conversation whose end was not reported
// (docs/voice-api.md#settling-and-the-reaper). Pure.
import type { Conversation } from '../conversation-model/conversation.ts';

/** How late the end event may be before the reaper ends the conversation. */
export const REAP_GRACE_MS = 5 * 60_000;
/** For bots that do not exist here; also the default of new bots (docs/voice-api.md#bots). */
export const MAX_DURATION_SECONDS = 1_800;

/**
 * When the sweeper must look at an open conversation. Counts from its first report if that is later
 * than its start, so that delayed events find it open.
 */
export function reapAt(
  { createdAt, startedAt }: Pick<Conversation, 'createdAt' | 'startedAt'>,
  maxDurationSeconds: number,
  nowMs: number,
): number {
  return Math.max(createdAt, Math.min(startedAt ?? 0, nowMs)) + maxDurationSeconds * 1000 + REAP_GRACE_MS;
}
