// The error when a fair queue has no place.
import { AppError } from '@parley/envelopes';
import type { NoPlace } from '@parley/server/runtime';

export const SOON = { headers: { 'retry-after': '2' } };

/** @param waiting what waits there, in the plural */
export function toNoPlaceError({ reason }: NoPlace, waiting: string): AppError {
  if (reason === 'too_many_of_one')
    return new AppError('concurrency_limited', `too many ${waiting} of the organisation wait`, SOON);
  const why = reason === 'too_many' ? `too many ${waiting} wait` : `other ${waiting} took too long`;
  return new AppError('unavailable', why, SOON);
}
