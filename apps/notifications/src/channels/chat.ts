// The chat channel: one POST to an incoming webhook of Slack, Discord, Teams, Google Chat, Mattermost, Rocket.Chat, or of
// anything that takes {text}. The address is a credential: kept sealed, shown as host and hash.
import type { Outcome as Answer } from '@parley/outbound';
import { SecretUnavailable, type Secret } from '@parley/runtime';
import { z } from 'zod';
import { callerId } from '../caller-id.ts';
import type { Deps } from '../deps.ts';
import { notReached } from '../recipients/not-reached.ts';
import type { Channel, Notice, Outcome } from './channel.ts';
import { CHAT_FORMATS, chatBody, detectFormat, type ChatFormat } from './chat-formats.rules.ts';
import { outcomeOf, secretUnavailable } from './http-outcome.ts';
import { hostOf, shownAddress, shownAddressSchema } from './shown-address.ts';

const target = z
  .strictObject({
    user_id: callerId.optional().describe('To the `chat_webhook` of this recipient'),
    webhook_url: z
      .string()
      .min(1)
      .max(2_048)
      .optional()
      .describe(
        'Incoming webhook; left out, the one that the operator set for the organisation. Kept sealed, never shown',
      ),
    format: z
      .enum(CHAT_FORMATS)
      .optional()
      .describe('How the body is written; left out, it is told from the address'),
  })
  .refine(
    ({ webhook_url: url, user_id: user }) => url === undefined || user === undefined,
    'must have at most one of webhook_url and user_id',
  )
  .describe('Chat: its members are optional');
type Target = z.output<typeof target>;

/** What is stored: nothing that would let anybody post. */
const plan = z.object({
  format: z.enum(CHAT_FORMATS).optional(),
  /** Absent for the organisation's default, which is looked up at every attempt: it may be rotated. */
  address: shownAddressSchema.optional(),
  user_id: z.string().optional(),
  /** Whose address it is when there is none of its own. */
  setting: z.enum(['chat_webhook_url', 'alert_chat_webhook_url']).default('chat_webhook_url'),
});

/** The chat that the organisation has for alerts; undefined when it has none. */
export async function planAlertChat({ settings }: Pick<Deps, 'settings'>, organizationId: string) {
  const setting = 'alert_chat_webhook_url';
  if ((await settings.stored(organizationId, setting)) === undefined) return undefined;
  return { ok: true, plain: { setting } } as const;
}

export const chat: Channel<Target> = {
  name: 'chat',
  target,
  addresses: [['webhook_url']],
  targetOptional: true,
  queue: 'chat-sends',
  receiver: (plain) => hostOf(plain) ?? 'the chat of the organisation',

  plan: async (
    deps,
    _sql,
    organizationId,
    _notice,
    { webhook_url: given, format, user_id: user },
    { recipient },
  ) => {
    const kept = {
      ...(format === undefined ? {} : { format }),
      ...(user === undefined ? {} : { user_id: user }),
    };
    const url = given ?? recipient?.kept.chat_webhook;
    if (user !== undefined && url === undefined) return notReached(user, recipient, 'chat_webhook');
    if (url !== undefined) {
      const check = deps.outbound.checkUrl(url);
      if (!check.ok)
        return { ok: false, kind: 'invalid', fields: [{ path: '/webhook_url', message: check.problem }] };
      return { ok: true, plain: { ...kept, address: shownAddress(check.url) }, sealed: check.url.href };
    }
    if ((await deps.settings.stored(organizationId, 'chat_webhook_url')) === undefined)
      return {
        ok: false,
        kind: 'unconfigured',
        reason: 'no webhook_url was given and the organisation has no chat_webhook_url',
      };
    return { ok: true, plain: kept };
  },

  preview: async (deps, _sql, organizationId, notice, planned) => {
    const { format, address } = plan.parse(planned.plain);
    if (planned.sealed !== undefined && address !== undefined)
      return previewOf(new URL(planned.sealed), format, notice, { webhook_url: address });
    const reference = await deps.settings.stored(organizationId, 'chat_webhook_url');
    const url = await defaultUrl(deps, organizationId);
    if (!url)
      return { secret_reference: reference, problem: 'the reference leads to no address at the moment' };
    return previewOf(url, format, notice, { secret_reference: reference, webhook_url: shownAddress(url) });
  },

  send: async (deps, notice, delivery) => {
    const { format, setting } = plan.parse(delivery.plain);
    if (delivery.sealed !== undefined) return post(deps, notice, delivery.sealed, format);
    try {
      const outcome = await deps.settings.use(
        notice.organizationId,
        setting,
        (url) => post(deps, notice, url, format),
        wasRefused,
      );
      return outcome ?? unset(setting);
    } catch (error) {
      if (!(error instanceof SecretUnavailable)) throw error;
      deps.log.warn({ err: error, delivery_id: delivery.id }, 'secret.unavailable');
      return secretUnavailable(setting);
    }
  },
};

/** The address is the credential: who rotates it makes the old one answer one of these. */
function wasRefused(outcome: Outcome): boolean {
  return outcome.kind === 'final' && [401, 403, 404, 410].includes(outcome.httpStatus ?? 0);
}

function unset(setting: string): Outcome {
  const message = `The organisation has no ${setting} any more.`;
  return { kind: 'final', status: 'failed', errorClass: 'unconfigured', message };
}

async function post(
  deps: Deps,
  notice: Notice,
  url: Secret,
  format: ChatFormat | undefined,
): Promise<Outcome> {
  const check = deps.outbound.checkUrl(url.reveal());
  if (!check.ok)
    return {
      kind: 'final',
      status: 'failed',
      errorClass: 'blocked_address',
      message: `The chat address ${check.problem}.`,
    };
  const answer: Answer = await deps.outbound.request({
    url: check.url.href,
    // Chat products ignore it; whoever receives it elsewhere knows a repetition by it (docs/platform.md#nothing-accepted-is-lost).
    headers: { 'content-type': 'application/json; charset=utf-8', 'webhook-id': notice.id },
    body: bodyFor(check.url, format, notice),
    timeoutMs: deps.config.DELIVERY_TIMEOUT_MS,
  });
  return outcomeOf(answer, 'sent');
}

function bodyFor(
  url: URL,
  format: ChatFormat | undefined,
  { subject, subjectGiven, message }: Notice,
): string {
  return chatBody(format ?? detectFormat(url), { subject: subjectGiven ? subject : undefined, message });
}

function previewOf(url: URL, format: ChatFormat | undefined, notice: Notice, where: object): object {
  return {
    ...where,
    format: format ?? detectFormat(url),
    body: JSON.parse(bodyFor(url, format, notice)) as unknown,
  };
}

async function defaultUrl(deps: Deps, organizationId: string): Promise<URL | undefined> {
  try {
    const secret = await deps.settings.get(organizationId, 'chat_webhook_url');
    const check = deps.outbound.checkUrl(secret?.reveal() ?? '');
    return check.ok ? check.url : undefined;
  } catch (error) {
    if (error instanceof SecretUnavailable) return undefined;
    throw error;
  }
}
