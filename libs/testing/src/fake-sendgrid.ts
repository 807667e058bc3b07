// SendGrid for tests: its v3 mail/send over HTTP on this machine, with scripted answers.
import type { ReceivedRequest, Receiver } from './receiver.ts';
import { receiver } from './receiver.ts';

/** The part of a mail/send that tests read. */
export type SendGridMail = {
  personalizations: { to: { email: string }[]; custom_args?: Record<string, string> }[];
  from: { email: string; name?: string };
  reply_to?: { email: string; name?: string };
  subject: string;
  content: { type: string; value: string }[];
  custom_args?: Record<string, string>;
  headers?: Record<string, string>;
};

/**
 * The reaction to one mail: a status with SendGrid's usual body; a whole answer; `hang`: never
 * answers; `reset`: closes the connection after the request.
 */
export type SendGridAnswer =
  number | 'hang' | 'reset' | { status: number; headers?: Record<string, string>; body?: string | object };

export type FakeSendGrid = {
  /** For SENDGRID_BASE_URL. */
  url: string;
  /** Accepted mails, oldest first. */
  mails: SendGridMail[];
  /** Every request, including refused ones. */
  requests: ReceivedRequest[];
  /**
   * Answers of the next mails, one each, in this order; then every mail is accepted again. A
   * function is called when its mail arrives.
   */
  script(...answers: (SendGridAnswer | (() => SendGridAnswer))[]): void;
  /** Waits until at least `count` requests arrived. */
  received: Receiver['received'];
  close(): Promise<void>;
};

/** https://www.twilio.com/docs/sendgrid/api-reference/how-to-use-the-sendgrid-v3-api/rate-limits */
const MESSAGES: Readonly<Record<number, string>> = {
  401: 'The provided authorization grant is invalid',
  429: 'too many requests',
};
/** Prefix of the keys that SendGrid accepts; others, and none, get 401. */
const BEARER = /^Bearer SG\.\S+$/;
const REQUIRED = ['personalizations', 'from', 'subject', 'content'] as const;

/** Starts a SendGrid on a free loopback port. `key`: the only one that it accepts. */
export async function fakeSendGrid(options: { port?: number; key?: string } = {}): Promise<FakeSendGrid> {
  const scripted: (SendGridAnswer | (() => SendGridAnswer))[] = [];
  const mails: SendGridMail[] = [];
  const outside = await receiver({
    ...(options.port === undefined ? {} : { port: options.port }),
    fallback: (request) => {
      const next = findRefusal(request, options.key) ?? scripted.shift() ?? 202;
      const answer = typeof next === 'function' ? next() : next;
      if (typeof answer === 'string') return answer;
      const { status, headers = {}, body } = typeof answer === 'number' ? { status: answer } : answer;
      if (status === 202) mails.push(JSON.parse(request.body.toString()) as SendGridMail);
      return {
        status,
        headers: status === 202 ? { 'x-message-id': `fake-${mails.length}`, ...headers } : headers,
        body: body ?? (status === 202 ? '' : errorsOf(status)),
      };
    },
  });
  return {
    url: outside.url,
    mails,
    requests: outside.requests,
    script: (...answers) => void scripted.push(...answers),
    received: outside.received,
    close: outside.close,
  };
}

/** What SendGrid checks before it looks at anything else. */
function findRefusal(request: ReceivedRequest, key: string | undefined): SendGridAnswer | undefined {
  const { authorization = '' } = request.headers;
  if (request.method !== 'POST' || request.path !== '/v3/mail/send') return 404;
  if (key === undefined ? !BEARER.test(authorization) : authorization !== `Bearer ${key}`) return 401;
  const mail = JSON.parse(request.body.toString()) as Record<string, unknown>;
  const missing = REQUIRED.find((member) => mail[member] === undefined);
  return missing
    ? { status: 400, body: errorBody(`The ${missing} member is required.`, missing) }
    : undefined;
}

function errorsOf(status: number): object {
  return errorBody(MESSAGES[status] ?? `answered ${status} by script`);
}

function errorBody(message: string, field: string | null = null): object {
  return { errors: [{ message, field, help: null }] };
}
