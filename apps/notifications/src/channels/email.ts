// The e-mail channel: plain text to one address, over the organisation's providers in their order (src/email).
import { z } from 'zod';
import { callerId } from '../caller-id.ts';
import type { Deps } from '../deps.ts';
import { isAddress } from '../email/address.ts';
import { ADDRESS_CHARACTERS_MAX, mailboxOf, mailOf, type Mail } from '../email/mail.rules.ts';
import type { MailProvider } from '../email/mail-provider.ts';
import { mailProviders, sendMail } from '../email/send-mail.ts';
import { unsubscribeUrl } from '../recipients/links.ts';
import { notReached } from '../recipients/not-reached.ts';
import type { Channel, Notice } from './channel.ts';

/** An address that mail can be sent to. */
export const emailAddress = z
  .string()
  .max(ADDRESS_CHARACTERS_MAX)
  .refine(isAddress, 'must be an e-mail address')
  .meta({ format: 'email' });

const target = z
  .union(
    [
      z.strictObject({ email: emailAddress }),
      z.strictObject({ user_id: callerId }),
      emailAddress.transform((email) => ({ email })),
    ],
    { error: 'must be {email} or {user_id}, or an e-mail address' },
  )
  .describe('E-mail: `{email}`, `{user_id}` of a recipient, or the address itself');
type Target = z.output<typeof target>;

/** A recipient's address is sealed beside it, as it is kept. */
const plan = z.object({ email: z.string().optional(), user_id: z.string().optional() });
const sealedPlan = z.object({ email: z.string(), unsubscribe: z.string().optional() });
type Addressed = z.output<typeof sealedPlan>;

function addressed(plain: unknown, sealed: string | undefined): Addressed {
  return sealed === undefined
    ? { email: plan.parse(plain).email ?? '' }
    : sealedPlan.parse(JSON.parse(sealed));
}

const NO_LINK = 'no NOTIFICATIONS_PUBLIC_URL, and mail of this category needs a link to unsubscribe';

/** Of captured mail, which nobody receives, where no sender is set. */
const CAPTURED_FROM = 'Parley <parley@localhost>';

export const email: Channel<Target> = {
  name: 'email',
  target,
  targetOptional: false,
  queue: 'email-jobs',
  receiver: () => 'the providers of the organisation',

  plan: async (deps, _sql, organizationId, _notice, given, { recipient, category }) => {
    if ('user_id' in given && recipient?.kept.email === undefined)
      return notReached(given.user_id, recipient, 'email');
    const providers = await mailProviders(deps, organizationId);
    if (providers.length === 0) return unconfigured('no mail provider: set sendgrid_api_key or smtp_url');
    const from = await senderOf(deps, organizationId, providers);
    if (from === undefined || !mailboxOf(from)) return unconfigured('no sender: set email_from');
    if (!('user_id' in given)) return { ok: true, plain: { email: given.email } };
    const to: Addressed = { email: recipient!.kept.email! };
    if (category && !category.required) {
      const base = deps.config.NOTIFICATIONS_PUBLIC_URL;
      if (base === undefined) return unconfigured(NO_LINK);
      to.unsubscribe = unsubscribeUrl(base, recipient!, category.id);
    }
    return { ok: true, plain: { user_id: given.user_id }, sealed: JSON.stringify(to) };
  },

  preview: async (deps, _sql, organizationId, notice, planned) => {
    const providers = await mailProviders(deps, organizationId);
    const to = addressed(planned.plain, planned.sealed);
    if (to.unsubscribe !== undefined) to.unsubscribe = '[signed link]';
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
    const to = addressed(delivery.plain, delivery.sealed?.reveal());
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
  { email: to, unsubscribe }: Addressed,
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
    unsubscribeUrl: unsubscribe,
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
