// A mail as RFC 5322 text: what a mail server gets, and what is captured. nodemailer encodes headers and body.
import MailComposer from 'nodemailer/lib/mail-composer';
import { literalSubject } from './literal-subject.ts';
import type { Mail, Mailbox } from './mail.rules.ts';

export async function mailDocument(mail: Mail): Promise<Buffer> {
  const composer = new MailComposer({
    from: named(mail.from),
    ...(mail.replyTo ? { replyTo: named(mail.replyTo) } : {}),
    to: { name: '', address: mail.to },
    subject: literalSubject(mail.subject),
    text: mail.text,
    messageId: mail.messageId,
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
