// Mail providers with an HTTP API: one POST for a mail. A provider is a row that builds the request
// and reads the answer. What a failure means is the same for all where a row does not know better.
import type { Outcome as Answer } from '@parley/outbound';
import type { Config } from '../../config.ts';
import { mailTimeoutMs } from '../../config/email.ts';
import { isRetryable } from '../../outcomes/retry-schedule.rules.ts';
import type { MailDeps, MailProvider, MailResult } from './mail-provider.ts';
import type { Mail } from './mail.rules.ts';

export interface MailRequest {
  /** After the provider's address. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Buffer;
}

/** Whose fault a refusal is: `account` goes to the next provider, `address` is a bounce. */
type Fault = 'account' | 'address' | 'later' | 'mail' | 'unclear';

export interface HttpMailApi {
  readonly name: 'mailgun' | 'postmark' | 'resend';
  /** For sentences. */
  readonly title: string;
  readonly secret: 'mailgun_api_key' | 'postmark_server_token' | 'resend_api_key';
  readonly baseUrl: (config: Config) => string;
  /** What the request says, for previews. */
  readonly describe: (mail: Mail) => unknown;
  readonly request: (mail: Mail, key: string, domain: string | undefined) => Promise<MailRequest>;
  /** The member of the answer with the provider's message id. */
  readonly idMember: string;
  /** The provider recognises a repetition, so a time-out is retried. */
  readonly isIdempotent?: true;
  /** Undefined: by the status. `answer`: the JSON document, or empty. */
  readonly judge?: (status: number, answer: Readonly<Record<string, unknown>>) => Fault | undefined;
}

/** Part of a provider's reason that goes to the operator's log. */
const REASON_CHARACTERS_MAX = 300;
const MESSAGE_ID_CHARACTERS_MAX = 255;
/** Wrong key, unknown domain or path, wrong address of the provider. */
const ACCOUNT_STATUSES: ReadonlySet<number> = new Set([401, 402, 403, 404, 405]);

export function httpProvider(api: HttpMailApi): MailProvider {
  return {
    name: api.name,
    secret: api.secret,
    available: () => true,
    preview: (mail) => Promise.resolve(api.describe(mail)),
    send: async (deps, organizationId, mail) => {
      const domain = await deps.settings.get(organizationId, 'mailgun_domain');
      const result = await deps.settings.use(
        organizationId,
        api.secret,
        async (secret) => {
          const key = secret.reveal().trim();
          const { path, headers, body } = await api.request(mail, key, domain);
          const url = `${api.baseUrl(deps.config).replace(/\/$/, '')}${path}`;
          const timeoutMs = mailTimeoutMs(deps.config);
          const answer = await deps.outbound.deliver({ url, headers, body, timeoutMs });
          logRefusal(deps, api, mail, answer, key);
          return toMailResult(api, answer);
        },
        (one) => one.kind === 'unusable' && (one.httpStatus === 401 || one.httpStatus === 403),
      );
      return (
        result ?? {
          kind: 'unusable',
          again: false,
          errorClass: 'unconfigured',
          message: `The organisation has no ${api.secret}.`,
        }
      );
    },
  };
}

function toMailResult(api: HttpMailApi, answer: Answer): MailResult {
  const document = parseDocument(answer.body);
  if (answer.ok) {
    const id = document[api.idMember];
    const messageId = typeof id === 'string' ? trimId(id) : undefined;
    return { kind: 'accepted', httpStatus: answer.status, messageId };
  }
  const { errorClass, status, retryAfterMs } = answer;
  const message = status === undefined ? answer.message : `${api.title} answered ${status}.`;
  const facts = { errorClass, message, httpStatus: status };
  switch (findFault(api, answer, document)) {
    case 'later':
      return { kind: 'unusable', again: true, retryAfterMs, ...facts };
    case 'account':
      return { kind: 'unusable', again: false, ...facts };
    case 'address':
      return { kind: 'refused', status: 'bounced', ...facts, errorClass: 'recipient_refused' };
    case 'mail':
      return { kind: 'refused', status: 'failed', ...facts };
    case 'unclear':
      return { kind: 'ambiguous', ...facts };
  }
}

function findFault(
  api: HttpMailApi,
  { errorClass, status }: Answer & { ok: false },
  document: Readonly<Record<string, unknown>>,
): Fault {
  // The provider may have the mail, whose bytes may all have been sent.
  if (errorClass === 'timeout') return api.isIdempotent ? 'later' : 'unclear';
  if (errorClass === 'blocked_address' || errorClass === 'invalid_request') return 'account';
  const judged = status === undefined ? undefined : api.judge?.(status, document);
  if (judged) return judged;
  if (isRetryable(errorClass, status)) return 'later';
  return status === undefined || status < 400 || ACCOUNT_STATUSES.has(status) ? 'account' : 'mail';
}

function parseDocument(body: string | undefined): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(body ?? '');
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}

/** Without the angle brackets of a Message-ID, which events omit. */
function trimId(id: string): string | undefined {
  const bare = id.replace(/^<(.*)>$/, '$1');
  return bare.length <= MESSAGE_ID_CHARACTERS_MAX ? bare : undefined;
}

function logRefusal(deps: MailDeps, api: HttpMailApi, mail: Mail, answer: Answer, key: string): void {
  if (answer.ok || answer.status === undefined) return;
  const reason = answer.body?.replaceAll(key, '[secret]').slice(0, REASON_CHARACTERS_MAX);
  const facts = {
    notification_id: mail.notificationId,
    provider: api.name,
    http_status: answer.status,
    reason,
  };
  deps.log.warn(facts, 'email.provider_refused');
}
