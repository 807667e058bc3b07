// The e-mail channel: text, and HTML if given, over the organisation's providers in order.
import type { z } from 'zod';
import type { FieldProblem } from '@parley/envelopes';
import type { Sql } from '@parley/server/postgres';
import type { BaseDeps } from '../../base-deps.ts';
import { listInlineAttachments, createPlace, loadAttachments, type Place } from './attachments.ts';
import { buildMail, type Attachment, type Mail } from './mail.rules.ts';
import { mergeHeaders } from '../../addresses/mail-headers.ts';
import { getAddress, isSender, parseMailbox } from '../../addresses/mailbox.rules.ts';
import type { MailProvider } from './mail-provider.ts';
import { mailContent, mailPlan, mailTarget, type MailContent, type MailTarget } from './mail-target.ts';
import { mailProviders, sendMail } from './send-mail.ts';
import { NOT_TRACKED, createTokens, type MakeToken } from '../../engagements/tracking-token.ts';
import type { Tracking } from '../../engagements/schemas.ts';
import { trackHtml } from '../../engagements/track-links.ts';
import { preferencesUrl, unsubscribeUrl } from '../../people/links.ts';
import { LINK_PLACEHOLDERS } from '../../rendering/render-template.ts';
import { findSuppressed } from '../../people/suppression.ts';
import { findStoppingReason, SUPPRESSION_SENTENCES } from '../../people/suppression.rules.ts';
import { planUnreachable } from '../unreachable.ts';
import type { Channel, Delivery, Notice } from '../channel.ts';
import { maskAddress } from '../../addresses/masked-address.ts';
import type { Outcome } from '../../outcomes/outcome.ts';

const NO_LINK = 'no PUBLIC_URL, which the unsubscribe link of this category needs';

/** Sender of captured mail, which nobody receives, when none is set. */
const CAPTURED_FROM = 'Parley <parley@localhost>';

