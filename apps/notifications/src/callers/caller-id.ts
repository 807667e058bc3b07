// Schemas of ids that callers choose, such as user and site ids.
import { z } from 'zod';
import { pathId } from '@parley/envelopes';

/** An id that a request may create or write to. */
export const callerId = pathId();

/** An id that a request does not create. It may be older than the rules of `callerId`. */
export const storedId = z
  .string()
  .regex(/^\P{Cc}{1,255}$/u, 'must be 1 to 255 characters without control characters');

export const categoryId = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/, 'must be 1 to 64 characters of A–Z, a–z, 0–9, ., _ and -');
