// The chat channel: one POST to an incoming webhook of Slack, Discord, Teams, Google Chat,
// Mattermost, Rocket.Chat, or of any service that accepts {text}. The address is a credential:
// stored sealed, shown as host and hash.
import type { Outcome as Answer } from '@parley/outbound';
import { SecretUnavailable, type Secret } from '@parley/server/runtime';
import { z } from 'zod';
import { callerId } from '../../callers/caller-id.ts';
import type { BaseDeps } from '../../base-deps.ts';
import { planUnreachable } from '../unreachable.ts';
import type { Channel, Notice } from '../channel.ts';
import { CHAT_FORMATS, chatBody, detectFormat, type ChatFormat } from './chat-formats.rules.ts';
import { toOutcome, secretUnavailable } from '../http-outcome.ts';
import { readHost, maskAddress, maskedAddressSchema } from '../../addresses/masked-address.ts';
import type { Outcome } from '../../outcomes/outcome.ts';
import { fillLinks } from '../../people/message-links.ts';

const target = z
  .strictObject({
    user_id: callerId.optional().describe('Sends to the `chat_webhook` of this recipient'),
    webhook_url: z
      .string()
      .min(1)
      .max(2_048)
      .optional()
      .describe(
        'Incoming webhook. Default: the one that the operator set for the organisation. Stored sealed and never shown',
      ),
    format: z
      .enum(CHAT_FORMATS)
      .optional()
      .describe('Format of the body. Default: detected from the address'),
  })
  .refine(
    ({ webhook_url: url, user_id: user }) => url === undefined || user === undefined,
    'must have at most one of webhook_url and user_id',
  )
  .describe('Chat: all members are optional');
type Target = z.output<typeof target>;

/** The stored plan holds nothing that lets anybody post. */
const plan = z.object({
  format: z.enum(CHAT_FORMATS).optional(),
  /** Absent for the organisation's default, which may be rotated until the attempt. */
  address: maskedAddressSchema.optional(),
  user_id: z.string().optional(),
  /** The setting with the default address. */
  setting: z.enum(['chat_webhook_url', 'alert_chat_webhook_url']).default('chat_webhook_url'),
});

/** The organisation's chat for alerts; undefined when it has none. */
export async function planAlertChat({ settings }: Pick<BaseDeps, 'settings'>, organizationId: string) {
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
  receiver: (plain) => readHost(plain) ?? 'the chat of the organisation',

  plan: async (
    deps,
    _sql,
    { organizationId },
    { webhook_url: given, format, user_id: user },
    { recipient },
  ) => {
    const stored = {
      ...(format === undefined ? {} : { format }),
      ...(user === undefined ? {} : { user_id: user }),
    };
    const url = given ?? recipient?.contact.chat_webhook;
    if (user !== undefined && url === undefined) return planUnreachable(user, recipient, 'chat_webhook');
    if (url !== undefined) {
      const check = deps.outbound.checkUrl(url);
      if (!check.ok)
        return { ok: false, kind: 'invalid', fields: [{ path: '/webhook_url', message: check.problem }] };
      return { ok: true, plain: { ...stored, address: maskAddress(check.url) }, sealed: check.url.href };
    }
    if ((await deps.settings.stored(organizationId, 'chat_webhook_url')) === undefined)
      return {
        ok: false,
        kind: 'unconfigured',
        reason: 'no webhook_url was given and the organisation has no chat_webhook_url',
      };
    return { ok: true, plain: stored };
  },

  preview: async (deps, _sql, notice, planned) => {
    const { organizationId } = notice;
    const { format, address } = plan.parse(planned.plain);
    if (planned.sealed !== undefined && address !== undefined)
      return toPreview(new URL(planned.sealed), format, notice, { webhook_url: address });
    const reference = await deps.settings.stored(organizationId, 'chat_webhook_url');
    const url = await defaultUrl(deps, organizationId);
    if (!url)
      return {
        secret_reference: reference,
        problem: 'the reference does not resolve to an address at the moment',
      };
    return toPreview(url, format, notice, { secret_reference: reference, webhook_url: maskAddress(url) });
  },

  send: async (deps, notice, delivery) => {
    const { format, setting, user_id: userId } = plan.parse(delivery.plain);
    if (delivery.sealed !== undefined)
      return post(deps, await writeOwnLinks(deps, notice, userId), delivery.sealed, format);
    try {
      const outcome = await deps.settings.use(
        notice.organizationId,
        setting,
        (url) => post(deps, notice, url, format),
        isRefused,
      );
      return outcome ?? toMissingSetting(setting);
    } catch (error) {
      if (!(error instanceof SecretUnavailable)) throw error;
      deps.log.warn({ err: error, delivery_id: delivery.id }, 'secret.unavailable');
      return secretUnavailable(setting);
    }
  },
};

/** Only into the chat of a recipient, who may open them. */
async function writeOwnLinks(deps: BaseDeps, notice: Notice, userId: string | undefined): Promise<Notice> {
  if (userId === undefined) return notice;
  const { organizationId, id: notificationId } = notice;
  const owner = { organizationId, userId, notificationId, channel: 'chat' };
  return { ...notice, message: await fillLinks(deps, owner, notice.message) };
}

/** The address is the credential, and a rotated address answers one of these. */
function isRefused(outcome: Outcome): boolean {
  return outcome.kind === 'final' && [401, 403, 404, 410].includes(outcome.httpStatus ?? 0);
}

function toMissingSetting(setting: string): Outcome {
  const message = `The organisation has no ${setting} any more.`;
  return { kind: 'final', status: 'failed', errorClass: 'unconfigured', message };
}

async function post(
  deps: BaseDeps,
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
    // Chat products ignore it; other receivers recognise a repetition by it
    // (docs/platform.md#nothing-accepted-is-lost).
    headers: { 'content-type': 'application/json; charset=utf-8', 'webhook-id': notice.id },
    body: formatBody(check.url, format, notice),
    timeoutMs: deps.config.DELIVERY_TIMEOUT_MS,
  });
  return toOutcome(answer, 'sent');
}

function formatBody(
  url: URL,
  format: ChatFormat | undefined,
  { subject, subjectGiven, message }: Notice,
): string {
  return chatBody(format ?? detectFormat(url), { subject: subjectGiven ? subject : undefined, message });
}

function toPreview(url: URL, format: ChatFormat | undefined, notice: Notice, where: object): object {
  return {
    ...where,
    format: format ?? detectFormat(url),
    body: JSON.parse(formatBody(url, format, notice)) as unknown,
  };
}

async function defaultUrl(deps: BaseDeps, organizationId: string): Promise<URL | undefined> {
  try {
    const secret = await deps.settings.get(organizationId, 'chat_webhook_url');
    const check = deps.outbound.checkUrl(secret?.reveal() ?? '');
    return check.ok ? check.url : undefined;
  } catch (error) {
    if (error instanceof SecretUnavailable) return undefined;
    throw error;
  }
}
