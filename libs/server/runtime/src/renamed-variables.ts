// Names that environment variables had in earlier releases, and the variables that replace them.
import type { Environment } from './config.ts';

/** `by`: processes that read this variable refuse the old name. `remedy`: what to do instead. */
interface Renamed {
  readonly by: string;
  readonly remedy: string;
}

const renamed = (by: string, form = ''): Renamed => ({ by, remedy: `set ${by}${form} instead` });
/** `by` only chooses the processes that refuse the name. */
const removed = (by: string, value: string): Renamed => ({
  by,
  remedy: `unset it; the value is now always ${value}`,
});
const setting = (key: string) => renamed('SETTING_DEFAULTS', `={"${key}":"…"}`);
const ofService = (by: string, service: string) => renamed(by, `=${service}=<address>,…`);
const WAITS = ', the waits after each failed attempt (5000,10000,…),';

export const RENAMED_VARIABLES: Readonly<Record<string, Renamed>> = {
  REDIS_URL: renamed('QUEUE_URL'),
  IDENTITY_KEYS_AGE_MAX_SECONDS: removed('IDENTITY_JWKS_URL', 'a day'),
  FLOW_STEPS_MAX: removed('TURN_DEADLINE', '200 node visits of a turn'),
  FLOW_PURGE_AFTER_DAYS: renamed('RETENTION_DAYS'),
  CLASSIFIER_MIN_CONFIDENCE: removed('CLASSIFIER_MODEL', '0.5'),
  WEBHOOK_RETRY_WAITS_MS: renamed('DELIVERY_RETRY_WAITS_MS'),
  WEBHOOK_TIMEOUT_MS: renamed('DELIVERY_TIMEOUT_MS'),
  DELIVERY_ATTEMPTS_MAX: renamed('DELIVERY_RETRY_WAITS_MS', WAITS),
  DELIVERY_RETRY_FIRST_MS: renamed('DELIVERY_RETRY_WAITS_MS', WAITS),
  DELIVERY_RETRY_LONGEST_MS: renamed('DELIVERY_RETRY_WAITS_MS', WAITS),
  DELIVERY_LEASE_MS: removed('INBOX_RETENTION_DAYS', '10 seconds'),
  DELIVERY_SWEEP_MS: removed('INBOX_RETENTION_DAYS', '5 seconds'),
  EMAIL_TIMEOUT_MS: renamed('DELIVERY_TIMEOUT_MS'),
  NOTIFICATIONS_KEPT_DAYS: renamed('RETENTION_DAYS'),
  INBOX_KEPT_DAYS: renamed('INBOX_RETENTION_DAYS'),
  INBOX_STREAMS_MAX: renamed('STREAMS_MAX'),
  INBOX_HEARTBEAT_MS: removed('STREAMS_MAX', '15 seconds'),
  STREAM_HEARTBEAT_MS: removed('STREAMS_MAX', '15 seconds'),
  NOTIFICATIONS_PUBLIC_URL: renamed('PUBLIC_URL'),
  CHAT_WEBHOOK_URL: setting('chat_webhook_url'),
  SENDGRID_API_KEY: setting('sendgrid_api_key'),
  SENDGRID_EVENT_KEY: setting('sendgrid_event_key'),
  SMTP_URL: setting('smtp_url'),
  EMAIL_FROM: setting('email_from'),
  EMAIL_REPLY_TO: setting('email_reply_to'),
  EMAIL_PROVIDERS: setting('email_providers'),
  CONSOLE_URL: renamed('PUBLIC_URL'),
  FLOW_BUILDER_URL: ofService('SERVICE_URLS', 'flow-builder'),
  VOICE_API_URL: ofService('SERVICE_URLS', 'voice-api'),
  NOTIFICATIONS_URL: ofService('SERVICE_URLS', 'notifications'),
  FLOW_BUILDER_QUEUES_URL: ofService('QUEUE_DASHBOARD_URLS', 'flow-builder'),
  VOICE_API_QUEUES_URL: ofService('QUEUE_DASHBOARD_URLS', 'voice-api'),
  NOTIFICATIONS_QUEUES_URL: ofService('QUEUE_DASHBOARD_URLS', 'notifications'),
};

/** A problem for each old name that is set, where a variable of `names` replaced it. */
export function refuseRenamedVariables(names: ReadonlySet<string>, env: Environment): string[] {
  return Object.entries(RENAMED_VARIABLES)
    .filter(([old, { by }]) => env[old] && names.has(by) && !names.has(old))
    .map(([old, { remedy }]) => `${old}: this variable is no longer read; ${remedy}`);
}
