// Headers of mail that a send or a template may set.
import { z } from 'zod';
import { members } from '@parley/envelopes';

/** Of one mail. */
const HEADERS_MAX = 20;
const HEADER_CHARS_MAX = 500;
/**
 * Headers without a meaning for delivery, authentication or Parley itself. `X-` except those by
 * which providers and Parley take orders.
 */
const HEADER_NAMES =
  /^(x-(?!notification-id$|ses-|pm-|mailgun-|smtpapi$|sg-|resend-|google-|ms-|gm-)[a-z0-9-]{1,60}|auto-submitted|comments|content-language|feedback-id|importance|keywords|list-archive|list-help|list-id|list-owner|organization|precedence|priority|sensitivity)$/i;

export const mailHeaders = members(
  HEADERS_MAX,
  z.string().regex(HEADER_NAMES, 'is not a header that a send may set'),
  z
    .string()
    .max(HEADER_CHARS_MAX)
    // A control character would begin another header, and not every provider encodes other letters.
    .regex(/^[!-~](?:[ -~]*[!-~])?$/, 'must be printable ASCII without blanks around it'),
)
  .refine(
    (given) =>
      new Set(Object.keys(given).map((name) => name.toLowerCase())).size === Object.keys(given).length,
    'must name each header once, in any case of letters',
  )
  .describe('Further headers: `X-…`, `Feedback-ID`, `List-Id`, `Importance`, `Auto-Submitted` and the like');

/** Members of `own` replace those of `common`, in any case of letters. */
export function mergeHeaders(
  common: Readonly<Record<string, string>> = {},
  own: Readonly<Record<string, string>> = {},
): Record<string, string> {
  const names = new Set(Object.keys(own).map((name) => name.toLowerCase()));
  const rest = Object.entries(common).filter(([name]) => !names.has(name.toLowerCase()));
  return { ...Object.fromEntries(rest), ...own };
}
