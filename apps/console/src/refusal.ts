// Errors of the console itself. Their codes distinguish them from errors of the services.
import type { Response } from 'express';

const STATUS_OF = {
  invalid_request: 400,
  not_signed_in: 401,
  key_refused: 401,
  link_used: 401,
  other_site: 403,
  nothing_here: 404,
  service_absent: 404,
  wrong_method: 405,
  body_too_slow: 408,
  too_large: 413,
  wrong_type: 415,
  too_many: 429,
  service_unreachable: 502,
  provider_unreachable: 503,
  sessions_unavailable: 503,
  too_slow: 504,
} as const;

export type Refused = keyof typeof STATUS_OF;

export function refuse(response: Response, code: Refused, error: string): void {
  response.status(STATUS_OF[code]).json({ error, code });
}
