// A mail as RFC 5322 text: what a mail server gets, and what is captured. nodemailer encodes headers and body.
import { createHash } from 'node:crypto';
import MailComposer from 'nodemailer/lib/mail-composer';
import { literalSubject } from './literal-subject.ts';
import type { Mail, Mailbox } from './mail.rules.ts';

export async function mailDocument(mail: Mail): Promise<Buffer> {
  const composer = new MailComposer({
    from: named(mail.from),
    ...(mail.replyTo ? { replyTo: named(mail.replyTo) } : {}),
    to: { name: '', address: mail.to },
    // Blind copies are of the envelope alone.
    ...(mail.cc.length > 0 ? { cc: mail.cc.map((address) => ({ name: '', address })) } : {}),
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
    // Else nodemailer takes a random one: a mail has the same bytes at every attempt.
    baseBoundary: createHash('sha256').update(mail.messageId).digest('hex').slice(0, 32),
    date: mail.date,
    headers: { ...mail.headers },
    // Text is text: no path and no address in it is read.
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  return composer.compile().build();
}

function named({ name = '', address }: Mailbox) {
  return { name, address };
}
