// Variables of web push and the rules between them.
import { z } from 'zod';
import { flag, integer, secretReference } from '@parley/server/runtime';

export const pushEnv = {
  NOTIFICATIONS_WEB_PUSH_ENABLED: flag
    .prefault('false')
    .describe('Web push: the channel `web_push` and everything below `/v1/push`'),
  VAPID_KEYS: secretReference
    .optional()
    .describe(
      'VAPID private keys as `id:<base64url>`, separated by commas. New subscriptions use the first one. Required with web push',
    ),
  VAPID_SUBJECT: z
    .string()
    .optional()
    .describe('Contact address for push services, `mailto:` or `https:`. Required with web push'),
  PUSH_CHUNKS_AT_ONCE: integer(1, 64)
    .default(1)
    .describe(
      'Chunks of a broadcast that a worker process sends at once, each with 50 devices in flight. A killed worker repeats up to this many',
    ),
  PUSH_THREADS: integer(0, 64)
    .optional()
    .describe('Threads that encrypt broadcasts. Default: one per core, or none with a single core'),
} as const;

interface PushConfig {
  readonly NOTIFICATIONS_WEB_PUSH_ENABLED?: boolean;
  readonly VAPID_KEYS?: string | undefined;
  readonly VAPID_SUBJECT?: string | undefined;
}

/** The flag requires its keys. Used as `schema.superRefine(pushRules)`. */
export function pushRules(config: PushConfig, context: z.RefinementCtx): void {
  if (config.NOTIFICATIONS_WEB_PUSH_ENABLED !== true) return;
  const problem = (name: keyof PushConfig, message: string) =>
    context.addIssue({ code: 'custom', path: [name], message });
  const needed = 'is required with NOTIFICATIONS_WEB_PUSH_ENABLED=true; `parley vapid generate` prints one';
  if (config.VAPID_KEYS === undefined) problem('VAPID_KEYS', needed);
  if (config.VAPID_SUBJECT === undefined) problem('VAPID_SUBJECT', needed);
  else {
    const wrong = subjectProblem(config.VAPID_SUBJECT);
    if (wrong) problem('VAPID_SUBJECT', wrong);
  }
}

/** Hosts at which nobody can be reached (docs/notifications.md#push-services). */
const LOCAL_HOST = /(^|[.@])(localhost|local|invalid)\.?$/i;

/** As strict as the strictest push service (Apple: 403 BadJwtToken). */
export function subjectProblem(subject: string): string | undefined {
  const wrong = 'must be a mailto: address or an https: URL that push services can reach you at';
  if (/[\s<>"]/.test(subject) || !URL.canParse(subject)) return wrong;
  const { protocol, hostname, pathname } = new URL(subject);
  if (LOCAL_HOST.test(protocol === 'mailto:' ? pathname : hostname))
    return `${wrong}; Apple refuses hosts such as localhost, .local and .invalid (403 BadJwtToken)`;
  if (protocol === 'mailto:') return /^[^@]+@[^@]+\.[^@.]+$/.test(pathname) ? undefined : wrong;
  return protocol === 'https:' && hostname.includes('.') ? undefined : wrong;
}
