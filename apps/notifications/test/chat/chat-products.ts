// Incoming webhooks of five chat products on one local server, by the paths of their addresses:
// what each refuses, with the answer that it documents.
import { receiver, type Answer, type ReceivedRequest, type Receiver } from '@parley/testing';
import { z } from 'zod';

export const CHAT_PRODUCTS = ['slack', 'discord', 'teams', 'google_chat', 'mattermost'] as const;
export type ChatProduct = (typeof CHAT_PRODUCTS)[number];

interface ProductRow {
  /** Of an address that exists. Another one of the same form does not. */
  readonly path: string;
  readonly isMine: RegExp;
  readonly success: Answer;
  readonly unknown: Answer;
  refuse(body: unknown, json: string): Answer | undefined;
}

const error = (status: number, body: string | object): Answer => ({ status, body });
const text = z.looseObject({ text: z.string() });
const card = z.looseObject({
  attachments: z.tuple([z.looseObject({ content: z.looseObject({ type: z.literal('AdaptiveCard') }) })]),
});

const google = (code: number, status: string, message: string) =>
  error(code, { error: { code, status, message } });

const PRODUCTS: Readonly<Record<ChatProduct, ProductRow>> = {
  // docs.slack.dev/messaging/sending-messages-using-incoming-webhooks#handling_errors
  slack: {
    path: '/services/T0/B0/known',
    isMine: /^\/services\//,
    success: error(200, 'ok'),
    unknown: error(404, 'no_service'),
    refuse: (body) => {
      const given = text.safeParse(body).data;
      if (!given) return error(400, 'invalid_payload');
      if (given.text === '') return error(400, 'no_text');
      return given.text.length > 40_000 ? error(400, 'msg_too_long') : undefined;
    },
  },
  // docs.discord.com/developers/resources/webhook#execute-webhook, …/reference#error-messages
  discord: {
    path: '/api/webhooks/123/known',
    isMine: /^\/api\/webhooks\//,
    success: 204,
    unknown: error(404, { code: 10015, message: 'Unknown Webhook' }),
    refuse: (body) => {
      const { content } = z.looseObject({ content: z.string().optional() }).parse(body);
      if (!content) return error(400, { code: 50006, message: 'Cannot send an empty message' });
      const problem = { code: 'BASE_TYPE_MAX_LENGTH', message: 'Must be 2000 or fewer in length.' };
      const errors = { content: { _errors: [problem] } };
      const isLong = [...content].length > 2_000;
      return isLong ? error(400, { code: 50035, message: 'Invalid Form Body', errors }) : undefined;
    },
  },
  // github.com/MicrosoftDocs/msteams-docs/issues/11274: a fifth more than the bytes of the request
  teams: {
    path: '/workflows/ab/triggers/manual/paths/invoke?sig=known',
    isMine: /\/triggers\/manual\/paths\/invoke/,
    success: 202,
    unknown: error(401, { error: { code: 'DirectApiAuthorizationRequired' } }),
    refuse: (body, json) => {
      if (!card.safeParse(body).success) return error(400, { error: { code: 'BadRequest' } });
      const bytes = Math.round(Buffer.byteLength(JSON.stringify(json)) * 1.18);
      const message = `MessageSizeExceeded-Message properties size exceeded. Actual message properties size: ${bytes} bytes, whereas max allowed size is 28672 bytes`;
      return bytes > 28_672 ? error(400, { error: { code: 'BadRequest', message } }) : undefined;
    },
  },
  // developers.google.com/workspace/chat/api/reference/rest/v1/spaces.messages/create
  google_chat: {
    path: '/v1/spaces/AAA/messages?key=k&token=known',
    isMine: /^\/v1\/spaces\//,
    success: error(200, { name: 'spaces/AAA/messages/1' }),
    unknown: google(404, 'NOT_FOUND', 'Webhook not found'),
    refuse: (body, json) => {
      if (!text.safeParse(body).data?.text) return google(400, 'INVALID_ARGUMENT', 'Message is empty');
      const isLong = Buffer.byteLength(json) > 32_000;
      return isLong ? google(400, 'INVALID_ARGUMENT', 'Message is too long') : undefined;
    },
  },
  // developers.mattermost.com/integrate/webhooks/incoming
  mattermost: {
    path: '/hooks/abcdefghijklmnopqrstuknown',
    isMine: /^\/hooks\//,
    success: error(200, 'ok'),
    unknown: error(400, { id: 'web.incoming_webhook.invalid.app_error', status_code: 400 }),
    refuse: (body) => {
      const given = text.safeParse(body).data?.text;
      if (!given) return error(400, { id: 'web.incoming_webhook.text.app_error', status_code: 400 });
      // A longer text becomes several posts.
      return [...given].length > 16_383 ? error(400, { id: 'split' }) : undefined;
    },
  },
};

