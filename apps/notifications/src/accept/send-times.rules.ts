// Pure checks of a send's times.
import type { FieldProblem } from '@parley/envelopes';

/** `send_at` lies at most this far ahead. */
export const SEND_AT_MAX_MS = 30 * 24 * 60 * 60_000;

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
