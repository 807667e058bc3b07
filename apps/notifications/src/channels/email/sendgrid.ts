// SendGrid through its own client, one client per attempt with the organisation's key. Errors of
// its HTTP client contain the request with the key, so they never leave this module.
import http from 'node:http';
import https from 'node:https';
import sharedClient from '@sendgrid/client';
import sharedService from '@sendgrid/mail';
import type { Secret } from '@parley/server/runtime';
import { isRetryStatus } from '../../outcomes/retry-schedule.rules.ts';
import { mailTimeoutMs } from '../../config/email.ts';
import type { MailDeps, MailProvider, MailResult } from './mail-provider.ts';
import { literalSubject } from './literal-subject.ts';
import type { Mailbox } from '../../addresses/mailbox.rules.ts';
import type { Attachment, Mail } from './mail.rules.ts';
import { classifyFailure } from './network-failure.ts';

// The packages export shared instances only, whose key would apply to every organisation.
const Client = sharedClient.constructor as new () => typeof sharedClient;
const MailService = sharedService.constructor as new () => typeof sharedService;
type MailData = Exclude<Parameters<typeof sharedService.send>[0], readonly unknown[]>;

/** SendGrid's answers are empty or a few lines of error. */
const ANSWER_BYTES_MAX = 64 * 1024;
/** Every key has this prefix. Anything else is a misconfiguration and is not sent. */
const KEY_PREFIX = 'SG.';
/** Part of SendGrid's reason that goes to the operator's log. */
const REASON_CHARACTERS_MAX = 300;

export const sendgrid: MailProvider = {
  name: 'sendgrid',
  secret: 'sendgrid_api_key',
  available: () => true,
  preview: async (mail) => {
    let body: unknown;
    const recorder = new MailService();
    recorder.setClient({
      request: async (request: { body?: unknown }) => void (body = request.body),
    });
    await recorder.send(toMailData(mail));
    return body;
  },
  send: async (deps, organizationId, mail, signal) => {
    const result = await deps.settings.use(
      organizationId,
      'sendgrid_api_key',
      (key) => attempt(deps, key, mail, signal),
      (one) => one.kind === 'unusable' && (one.httpStatus === 401 || one.httpStatus === 403),
    );
    return result ?? unusable('unconfigured', 'The organisation has no sendgrid_api_key.');
  },
};

async function attempt(deps: MailDeps, key: Secret, mail: Mail, signal: AbortSignal): Promise<MailResult> {
  const apiKey = key.reveal().trim();
  if (!apiKey.startsWith(KEY_PREFIX)) {
    return unusable(
      'unusable_secret',
      `The sendgrid_api_key of the organisation does not begin with ${KEY_PREFIX}`,
    );
  }
  const baseUrl = deps.config.SENDGRID_BASE_URL;
  const timeoutMs = mailTimeoutMs(deps.config);
  const client = new Client();
  client.setApiKey(apiKey);
  // Set the address after the key, which resets it. The types omit most HTTP options.
  client.setDefaultRequest({
    baseUrl,
    timeout: timeoutMs,
    // `timeout` alone restarts with every byte
    signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
    maxRedirects: 0, // never forward the key
    maxContentLength: ANSWER_BYTES_MAX,
    proxy: false,
    httpAgent: agents.http,
    httpsAgent: agents.https,
  } as unknown as Parameters<typeof client.setDefaultRequest>[0]);
  const service = new MailService();
  service.setClient(client);
  try {
    const [response] = await service.send(toMailData(mail));
    const messageId = readMessageId(response.headers);
    return { kind: 'accepted', httpStatus: response.statusCode, messageId };
  } catch (error) {
    return toMailResult(deps, error, apiKey, mail);
  }
}

/** Its events begin with it in `sg_message_id`. */
function readMessageId(headers: unknown): string | undefined {
  const id = (headers as Record<string, unknown> | undefined)?.['x-message-id'];
  return typeof id === 'string' && id.length <= MESSAGE_ID_CHARACTERS_MAX ? id : undefined;
}

const MESSAGE_ID_CHARACTERS_MAX = 255;

/** A handshake costs more than a mail. Closes idle connections before servers do. */
const IDLE_CONNECTION_MS = 4_000;
const agents = {
  http: new http.Agent({ keepAlive: true, timeout: IDLE_CONNECTION_MS }),
  https: new https.Agent({ keepAlive: true, timeout: IDLE_CONNECTION_MS }),
};

