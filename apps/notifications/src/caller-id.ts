// Ids that callers choose, such as those of users and sites. Part of the wire schemas of the channels, the inbox and web push.
import { z } from 'zod';

/** Printable, and short enough for an index. */
export const callerId = z
  .string()
  .regex(/^\P{Cc}{1,255}$/u, 'must be 1 to 255 characters without control characters');
