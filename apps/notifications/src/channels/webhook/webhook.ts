// The webhook channel: one POST of the caller's payload or of the notification, signed by Standard
// Webhooks when the organisation has a secret. The address is stored sealed, since query strings
// hold tokens.
import type { KeyObject } from 'node:crypto';
import { signStandardWebhook, parseWebhookKey } from '@parley/outbound/standard-webhooks';
import { SecretUnavailable, type Secret } from '@parley/server/runtime';
import { z } from 'zod';
import type { BaseDeps } from '../../base-deps.ts';
import type { Channel, Delivery, Notice } from '../channel.ts';
import { toOutcome, secretUnavailable } from '../http-outcome.ts';
import { readHost, maskAddress, maskedAddressSchema } from '../../addresses/masked-address.ts';
import type { Outcome } from '../../outcomes/outcome.ts';

const target = z
  .strictObject({
    url: z.string().min(1).max(2_048).describe('Public https address. Stored sealed, shown as host and hash'),
    payload: z
      .unknown() // already JSON; validating each value again would take seconds
      .optional()
      .describe('Any JSON, sent instead of {notification_id, organization_id, subject, message, created_at}'),
  })
  .describe('Webhook');
type Target = z.output<typeof target>;

const plan = z.object({
  address: maskedAddressSchema,
  payload: z.unknown().optional(),
});

export const webhook: Channel<Target> = {
  name: 'webhook',
  target,
  addresses: [['url']],
  targetOptional: false,
  queue: 'webhook-sends',
  receiver: (plain) => readHost(plain) ?? null,

  plan: async (deps, _sql, _notice, { url, payload }) => {
    const check = deps.outbound.checkUrl(url);
    if (!check.ok) return { ok: false, kind: 'invalid', fields: [{ path: '/url', message: check.problem }] };
    const address = maskAddress(check.url);
    return {
      ok: true,
      plain: payload === undefined ? { address } : { address, payload },
      sealed: check.url.href,
    };
  },

  preview: async (deps, _sql, notice, planned) => {
    const { address, payload } = plan.parse(planned.plain);
    const reference = await deps.settings.stored(notice.organizationId, 'webhook_secret');
    return {
      url: address,
      body: JSON.parse(buildBody(notice, payload)) as unknown,
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
        isRefused,
      );
      return outcome ?? (await post(deps, notice, delivery, undefined));
    } catch (error) {
      if (!(error instanceof SecretUnavailable)) throw error;
      deps.log.warn({ err: error, delivery_id: delivery.id }, 'secret.unavailable');
      return secretUnavailable('webhook_secret');
    }
  },
};

/** The receiver rejects a signature of a secret that it has replaced. */
function isRefused(outcome: Outcome): boolean {
  return outcome.kind === 'final' && [401, 403].includes(outcome.httpStatus ?? 0);
}

async function post(
  deps: BaseDeps,
  notice: Notice,
  delivery: Delivery,
  secret: Secret | undefined,
): Promise<Outcome> {
  const body = buildBody(notice, plan.parse(delivery.plain).payload);
  const timestampSeconds = Math.floor(deps.clock() / 1000);
  const keys = secret && parseSigningKeys(splitSecrets(secret));
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
  return toOutcome(answer, 'delivered');
}

/** One secret, or several separated by blanks during a rotation; each gets its prefix. */
export function splitSecrets(secret: Secret): string[] {
  const texts = secret.reveal().trim().split(/\s+/);
  return texts.map((text) => (text.startsWith('whsec_') ? text : `whsec_${text}`));
}

/** Null when one of them is unusable. */
export function parseSigningKeys(secrets: readonly string[]): KeyObject[] | null {
  const keys = secrets.map(parseWebhookKey);
  return keys.every((key) => key !== undefined) ? keys : null;
}

/** Sends nothing: to a receiver that verifies, an unsigned request looks forged. */
const unusableSecret: Outcome = {
  kind: 'final',
  status: 'failed',
  errorClass: 'unusable_secret',
  message: 'The webhook_secret of the organisation is not whsec_ and base64 of at least 24 bytes.',
};

/** The same bytes in every attempt, so that receivers can compare them. */
function buildBody(notice: Notice, payload: unknown): string {
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
