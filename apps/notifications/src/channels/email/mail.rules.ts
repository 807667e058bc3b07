// Pure: builds a mail with the same bytes for every provider and attempt.
import { createHash } from 'node:crypto';
import { parseMailbox, type Mailbox } from '../../addresses/mailbox.rules.ts';

export interface Attachment {
  readonly filename: string;
  /** Absent: derived from the filename. */
  readonly type: string | undefined;
  /** The id that `cid:` in the HTML refers to. */
  readonly contentId: string | undefined;
  readonly content: Buffer;
}

export interface Mail {
  readonly from: Mailbox;
  readonly replyTo: Mailbox | undefined;
  readonly to: Mailbox;
  readonly cc: readonly Mailbox[];
  readonly bcc: readonly Mailbox[];
  readonly subject: string;
  readonly text: string;
  /** HTML version of the text. */
  readonly html: string | undefined;
  readonly attachments: readonly Attachment[];
  readonly notificationId: string;
  readonly deliveryId: string;
  /** RFC 5322 Message-ID. The same in every attempt, so receivers can recognise a repetition. */
  readonly messageId: string;
  readonly date: Date;
  /** Headers besides the standard ones. */
  readonly headers: Readonly<Record<string, string>>;
}

export interface MailFacts {
  readonly from: string;
  readonly replyTo: string | undefined;
  readonly to: string;
  readonly cc?: readonly string[] | undefined;
  readonly bcc?: readonly string[] | undefined;
  readonly subject: string;
  readonly message: string;
  readonly html?: string | undefined;
  readonly attachments?: readonly Attachment[] | undefined;
  readonly notificationId: string;
  readonly deliveryId: string;
  /** The send time that the reader sees. */
  readonly date: Date;
  /** Checked ones of the send. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Message-ID of another mail. */
  readonly inReplyTo?: string | undefined;
  /** Of the organisation: mail with the same key is one thread. */
  readonly thread?: { readonly organizationId: string; readonly key: string } | undefined;
  /** One-click unsubscribe address (RFC 8058). */
  readonly unsubscribeUrl?: string | undefined;
}

/** Null when an address is invalid: only checked ones may reach a header. */
export function buildMail(facts: MailFacts): Mail | null {
  const from = parseMailbox(facts.from);
  const replyTo = facts.replyTo === undefined ? undefined : parseMailbox(facts.replyTo);
  const to = parseMailbox(facts.to);
  const cc = parseAll(facts.cc);
  const bcc = parseAll(facts.bcc);
  if (from === null || replyTo === null || to === null || cc === null || bcc === null) return null;
  const domain = from.address.slice(from.address.lastIndexOf('@') + 1);
  return {
    from,
    replyTo,
    to,
    cc,
    bcc,
    subject: oneLine(facts.subject),
    text: facts.message,
    html: facts.html,
    attachments: facts.attachments ?? [],
    notificationId: facts.notificationId,
    deliveryId: facts.deliveryId,
    messageId: `<${facts.deliveryId}@${domain}>`,
    date: facts.date,
    headers: {
      ...facts.headers,
      ...threadHeaders(facts, domain),
      'X-Notification-Id': facts.notificationId,
      ...(facts.unsubscribeUrl === undefined ? {} : oneClickHeaders(facts.unsubscribeUrl)),
    },
  };
}

/** Null when one is invalid. */
function parseAll(texts: readonly string[] = []): Mailbox[] | null {
  const parsed = texts.map(parseMailbox);
  return parsed.every((one) => one !== null) ? parsed : null;
}

/**
 * RFC 5322 §3.6.4. The root of a thread is an id that no mail has: mail programs join what refers
 * to the same one, and the first mail needs no special treatment.
 */
function threadHeaders({ inReplyTo, thread }: MailFacts, domain: string): Readonly<Record<string, string>> {
  const root = thread && `<thread.${digest(`${thread.organizationId}\n${thread.key}`)}@${domain}>`;
  const references = [root, inReplyTo].filter((id) => id !== undefined);
  const last = references.at(-1);
  return last === undefined ? {} : { 'In-Reply-To': last, References: references.join(' ') };
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 32);
}

/** RFC 8058 §3.1. A DKIM signature must cover these headers, as SendGrid's does. */
function oneClickHeaders(url: string): Readonly<Record<string, string>> {
  return { 'List-Unsubscribe': `<${url}>`, 'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click' };
}

/** The addresses of the envelope, blind copies included. */
export function listReceivers({ to, cc, bcc }: Pick<Mail, 'to' | 'cc' | 'bcc'>): string[] {
  return [to, ...cc, ...bcc].map(({ address }) => address);
}

/** A line break would begin a header; a subject cut from a message may contain some. */
export function oneLine(text: string): string {
  return text.replaceAll(/[\p{Cc}\u2028\u2029]+/gu, ' ').trim();
}
