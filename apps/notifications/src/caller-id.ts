// Ids that callers choose, such as those of users and sites. Part of the wire schemas of the channels, the inbox and web push.
import { z } from 'zod';
import { pathId } from '@parley/envelopes';

/** An id that a request may create or write to. */
export const callerId = pathId();

/** An id that a request reads or deletes, or that never stands in a path: it may be older than the rules of `callerId`. */
export const storedId = z
  .string()
  .regex(/^\P{Cc}{1,255}$/u, 'must be 1 to 255 characters without control characters');
