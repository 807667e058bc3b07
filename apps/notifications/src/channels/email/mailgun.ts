// Mailgun
// (https://documentation.mailgun.com/docs/mailgun/api-reference/send/mailgun/messages): the mail as a
// document, so that it has the same bytes as over SMTP. Variables come back in events.
import { httpProvider } from './http-provider.ts';
import { mailDocument } from './mail-document.ts';
import { listReceivers, type Mail } from './mail.rules.ts';

export const mailgun = httpProvider({
  name: 'mailgun',
  title: 'Mailgun',
  secret: 'mailgun_api_key',
  baseUrl: (config) => config.MAILGUN_BASE_URL,
  describe: (mail) => toFields(mail),
  request: async (mail, key, domain = mail.from.address.slice(mail.from.address.lastIndexOf('@') + 1)) => {
    const form = new FormData();
    for (const [name, value] of Object.entries(toFields(mail))) form.append(name, value);
    form.append('message', new Blob([new Uint8Array(await mailDocument(mail))]), 'mail.eml');
    const packed = new Response(form);
    return {
      path: `/v3/${encodeURIComponent(domain)}/messages.mime`,
      headers: {
        authorization: `Basic ${Buffer.from(`api:${key}`).toString('base64')}`,
        'content-type': packed.headers.get('content-type') ?? '',
      },
      body: Buffer.from(await packed.arrayBuffer()),
    };
  },
  idMember: 'id',
});

/** `to` lists every receiver, blind copies too; the document names the visible ones. */
function toFields(mail: Mail) {
  return { to: listReceivers(mail).join(','), 'v:notification_id': mail.notificationId };
}
