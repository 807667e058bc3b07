// A mail as RFC 5322 text, for mail servers and captured files. nodemailer encodes headers and
// body.
import { createHash } from 'node:crypto';
import MailComposer from 'nodemailer/lib/mail-composer';
import { literalSubject } from './literal-subject.ts';
import type { Mailbox } from '../../addresses/mailbox.rules.ts';
import type { Mail } from './mail.rules.ts';

/** `forServer`: headers that the mail server reads. */
export async function mailDocument(
  mail: Mail,
  forServer: Readonly<Record<string, string>> = {},
): Promise<Buffer> {
  const composer = new MailComposer({
    from: toAddress(mail.from),
    ...(mail.replyTo ? { replyTo: toAddress(mail.replyTo) } : {}),
    to: toAddress(mail.to),
    // Blind copies appear only in the envelope.
    ...(mail.cc.length > 0 ? { cc: mail.cc.map(toAddress) } : {}),
    subject: literalSubject(mail.subject),
    text: mail.text,
    ...(mail.html === undefined ? {} : { html: mail.html }),
    attachments: mail.attachments.map(({ filename, type, contentId, content }) => ({
      filename,
      content,
      ...(type === undefined ? {} : { contentType: type }),
      ...(contentId === undefined ? {} : { cid: contentId, contentDisposition: 'inline' as const }),
    })),
    messageId: mail.messageId,
    // nodemailer's default is random; a mail must have the same bytes in every attempt.
    baseBoundary: createHash('sha256').update(mail.messageId).digest('hex').slice(0, 32),
    date: mail.date,
    headers: { ...mail.headers, ...forServer },
    // Never reads a path or an address that the content names.
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  return composer.compile().build();
}

function toAddress({ name = '', address }: Mailbox) {
  return { name, address };
}