/**
 * What products answer when the address is right, but the account behind it changed.
 * For Teams and Google Chat no published list of such answers is known.
 */
export const ACCOUNT_STATES: readonly {
  readonly product: ChatProduct;
  readonly state: string;
  readonly answer: Answer;
}[] = [
  // api.slack.com/changelog/2016-05-17-changes-to-errors-for-incoming-webhooks
  { product: 'slack', state: 'the channel is archived', answer: error(410, 'channel_is_archived') },
  { product: 'slack', state: 'the channel was deleted', answer: error(404, 'channel_not_found') },
  { product: 'slack', state: 'an administrator restricts it', answer: error(403, 'action_prohibited') },
  // github.com/germanoeich/nirn-proxy/issues/23, and 50027 of the JSON error codes in
  // github.com/discord/discord-api-docs, developers/topics/opcodes-and-status-codes.mdx
  {
    product: 'discord',
    state: 'the token was replaced',
    answer: error(401, { code: 50027, message: 'Invalid Webhook Token' }),
  },
  // github.com/mattermost/mattermost, server/channels/app/webhook.go: HandleIncomingWebhook
  {
    product: 'mattermost',
    state: 'the channel was deleted',
    answer: error(404, { id: 'web.incoming_webhook.channel.app_error', status_code: 404 }),
  },
];

/** Answers of products to senders that are too fast. */
export const RATE_LIMITS: Readonly<Partial<Record<ChatProduct, Answer>>> = {
  // github.com/prometheus/alertmanager/issues/2111 for the body, and for the header
  // docs.slack.dev/apis/web-api/rate-limits#responding
  slack: {
    status: 429,
    headers: { 'retry-after': '1' },
    body: { retry_after: 1, ok: false, error: 'rate_limited' },
  },
  // github.com/discord/discord-api-docs, developers/topics/rate-limits.mdx, "Example Exceeded
  // Resource Rate Limit Response", with a shorter wait
  discord: {
    status: 429,
    headers: {
      'retry-after': '1',
      'x-ratelimit-limit': '10',
      'x-ratelimit-remaining': '9',
      'x-ratelimit-bucket': 'abcd1234',
      'x-ratelimit-scope': 'shared',
    },
    body: { message: 'The resource is being rate limited.', retry_after: 0.57, global: false },
  },
  // developers.google.com/workspace/chat/limits: the status alone, and no header says when. The
  // body is that of other APIs of Google (github.com/rapidwebltd/php-google-people-api/issues/45).
  google_chat: google(429, 'RESOURCE_EXHAUSTED', 'Resource has been exhausted (e.g. check quota).'),
};

export interface ChatServices extends Receiver {
  addressOf(product: ChatProduct, which?: 'known' | 'other'): string;
  /** Every refusal since the last call. */
  takeRefusals(): Answer[];
}

export async function chatServices(): Promise<ChatServices> {
  const refusals: Answer[] = [];
  const answer = (request: ReceivedRequest): Answer => {
    const row = Object.values(PRODUCTS).find(({ isMine }) => isMine.test(request.path));
    if (!row) return 404;
    const json = request.body.toString('utf8');
    const isKnown = request.path === row.path;
    const refusal = isKnown ? row.refuse(JSON.parse(json) as unknown, json) : row.unknown;
    if (refusal !== undefined) refusals.push(refusal);
    return refusal ?? row.success;
  };
  const outside = await receiver({ fallback: answer });
  return {
    ...outside,
    addressOf: (product, which = 'known') => outside.url + PRODUCTS[product].path.replace('known', which),
    takeRefusals: () => refusals.splice(0),
  };
}
