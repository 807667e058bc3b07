// The e-mail channel: plain text to one address, over the organisation's providers in their order (src/email).
import { z } from 'zod';
import type { Deps } from '../deps.ts';
import { isAddress } from '../email/address.ts';
import { ADDRESS_CHARACTERS_MAX, mailboxOf, mailOf, type Mail } from '../email/mail.rules.ts';
import type { MailProvider } from '../email/mail-provider.ts';
import { mailProviders, sendMail } from '../email/send-mail.ts';
import type { Channel, Notice } from './channel.ts';

const address = z
  .string()
  .max(ADDRESS_CHARACTERS_MAX)
  .refine(isAddress, 'must be an e-mail address')
  .meta({ format: 'email' });

const target = z
  .union([z.strictObject({ email: address }), address.transform((email) => ({ email }))], {
    error: 'must be {email}, or an e-mail address',
  })
  .describe('E-mail: `{email}`, or the address itself');
type Target = z.output<typeof target>;

const plan = z.object({ email: z.string() });

/** Of captured mail, which nobody receives, where no sender is set. */
const CAPTURED_FROM = 'Parley <parley@localhost>';

export const email: Channel<Target> = {
  name: 'email',
  target,
  targetOptional: false,
  queue: 'email-jobs',
  receiver: () => 'the providers of the organisation',

  plan: async (deps, _sql, organizationId, _notice, { email: to }) => {
    const providers = await mailProviders(deps, organizationId);
    if (providers.length === 0) return unconfigured('no mail provider: set sendgrid_api_key or smtp_url');
    const from = await senderOf(deps, organizationId, providers);
    if (from === undefined || !mailboxOf(from)) return unconfigured('no sender: set email_from');
    return { ok: true, plain: { email: to } };
  },

  preview: async (deps, _sql, organizationId, notice, planned) => {
    const providers = await mailProviders(deps, organizationId);
    const { email: to } = plan.parse(planned.plain);
    const mail = await compose(deps, notice, to, 'dry-run', providers);
    return {
      providers: await Promise.all(
        providers.map(async (provider) => ({
          provider: provider.name,
          ...(provider.secret === null
            ? {}
            : { secret_reference: await deps.settings.stored(organizationId, provider.secret) }),
          body: mail && (await provider.preview(mail)),
        })),
      ),
    };
  },

  send: async (deps, notice, delivery, { signal }) => {
    const { email: to } = plan.parse(delivery.plain);
    const providers = await mailProviders(deps, notice.organizationId);
    const mail = await compose(deps, notice, to, delivery.id, providers);
    if (!mail) {
      const message = 'The organisation has no email_from, or it is no address.';
      return { kind: 'final', status: 'failed', errorClass: 'unconfigured', message };
    }
    return sendMail(deps, notice.organizationId, mail, providers, signal);
  },
};

/** Null when there is no sender that can stand in a header. */
async function compose(
  deps: Pick<Deps, 'settings'>,
  notice: Notice,
  to: string,
  deliveryId: string,
  providers: readonly MailProvider[],
): Promise<Mail | null> {
  const from = await senderOf(deps, notice.organizationId, providers);
  if (from === undefined) return null;
  return mailOf({
    from,
    replyTo: await deps.settings.get(notice.organizationId, 'email_reply_to'),
    to,
    subject: notice.subject,
    message: notice.message,
    notificationId: notice.id,
    deliveryId,
    date: notice.sendAt ?? notice.createdAt,
  });
}

async function senderOf(
  deps: Pick<Deps, 'settings'>,
  organizationId: string,
  providers: readonly MailProvider[],
): Promise<string | undefined> {
  const set = await deps.settings.get(organizationId, 'email_from');
  return set ?? (providers.every(({ name }) => name === 'capture') ? CAPTURED_FROM : undefined);
}

function unconfigured(reason: string) {
  return { ok: false, kind: 'unconfigured', reason } as const;
}
