// Resend (https://resend.com/docs/api-reference/emails/send-email). A repetition with the same
// Idempotency-Key is recognised for 24 hours.
import { httpProvider } from './http-provider.ts';
import { formatMailbox } from '../../addresses/mailbox.rules.ts';
import type { Mail } from './mail.rules.ts';

export const resend = httpProvider({
  name: 'resend',
  title: 'Resend',
  secret: 'resend_api_key',
  baseUrl: (config) => config.RESEND_BASE_URL,
  describe: toBody,
  request: (mail, key) =>
    Promise.resolve({
      path: '/emails',
      headers: {
        authorization: `Bearer ${key}`,
        'content-type': 'application/json',
        'idempotency-key': mail.deliveryId,
      },
      body: JSON.stringify(toBody(mail)),
    }),
  idMember: 'id',
  isIdempotent: true,
  // https://resend.com/docs/api-reference/errors
  judge: (status, { name }) => {
    if (status !== 409) return undefined;
    // An attachment changed after an attempt whose end is not known.
    return name === 'invalid_idempotent_request' ? 'unclear' : 'later';
  },
});

function toBody(mail: Mail) {
  return {
    from: formatMailbox(mail.from),
    to: [formatMailbox(mail.to)],
    ...(mail.cc.length > 0 ? { cc: mail.cc.map(formatMailbox) } : {}),
    ...(mail.bcc.length > 0 ? { bcc: mail.bcc.map(formatMailbox) } : {}),
    ...(mail.replyTo ? { reply_to: formatMailbox(mail.replyTo) } : {}),
    subject: mail.subject,
    text: mail.text,
    ...(mail.html === undefined ? {} : { html: mail.html }),
    headers: mail.headers,
    tags: [{ name: 'notification_id', value: mail.notificationId }],
    ...(mail.attachments.length > 0
      ? {
          attachments: mail.attachments.map(({ filename, type, contentId, content }) => ({
            filename,
            content: content.toString('base64'),
            ...(type === undefined ? {} : { content_type: type }),
            ...(contentId === undefined ? {} : { content_id: contentId }),
          })),
        }
      : {}),
  };
}
