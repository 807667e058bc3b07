// The generic webhook channel: one POST of the caller's payload, or of the notification, signed in the way of Standard
// Webhooks when the organisation has a secret. Its address is sealed like that of chat: query strings hold tokens.
import type { KeyObject } from 'node:crypto';
import { signStandardWebhook, parseWebhookKey } from '@parley/outbound/standard-webhooks';
import { SecretUnavailable, type Secret } from '@parley/runtime';
import { z } from 'zod';
import type { Deps } from '../deps.ts';
import type { Channel, Delivery, Notice, Outcome } from './channel.ts';
import { outcomeOf, secretUnavailable } from './http-outcome.ts';
import { hostOf, shownAddress, shownAddressSchema } from './shown-address.ts';

const target = z
  .strictObject({
    url: z.string().min(1).max(2_048).describe('https, public; kept sealed, shown as host and hash'),
    payload: z
      .unknown() // of a JSON body: JSON already, and looking at each of its values again would take seconds
      .optional()
      .describe(
        'Any JSON: the body to send instead of {notification_id, organization_id, subject, message, created_at}',
      ),
  })
  .describe('Webhook');
type Target = z.output<typeof target>;

const plan = z.object({
  address: shownAddressSchema,
  payload: z.unknown().optional(),
});

export const webhook: Channel<Target> = {
  name: 'webhook',
  target,
  addresses: [['url']],
  targetOptional: false,
  queue: 'webhook-sends',
  receiver: (plain) => hostOf(plain) ?? null,

  plan: async (deps, _sql, _organizationId, _notice, { url, payload }) => {
    const check = deps.outbound.checkUrl(url);
    if (!check.ok) return { ok: false, kind: 'invalid', fields: [{ path: '/url', message: check.problem }] };
    const address = shownAddress(check.url);
    return {
      ok: true,
      plain: payload === undefined ? { address } : { address, payload },
      sealed: check.url.href,
    };
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
    try {
      const outcome = await deps.settings.use(
        notice.organizationId,
        'webhook_secret',
        (secret) => post(deps, notice, delivery, secret),
        wasRefused,
      );
      return outcome ?? (await post(deps, notice, delivery, undefined));
    } catch (error) {
      if (!(error instanceof SecretUnavailable)) throw error;
      deps.log.warn({ err: error, delivery_id: delivery.id }, 'secret.unavailable');
      return secretUnavailable('webhook_secret');
    }
  },
};

/** What a receiver answers to a signature of a secret that it has replaced. */
function wasRefused(outcome: Outcome): boolean {
  return outcome.kind === 'final' && [401, 403].includes(outcome.httpStatus ?? 0);
}

async function post(
  deps: Deps,
  notice: Notice,
  delivery: Delivery,
  secret: Secret | undefined,
): Promise<Outcome> {
  const body = bodyOf(notice, plan.parse(delivery.plain).payload);
  const timestampSeconds = Math.floor(deps.clock() / 1000);
  const keys = secret && signingKeys(webhookSecrets(secret));
  if (keys === null) return unusableSecret;
  const answer = await deps.outbound.request({
    url: delivery.sealed?.reveal() ?? '',
    headers: {
      'content-type': 'application/json; charset=utf-8',
      ...(keys
        ? signStandardWebhook({ id: notice.id, timestampSeconds, body, keys })
        : { 'webhook-id': notice.id, 'webhook-timestamp': String(timestampSeconds) }),
      ...(notice.requestId === null ? {} : { 'x-request-id': notice.requestId }),
      ...(notice.traceparent === null ? {} : { traceparent: notice.traceparent }),
    },
    body,
    timeoutMs: deps.config.DELIVERY_TIMEOUT_MS,
  });
  return outcomeOf(answer, 'delivered');
}

/** One secret, or several with blanks between while one takes the place of another; each with its prefix. */
export function webhookSecrets(secret: Secret): string[] {
  const texts = secret.reveal().trim().split(/\s+/);
  return texts.map((text) => (text.startsWith('whsec_') ? text : `whsec_${text}`));
}

/** Null when one of them is unusable. */
export function signingKeys(secrets: readonly string[]): KeyObject[] | null {
  const keys = secrets.map(parseWebhookKey);
  return keys.every((key) => key !== undefined) ? keys : null;
}

/** An unsigned request would look like a forged one to a receiver that checks: nothing is sent. */
const unusableSecret: Outcome = {
  kind: 'final',
  status: 'failed',
  errorClass: 'unusable_secret',
  message: 'The webhook_secret of the organisation is not whsec_ and base64 of at least 24 bytes.',
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
