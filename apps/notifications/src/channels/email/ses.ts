// Amazon SES through its SMTP endpoint: it needs no SDK and no request signature
// of our own, and SES sends the same events for it
// (https://docs.aws.amazon.com/ses/latest/dg/send-email-smtp.html).
import { smtpProvider } from './smtp.ts';

/** https://docs.aws.amazon.com/ses/latest/dg/troubleshoot-smtp.html: `250 Ok <message id>`. */
const ACCEPTED = /^250 Ok ([\w-]{1,255})$/i;

/**
 * https://docs.aws.amazon.com/ses/latest/dg/troubleshoot-error-messages.html: identities that are not
 * verified, missing permissions, a paused account.
 */
const ABOUT_ACCOUNT = /^554 (Access denied|Message rejected: .*(not verified|paused|sandbox))/i;

export const ses = smtpProvider({
  name: 'ses',
  secret: 'ses_smtp_url',
  // SES removes the header before it sends the mail.
  headers: ({ notificationId }) => ({ 'X-SES-MESSAGE-TAGS': `notification_id=${notificationId}` }),
  messageId: (reply) => ACCEPTED.exec(reply.trim())?.[1],
  isAboutAccount: (reply) => ABOUT_ACCOUNT.test(reply),
});
