// Mailgun, Postmark and Resend for tests: their send APIs over HTTP on this machine, with the
// refusals that they document.
// https://documentation.mailgun.com/docs/mailgun/api-reference/send/mailgun/messages
// https://postmarkapp.com/developer/api/email-api and …/api/overview#error-codes
// https://resend.com/docs/api-reference/emails/send-email and …/api-reference/errors
import { receiver, type Answer, type ReceivedRequest, type Receiver } from './receiver.ts';

export type FakeMailApis = Pick<Receiver, 'url' | 'requests' | 'script' | 'received' | 'close'> & {
  /** Mails that were accepted, oldest first: bodies of Postmark and Resend, forms of Mailgun. */
  mails: { provider: string; body: Readonly<Record<string, unknown>> }[];
};

/** Keys that the APIs accept. */
export const MAIL_API_KEYS = {
  mailgun: 'key-mailgun-1f2e3d',
  postmark: '5f2c74d0-canary-postmark',
  resend: 're_canary_9a8b7c',
} as const;

type Api = {
  /** Wrong or no key. */
  unauthorized(request: ReceivedRequest): Answer | undefined;
  read(request: ReceivedRequest): Record<string, unknown>;
  /** Documented refusals of a mail. */
  refuse(mail: Readonly<Record<string, unknown>>): Answer | undefined;
  accept(id: number): Answer;
};

const json = ({ body }: ReceivedRequest) => JSON.parse(body.toString()) as Record<string, unknown>;
const postmarkError = (status: number, ErrorCode: number, Message: string): Answer => ({
  status,
  body: { ErrorCode, Message },
});
const resendError = (statusCode: number, name: string, message: string) => ({
  status: statusCode,
  body: { statusCode, name, message },
});
/** Answers to senders that are too fast. Mailgun and Postmark publish the status alone. */
export const MAIL_RATE_LIMITS: Readonly<Record<keyof typeof MAIL_API_KEYS, Answer>> = {
  mailgun: 429,
  postmark: 429,
  // https://resend.com/docs/api-reference/errors and …/api-reference/rate-limit#response-headers
  resend: {
    headers: {
      'ratelimit-limit': '2',
      'ratelimit-remaining': '0',
      'ratelimit-reset': '0',
      'retry-after': '0',
    },
    ...resendError(
      429,
      'rate_limit_exceeded',
      'Too many requests. Please limit the number of requests per second. Or contact support to increase rate limit.',
    ),
  },
};

/** Sender domains that the accounts have verified. */
const isVerified = (from: unknown) => String(from).includes('@acme.example');

const APIS: Readonly<Record<string, Api>> = {
  mailgun: {
    unauthorized: ({ headers }) =>
      headers.authorization === `Basic ${Buffer.from(`api:${MAIL_API_KEYS.mailgun}`).toString('base64')}`
        ? undefined
        : { status: 401, body: 'Forbidden' },
    read: ({ body, headers }) => {
      const parts = body.toString('utf8').split(`--${headers['content-type']?.split('boundary=')[1]}`);
      const find = (name: string) =>
        parts.find((part) => part.includes(`name="${name}"`))?.replace(/^[^]*?\r\n\r\n|\r\n$/g, '');
      return { to: find('to'), notification_id: find('v:notification_id'), message: find('message') };
    },
    refuse: ({ to, message }) =>
      to === undefined || message === undefined
        ? { status: 400, body: { message: 'to parameter is missing' } }
        : undefined,
    accept: (id) => ({
      status: 200,
      body: { id: `<20261127.${id}@acme.example>`, message: 'Queued. Thank you.' },
    }),
  },
  postmark: {
    unauthorized: ({ headers }) =>
      headers['x-postmark-server-token'] === MAIL_API_KEYS.postmark
        ? undefined
        : postmarkError(
            401,
            10,
            'The Server Token you provided in the X-Postmark-Server-Token request header was invalid.',
          ),
    read: json,
    refuse: (mail) => {
      if (!mail['TextBody'] && !mail['HtmlBody'])
        return postmarkError(422, 300, 'Provide either email TextBody or HtmlBody or both.');
      if (!isVerified(mail['From'])) return postmarkError(422, 400, 'Sender signature not found.');
      return String(mail['To']).startsWith('inactive@')
        ? postmarkError(422, 406, 'You tried to send to a recipient that has been marked as inactive.')
        : undefined;
    },
    accept: (id) => ({
      status: 200,
      body: {
        To: 'ann@customer.example',
        SubmittedAt: '2026-11-27T10:00:00.0000000-05:00',
        MessageID: `0a129aee-e1cd-480d-b08d-${id}`,
        ErrorCode: 0,
        Message: 'OK',
      },
    }),
  },
  resend: {
    unauthorized: ({ headers }) => {
      if (headers.authorization === undefined)
        return resendError(401, 'missing_api_key', 'Missing API key in the authorization header.');
      return headers.authorization === `Bearer ${MAIL_API_KEYS.resend}`
        ? undefined
        : resendError(403, 'invalid_api_key', 'API key is invalid.');
    },
    read: json,
    refuse: (mail) => {
      if (!isVerified(mail['from']))
        return resendError(403, 'validation_error', 'The domain is not verified.');
      return Array.isArray(mail['to']) && mail['to'].length > 0
        ? undefined
        : resendError(
            422,
            'missing_required_field',
            'The request body is missing one or more required fields.',
          );
    },
    accept: (id) => ({ status: 200, body: { id: `49a3999c-0ce1-4ea6-ab68-${id}` } }),
  },
};

const PATHS: readonly (readonly [RegExp, string])[] = [
  [/^\/v3\/[^/]+\/messages\.mime$/, 'mailgun'],
  [/^\/email$/, 'postmark'],
  [/^\/emails$/, 'resend'],
];

/** Starts the three APIs at one address. Scripted answers come first. */
export async function fakeMailApis(): Promise<FakeMailApis> {
  const mails: FakeMailApis['mails'] = [];
  const scripted: Answer[] = [];
  const outside = await receiver({
    fallback: (request) => {
      const provider = PATHS.find(([path]) => path.test(request.path))?.[1];
      const api = provider === undefined ? undefined : APIS[provider];
      if (provider === undefined || !api) return 404;
      const refused = api.unauthorized(request);
      if (refused !== undefined) return refused;
      const next = scripted.shift();
      if (next !== undefined) return next;
      const body = api.read(request);
      const refusal = api.refuse(body);
      if (refusal !== undefined) return refusal;
      mails.push({ provider, body });
      return api.accept(mails.length);
    },
  });
  const { url, requests, received, close } = outside;
  return { url, requests, received, close, mails, script: (...answers) => void scripted.push(...answers) };
}
