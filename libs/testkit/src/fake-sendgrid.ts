// SendGrid for tests: its v3 mail/send over HTTP on this machine, answering by script.
import type { ReceivedRequest, Receiver } from './receiver.ts';
import { receiver } from './receiver.ts';

/** What a mail/send holds, as far as tests look at it. */
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
 * What becomes of one mail: a status with SendGrid's usual words for it; a whole answer; `hang`: never answers; `reset`: breaks
 * the connection off when it has everything.
 */
export type SendGridAnswer =
  number | 'hang' | 'reset' | { status: number; headers?: Record<string, string>; body?: string | object };

export type FakeSendGrid = {
  /** What SENDGRID_BASE_URL names. */
  url: string;
  /** Mails that it took, oldest first. */
  mails: SendGridMail[];
  /** Every request, refused ones among them. */
  requests: ReceivedRequest[];
  /**
   * The next mails get these answers, one each, in this order; after them every mail is taken again. A function is called when its
   * mail comes.
   */
  script(...answers: (SendGridAnswer | (() => SendGridAnswer))[]): void;
  /** Waits until at least `count` requests came in. */
  received: Receiver['received'];
  close(): Promise<void>;
};

/** The keys that the real one accepts begin so; others get 401, as does a request without one. */
const BEARER = /^Bearer SG\.\S+$/;
const REQUIRED = ['personalizations', 'from', 'subject', 'content'] as const;

/** Starts a SendGrid on a free loopback port. `key`: the only one that it accepts. */
export async function fakeSendGrid(options: { port?: number; key?: string } = {}): Promise<FakeSendGrid> {
  const scripted: (SendGridAnswer | (() => SendGridAnswer))[] = [];
  const mails: SendGridMail[] = [];
  const outside = await receiver({
    ...(options.port === undefined ? {} : { port: options.port }),
    fallback: (request) => {
      const next = refusalOf(request, options.key) ?? scripted.shift() ?? 202;
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
function refusalOf(request: ReceivedRequest, key: string | undefined): SendGridAnswer | undefined {
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
  return errorBody(
    status === 401 ? 'The provided authorization grant is invalid' : `answered ${status} by script`,
  );
}

function errorBody(message: string, field: string | null = null): object {
  return { errors: [{ message, field, help: null }] };
}
