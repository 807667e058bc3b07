// One mail, as every provider sends it: pure, the same bytes at every attempt.

/** Who a mail is from or to. */
export interface Mailbox {
  readonly name: string | undefined;
  readonly address: string;
}

export interface Attachment {
  readonly filename: string;
  /** Left out: told from the filename. */
  readonly type: string | undefined;
  /** What `cid:` in the HTML names. */
  readonly contentId: string | undefined;
  readonly content: Buffer;
}

export interface Mail {
  readonly from: Mailbox;
  readonly replyTo: Mailbox | undefined;
  readonly to: string;
  readonly cc: readonly string[];
  readonly bcc: readonly string[];
  readonly subject: string;
  readonly text: string;
  /** The same as HTML. */
  readonly html: string | undefined;
  readonly attachments: readonly Attachment[];
  readonly notificationId: string;
  /** RFC 5322 Message-ID, with its angle brackets: the same at every attempt, so that a receiver may know a repetition. */
  readonly messageId: string;
  readonly date: Date;
  /** Headers beside the usual ones. */
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
  /** When it is sent, as far as its reader is concerned. */
  readonly date: Date;
  /** Where its reader unsubscribes with one click (RFC 8058). */
  readonly unsubscribeUrl?: string | undefined;
}

/** Null when sender, reply-to or a receiver is no mailbox: nothing but a checked address may reach a header. */
export function mailOf(facts: MailFacts): Mail | null {
  const from = mailboxOf(facts.from);
  const replyTo = facts.replyTo === undefined ? undefined : mailboxOf(facts.replyTo);
  const { to, cc = [], bcc = [] } = facts;
  if (from === null || replyTo === null || ![to, ...cc, ...bcc].every((one) => ADDRESS.test(one)))
    return null;
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
    messageId: `<${facts.deliveryId}@${from.address.slice(from.address.lastIndexOf('@') + 1)}>`,
    date: facts.date,
    headers: {
      'X-Notification-Id': facts.notificationId,
      ...(facts.unsubscribeUrl === undefined ? {} : oneClickHeaders(facts.unsubscribeUrl)),
    },
  };
}

/** RFC 8058 §3.1. Whoever signs the mail (DKIM) has to sign these too: SendGrid does, a mail server is told to. */
function oneClickHeaders(url: string): Readonly<Record<string, string>> {
  return { 'List-Unsubscribe': `<${url}>`, 'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click' };
}

/** RFC 5321 §4.5.3.1.3: a path has 256 octets, its angle brackets among them. */
export const ADDRESS_CHARACTERS_MAX = 254;
/** No blanks, control characters, commas or brackets: one address, whoever reads it. */
export const ADDRESS = /^[^\p{Cc}\s<>,;:"()[\]\\@]{1,64}@[^\p{Cc}\s<>,;:"()[\]\\@]{1,255}$/u;
const NAMED = /^([^\p{Cc}<>]*?) ?<([^<>]+)>$/u;

/** `acme@example.org`, or `Acme <acme@example.org>` with or without quotes around the name. */
export function mailboxOf(text: string): Mailbox | null {
  const named = NAMED.exec(text.trim());
  const address = named ? named[2]! : text.trim();
  if (!ADDRESS.test(address) || address.length > ADDRESS_CHARACTERS_MAX) return null;
  const name = named?.[1]?.trim().replace(/^"(.*)"$/, '$1');
  return { name: name === '' ? undefined : name, address };
}

/** A line break would end the subject and begin a header; a default subject is cut from the message, which may have some. */
export function oneLine(text: string): string {
  return text.replaceAll(/[\p{Cc}\u2028\u2029]+/gu, ' ').trim();
}