export const email: Channel<MailTarget> = {
  name: 'email',
  target: mailTarget,
  targetOptional: false,
  queue: 'email-jobs',
  common: { sealed: ['html', 'attachments'] },
  receiver: (plain) =>
    mailPlan.safeParse(plain).data?.fetched_from?.join(' ') ?? 'the providers of the organisation',

  plan: async (deps, _sql, notice, given, { recipient, category, track }) => {
    const problems = attachmentProblems(deps, given);
    if (problems.length > 0) return { ok: false, kind: 'invalid', fields: problems };
    const { html = notice.html, attachments, from = notice.mail?.from, ...plain } = given;
    const headers = mergeHeaders(notice.mail?.headers, given.headers);
    const content: MailContent = { html, attachments };
    if (given.user_id !== undefined) {
      if (recipient?.contact.email === undefined) return planUnreachable(given.user_id, recipient, 'email');
      content.email = recipient.contact.email;
    }
    const missing = await findMissingSetting(deps, notice.organizationId);
    if (missing !== undefined) return unconfigured(missing);
    if (from !== undefined && !(await mayBeFrom(deps, notice.organizationId, from))) {
      const message = `"${getAddress(from)}" is not a sender of the organisation: GET /v1/senders lists them`;
      return { ok: false, kind: 'invalid', fields: [{ path: '/from', message }] };
    }
    const base = deps.config.PUBLIC_URL;
    const isTracked = track?.opens || track?.clicks;
    if (isTracked && base === undefined) return unconfigured(NOT_TRACKED);
    if (recipient && content.email !== undefined && category && !category.required) {
      if (base === undefined) return unconfigured(NO_LINK);
      content.unsubscribe = unsubscribeUrl(base, recipient, category.id, 'email');
    }
    if (recipient && base !== undefined) content.preferences = preferencesUrl(base, recipient);
    const isEmpty = Object.values(content).every((value) => value === undefined);
    return {
      ok: true,
      plain: {
        ...plain,
        ...(from === undefined ? {} : { from }),
        ...(Object.keys(headers).length > 0 ? { headers } : {}),
        ...listFetches(attachments),
        ...(isTracked ? { track } : {}),
        ...(category?.required ? { required: true } : {}),
      },
      ...(isEmpty ? {} : { sealed: JSON.stringify(content) }),
    };
  },

  preview: async (deps, sql, notice, planned) => {
    const { organizationId } = notice;
    const providers = await mailProviders(deps, organizationId);
    const content = parseContent(planned.sealed);
    if (content.unsubscribe !== undefined) content.unsubscribe = '[signed link]';
    if (content.preferences !== undefined) content.preferences = '[signed link]';
    const attachments = listInlineAttachments(content.attachments ?? []);
    const shown = () => '[signed token]';
    const { copies } = await findReceivers(sql, organizationId, planned.plain, content);
    const parts = { content, copies, attachments, deliveryId: 'dry-run', providers, tokens: shown };
    const mail = await compose(deps, notice, planned.plain, parts);
    const fetched = (content.attachments ?? []).flatMap(({ filename, url }) =>
      url === undefined ? [] : [{ filename, url: maskAddress(new URL(url)) }],
    );
    return {
      ...(fetched.length > 0 ? { fetched_attachments: fetched } : {}),
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
    const place = createPlace(deps.attachmentPlaces, notice.organizationId, signal);
    try {
      return await loadAndSend(deps, notice, delivery, place, signal);
    } finally {
      place.release();
    }
  },
};

async function findMissingSetting(deps: BaseDeps, organizationId: string): Promise<string | undefined> {
  const providers = await mailProviders(deps, organizationId);
  if (providers.length === 0)
    return 'no mail provider: set sendgrid_api_key, smtp_url or the key of another provider';
  const from = await findSender(deps, organizationId, providers);
  return from === undefined || !parseMailbox(from) ? 'no sender: set email_from' : undefined;
}

/** The hosts that attachments come from, which are the lane of the mail. */
function listFetches(attachments: MailContent['attachments'] = []) {
  const hosts = attachments.flatMap(({ url }) => (url === undefined ? [] : new URL(url).host));
  return hosts.length > 0 ? { fetched_from: [...new Set(hosts)].sort() } : {};
}

async function loadAndSend(
  deps: BaseDeps,
  notice: Notice,
  { plain, sealed, id }: Delivery,
  place: Place,
  signal: AbortSignal,
): Promise<Outcome> {
  const content = parseContent(sealed?.reveal());
  const { stopped, copies } = await findReceivers(deps.sql, notice.organizationId, plain, content);
  if (stopped !== undefined) {
    const message = `Not sent: ${SUPPRESSION_SENTENCES[stopped]}.`;
    return { kind: 'final', status: 'suppressed', errorClass: stopped, message };
  }
  const loaded = await loadAttachments(deps, content.attachments ?? [], place);
  if (!loaded.ok) return loaded.outcome;
  const providers = await mailProviders(deps, notice.organizationId);
  const { organizationId, id: notificationId, createdAt, sendAt } = notice;
  const tokens = await createTokens(deps, { organizationId, notificationId, sentAt: sendAt ?? createdAt });
  const { attachments } = loaded;
  const mail = await compose(deps, notice, plain, {
    content,
    copies,
    attachments,
    deliveryId: id,
    providers,
    tokens,
  });
  if (!mail) {
    const message =
      'The sender is not set (email_from), or no longer one of the organisation (email_senders).';
    return { kind: 'final', status: 'failed', errorClass: 'unconfigured', message };
  }
  return sendMail(deps, organizationId, mail, providers, signal);
}

function parseContent(sealed: string | undefined): MailContent {
  return sealed === undefined ? {} : mailContent.parse(JSON.parse(sealed));
}

function attachmentProblems({ outbound }: Pick<BaseDeps, 'outbound'>, { attachments = [] }: MailTarget) {
  return attachments.flatMap(({ url }, index): FieldProblem[] => {
    const check = url === undefined ? undefined : outbound.checkUrl(url);
    return check?.ok === false ? [{ path: `/attachments/${index}/url`, message: check.problem }] : [];
  });
}

type Copies = Pick<z.output<typeof mailPlan>, 'cc' | 'bcc'>;

/** Whether a suppression stops the mail, and the copies that none stops. */
async function findReceivers(sql: Sql, organizationId: string, plain: unknown, content: MailContent) {
  const { email: to = content.email ?? '', cc = [], bcc = [], required = false } = mailPlan.parse(plain);
  const suppressed = await findSuppressed(sql, organizationId, [to, ...cc, ...bcc]);
  const isOpen = (address: string) => !findStoppingReason(suppressed.get(address), { required });
  const copies: Copies = { cc: cc.filter(isOpen), bcc: bcc.filter(isOpen) };
  return { stopped: findStoppingReason(suppressed.get(to), { required }), copies };
}

interface MailParts {
  readonly content: MailContent;
  readonly copies: Copies;
  readonly attachments: readonly Attachment[];
  readonly deliveryId: string;
  readonly providers: readonly MailProvider[];
  readonly tokens: MakeToken;
}

/** Null when no sender is usable in a header. */
async function compose(
  deps: Pick<BaseDeps, 'settings' | 'config'>,
  notice: Notice,
  plain: unknown,
  { content, copies, attachments, deliveryId, providers, tokens }: MailParts,
): Promise<Mail | null> {
  const { email, unsubscribe, preferences, html = notice.html } = content;
  const { unsubscribe_url: unsubscribePlace, preferences_url: preferencesPlace } = LINK_PLACEHOLDERS;
  const addLinks = (text: string) =>
    text
      .replaceAll(unsubscribePlace, unsubscribe ?? unsubscribePlace)
      .replaceAll(preferencesPlace, preferences ?? preferencesPlace);
  const plan = mailPlan.parse(plain);
  const from = await findSender(deps, notice.organizationId, providers, plan.from);
  if (from === undefined) return null;
  const { email: to = email ?? '', reply_to: replyTo, track, thread_key: key } = plan;
  const { organizationId } = notice;
  return buildMail({
    from,
    replyTo: replyTo ?? (await deps.settings.get(notice.organizationId, 'email_reply_to')),
    to,
    cc: copies.cc,
    bcc: copies.bcc,
    subject: notice.subject,
    message: addLinks(notice.message),
    html: addTracking(deps, html && addLinks(html), track, tokens),
    attachments,
    notificationId: notice.id,
    deliveryId,
    date: notice.sendAt ?? notice.createdAt,
    headers: plan.headers,
    inReplyTo: plan.in_reply_to,
    thread: key === undefined ? undefined : { organizationId, key },
    unsubscribeUrl: unsubscribe,
  });
}

function addTracking(
  { config }: Pick<BaseDeps, 'config'>,
  html: string | undefined,
  track: Tracking | undefined,
  tokens: MakeToken,
): string | undefined {
  const base = config.PUBLIC_URL;
  if (html === undefined || !track || base === undefined) return html;
  return trackHtml(html, track, {
    base,
    linkTo: (target) => `${base}/v1/track/click?token=${tokens('link', target)}`,
    picture: `${base}/v1/track/open?token=${tokens('open')}`,
  });
}

async function findSender(
  deps: Pick<BaseDeps, 'settings'>,
  organizationId: string,
  providers: readonly MailProvider[],
  wanted?: string,
): Promise<string | undefined> {
  const set = await deps.settings.get(organizationId, 'email_from');
  const isCaptured = providers.every(({ name }) => name === 'capture');
  if (wanted === undefined) return set ?? (isCaptured ? CAPTURED_FROM : undefined);
  const senders = await deps.settings.get(organizationId, 'email_senders');
  return isCaptured || isSender(getAddress(wanted), set, senders) ? wanted : undefined;
}

async function mayBeFrom(deps: BaseDeps, organizationId: string, from: string): Promise<boolean> {
  const providers = await mailProviders(deps, organizationId);
  return (await findSender(deps, organizationId, providers, from)) !== undefined;
}

function unconfigured(reason: string) {
  return { ok: false, kind: 'unconfigured', reason } as const;
}
