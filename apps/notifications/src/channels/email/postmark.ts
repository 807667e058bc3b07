// Postmark (https://postmarkapp.com/developer/api/email-api).
import { detectMimeType } from 'nodemailer/lib/mime-funcs';
import { httpProvider } from './http-provider.ts';
import { formatMailbox } from '../../addresses/mailbox.rules.ts';
import type { Mail } from './mail.rules.ts';

/**
 * https://postmarkapp.com/developer/api/overview#error-codes, in answers with 422. Others are about
 * the mail.
 */
const FAULTS: Readonly<Record<number, 'account' | 'address'>> = {
  400: 'account', // the sender's signature is not known
  401: 'account', // or not confirmed
  405: 'account', // no credits
  406: 'address', // bounced or complained before
  412: 'account', // awaits approval
  413: 'account', // may not send
};

export const postmark = httpProvider({
  name: 'postmark',
  title: 'Postmark',
  secret: 'postmark_server_token',
  baseUrl: (config) => config.POSTMARK_BASE_URL,
  describe: toBody,
  request: (mail, key) =>
    Promise.resolve({
      path: '/email',
      headers: {
        'x-postmark-server-token': key,
        'content-type': 'application/json',
        accept: 'application/json',
      },
      body: JSON.stringify(toBody(mail)),
    }),
  idMember: 'MessageID',
  judge: (status, { ErrorCode: code }) => (status === 422 ? FAULTS[Number(code)] : undefined),
});

function toBody(mail: Mail) {
  return {
    From: formatMailbox(mail.from),
    To: formatMailbox(mail.to),
    ...(mail.cc.length > 0 ? { Cc: mail.cc.map(formatMailbox).join(',') } : {}),
    ...(mail.bcc.length > 0 ? { Bcc: mail.bcc.map(formatMailbox).join(',') } : {}),
    ...(mail.replyTo ? { ReplyTo: formatMailbox(mail.replyTo) } : {}),
    Subject: mail.subject,
    TextBody: mail.text,
    ...(mail.html === undefined ? {} : { HtmlBody: mail.html }),
    Headers: Object.entries(mail.headers).map(([Name, Value]) => ({ Name, Value })),
    Metadata: { notification_id: mail.notificationId },
    Attachments: mail.attachments.map(({ filename, type, contentId, content }) => ({
      Name: filename,
      Content: content.toString('base64'),
      ContentType: type ?? detectMimeType(filename),
      ...(contentId === undefined ? {} : { ContentID: `cid:${contentId}` }),
    })),
  };
}
