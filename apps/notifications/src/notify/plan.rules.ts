// Pure checks of a send's times and subject.
import type { FieldProblem } from '@parley/envelopes';
import { firstGraphemes } from '../channels/chat-formats.rules.ts';

/** `send_at` lies at most this far ahead. */
export const SEND_AT_MAX_MS = 30 * 24 * 60 * 60_000;
/** Length of the subject taken from the message when none was given. */
export const DEFAULT_SUBJECT_CHARS = 80;

interface Times {
  readonly send_at?: Date | undefined;
  readonly expires_at?: Date | undefined;
}

/** Returns the problems of `send_at` and `expires_at`. */
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

/** Null for a send that goes out at once, which includes times in the past. */
export function scheduledFor(sendAt: Date | undefined, nowMs: number): Date | null {
  return sendAt && sendAt.getTime() > nowMs ? sendAt : null;
}

/** A blank subject counts as absent: mail needs one. */
export function chooseSubject(
  given: string | undefined,
  message: string,
): { subject: string; subjectGiven: boolean } {
  if (given !== undefined && given.trim() !== '') return { subject: given, subjectGiven: true };
  return { subject: firstGraphemes(message, DEFAULT_SUBJECT_CHARS), subjectGiven: false };
}
