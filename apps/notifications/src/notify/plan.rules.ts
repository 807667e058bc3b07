// What can be said of a send without asking anybody: its times, its subject. Pure; `nowMs` comes in.
import type { FieldProblem } from '@parley/envelopes';
import { firstGraphemes } from '../channels/chat-formats.rules.ts';

/** docs/notifications.md#sending. A plan for later than this belongs into the caller's calendar. */
export const SEND_AT_MAX_MS = 30 * 24 * 60 * 60_000;
/** What stands in for a subject that was not given. */
export const DEFAULT_SUBJECT_CHARS = 80;

interface Times {
  readonly send_at?: Date | undefined;
  readonly expires_at?: Date | undefined;
}

/** What is wrong with when it is to be sent. */
export function timeProblems(
  { send_at: sendAt, expires_at: expiresAt }: Times,
  nowMs: number,
): FieldProblem[] {
  const problems: FieldProblem[] = [];
  if (sendAt && sendAt.getTime() > nowMs + SEND_AT_MAX_MS)
    problems.push({ path: '/send_at', message: 'must be at most 30 days ahead' });
  if (expiresAt && expiresAt.getTime() <= nowMs)
    problems.push({ path: '/expires_at', message: 'must be in the future' });
  else if (expiresAt && sendAt && expiresAt <= sendAt)
    problems.push({ path: '/expires_at', message: 'must be after send_at' });
  return problems;
}

/** The moment of a send that is scheduled; null for one that goes out at once, which a time in the past asks for too. */
export function scheduledFor(sendAt: Date | undefined, nowMs: number): Date | null {
  return sendAt && sendAt.getTime() > nowMs ? sendAt : null;
}

/** The subject to store, and whether the caller gave it. A blank one is none: mail is refused without a subject. */
export function subjectOf(
  given: string | undefined,
  message: string,
): { subject: string; subjectGiven: boolean } {
  if (given !== undefined && given.trim() !== '') return { subject: given, subjectGiven: true };
  return { subject: firstGraphemes(message, DEFAULT_SUBJECT_CHARS), subjectGiven: false };
}