function toMailData(mail: Mail): MailData {
  return {
    to: toEmail(mail.to),
    ...(mail.cc.length > 0 ? { cc: mail.cc.map(toEmail) } : {}),
    ...(mail.bcc.length > 0 ? { bcc: mail.bcc.map(toEmail) } : {}),
    from: toEmail(mail.from),
    ...(mail.replyTo ? { replyTo: toEmail(mail.replyTo) } : {}),
    subject: literalSubject(mail.subject),
    text: mail.text,
    ...(mail.html === undefined ? {} : { html: mail.html }),
    ...(mail.attachments.length > 0 ? { attachments: mail.attachments.map(toAttachment) } : {}),
    customArgs: { notification_id: mail.notificationId },
    headers: { ...mail.headers },
  };
}

function toAttachment({ filename, type, contentId, content }: Attachment) {
  return {
    filename,
    content: content.toString('base64'),
    ...(type === undefined ? {} : { type }),
    // the client does not convert member names
    ...(contentId === undefined ? {} : { content_id: contentId, disposition: 'inline' }),
  };
}

function toEmail({ name, address }: Mailbox) {
  return name === undefined ? { email: address } : { email: address, name };
}

/** An error of SendGrid's client or of axios. */
interface ClientError {
  /** A status, or a system error code. */
  readonly code?: number | string;
  readonly response?: { readonly status?: number; readonly headers?: unknown; readonly body?: unknown };
  readonly request?: { readonly writableFinished?: boolean };
}

function toMailResult(deps: MailDeps, thrown: unknown, apiKey: string, mail: Mail): MailResult {
  const error = thrown as ClientError;
  const status = typeof error.code === 'number' ? error.code : error.response?.status;
  if (status === undefined) {
    const failure = classifyFailure(error);
    // All bytes were sent, and the result is unknown.
    if (failure.errorClass === 'timeout' && error.request?.writableFinished === true)
      return { kind: 'ambiguous', ...failure };
    return { kind: 'unusable', again: true, ...failure };
  }
  const message = `SendGrid answered ${status}.`;
  const facts = { errorClass: 'http_status', message, httpStatus: status };
  deps.log.warn(
    {
      notification_id: mail.notificationId,
      http_status: status,
      reason: extractReason(error.response?.body, apiKey),
    },
    'email.sendgrid_refused',
  );
  if (isRetryStatus(status)) {
    return {
      kind: 'unusable',
      again: true,
      ...facts,
      retryAfterMs: retryAfterMs(error.response?.headers, deps.clock()),
    };
  }
  // The account or its configuration is at fault, not the mail.
  if (status < 400 || [401, 403, 404, 405].includes(status))
    return { kind: 'unusable', again: false, ...facts };
  return { kind: 'refused', status: 'failed', ...facts };
}

/** `Retry-After` (seconds or a date), else `X-RateLimit-Reset` (epoch seconds). */
function retryAfterMs(headers: unknown, nowMs: number): number | undefined {
  const header = (name: string) => (headers as Record<string, unknown> | undefined)?.[name];
  const after = header('retry-after');
  const reset = header('x-ratelimit-reset');
  if (typeof after === 'string') {
    const untilMs = /^\d+$/.test(after) ? nowMs + Number(after) * 1000 : Date.parse(after);
    if (Number.isFinite(untilMs)) return Math.max(0, untilMs - nowMs);
  }
  return typeof reset === 'string' && /^\d+$/.test(reset)
    ? Math.max(0, Number(reset) * 1000 - nowMs)
    : undefined;
}

/** Only field and message of SendGrid's error document, for the operator's log. */
function extractReason(body: unknown, apiKey: string): string | undefined {
  const { errors } = (body ?? {}) as { errors?: { message?: unknown; field?: unknown }[] };
  if (!Array.isArray(errors)) return undefined;
  const text = errors.map(({ field, message }) => [field, message].filter(Boolean).join(': ')).join('; ');
  return text.replaceAll(apiKey, '[secret]').slice(0, REASON_CHARACTERS_MAX);
}

function unusable(errorClass: string, message: string): MailResult {
  return { kind: 'unusable', again: false, errorClass, message };
}
