// The generic webhook channel: one POST of the caller's payload, or of the notification, signed in the way of Standard
// Webhooks when the organisation has a secret. Its address is sealed like that of chat: query strings hold tokens.
import { createHash } from 'node:crypto';
import { SecretUnavailable } from '@parley/runtime';
import { z } from 'zod';
import type { Channel, Notice, Outcome } from './channel.ts';
import { outcomeOf } from './http-outcome.ts';
import { signWebhook } from './webhook-signature.rules.ts';

const target = z
  .strictObject({
    url: z.string().min(1).max(2_048).describe('https, public; kept sealed, shown as host and hash'),
    payload: z
      .json()
      .optional()
      .describe(
        'Any JSON: the body to send instead of {notification_id, organization_id, subject, message, created_at}',
      ),
  })
  .describe('Webhook');
type Target = z.output<typeof target>;

const plan = z.object({
  address: z.object({ host: z.string(), hash: z.string() }),
  payload: z.json().optional(),
});

export const webhook: Channel<Target> = {
  name: 'webhook',
  target,
  targetOptional: false,
  queue: 'webhook-sends',

  plan: async (deps, _sql, _organizationId, _notice, { url, payload }) => {
    const check = deps.outbound.checkUrl(url);
    if (!check.ok) return { ok: false, kind: 'invalid', fields: [{ path: '/url', message: check.problem }] };
    const { host, href } = check.url;
    const address = { host, hash: createHash('sha256').update(href).digest('hex').slice(0, HASH_CHARS) };
    return { ok: true, plain: payload === undefined ? { address } : { address, payload }, sealed: href };
  },

  preview: async (deps, _sql, organizationId, notice, planned) => {
    const { address, payload } = plan.parse(planned.plain);
    const reference = await deps.settings.stored(organizationId, 'webhook_secret');
    return {
      url: address,
      body: JSON.parse(bodyOf(notice, payload)) as unknown,
      signed: reference !== undefined,
      ...(reference === undefined ? {} : { secret_reference: reference }),
    };
  },

  send: async (deps, notice, delivery) => {
    const { payload } = plan.parse(delivery.plain);
    const body = bodyOf(notice, payload);
    const timestamp = Math.floor(deps.clock() / 1000);
    let signature: string | undefined;
    try {
      const secret = await deps.settings.get(notice.organizationId, 'webhook_secret');
      signature = secret && signWebhook(secret.reveal(), { id: notice.id, timestamp, body });
      if (secret && signature === undefined) return unusableSecret;
    } catch (error) {
      if (!(error instanceof SecretUnavailable)) throw error;
      deps.log.warn({ err: error, delivery_id: delivery.id }, 'secret.unavailable');
      return secretUnavailable;
    }
    const answer = await deps.outbound.request({
      url: delivery.sealed?.reveal() ?? '',
      headers: {
        'content-type': 'application/json; charset=utf-8',
        'webhook-id': notice.id,
        'webhook-timestamp': String(timestamp),
        ...(signature === undefined ? {} : { 'webhook-signature': signature }),
        ...(notice.requestId === null ? {} : { 'x-request-id': notice.requestId }),
        ...(notice.traceparent === null ? {} : { traceparent: notice.traceparent }),
      },
      body,
      timeoutMs: deps.config.DELIVERY_TIMEOUT_MS,
    });
    return outcomeOf(answer, 'delivered');
  },
};

const HASH_CHARS = 16;

/** An unsigned request would look like a forged one to a receiver that checks: nothing is sent. */
const unusableSecret: Outcome = {
  kind: 'final',
  status: 'failed',
  errorClass: 'unusable_secret',
  message: 'The webhook_secret of the organisation is not whsec_ and base64 of at least 24 bytes.',
};

const secretUnavailable: Outcome = {
  kind: 'retry',
  errorClass: 'secret_unavailable',
  message: 'The secret webhook_secret cannot be read at the moment.',
};

/** The same bytes at every attempt, so that receivers may compare. */
function bodyOf(notice: Notice, payload: unknown): string {
  return JSON.stringify(
    payload !== undefined
      ? payload
      : {
          notification_id: notice.id,
          organization_id: notice.organizationId,
          subject: notice.subject,
          message: notice.message,
          created_at: notice.createdAt.getTime() / 1000,
        },
  );
}
