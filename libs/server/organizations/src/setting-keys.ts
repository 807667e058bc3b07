// THE table of settings of an organisation. The CLI validates by it.
import { z } from 'zod';
import { secretReference } from '@parley/server/runtime';

export interface SettingRow {
  /** `secret`: only a reference may be stored. `value`: stored and shown as it is. */
  readonly kind: 'secret' | 'value';
  /** What may be stored: the reference, or the value. */
  readonly schema: z.ZodType<string>;
  readonly docs: string;
}

/** RFC 5321 §4.5.3.1, and a display name. */
const SENDER_CHARS_MAX = 400;
/** An address, bare or as `Name <address>`. Control characters would end the header. */
const mailbox = z
  .string()
  .max(SENDER_CHARS_MAX)
  .regex(
    /^(?:[^\p{Cc}<>]+ ?<[^\p{Cc}\s<>@]+@[^\p{Cc}\s<>@]+>|[^\p{Cc}\s<>@]+@[^\p{Cc}\s<>@]+)$/u,
    'must be an e-mail address, or a name and an address: Acme <alerts@acme.example>',
  );

/** About a hundred. */
const SENDERS_CHARS_MAX = 4_000;
const SENDER = String.raw`[^\p{Cc}\s<>@,"]*@[^\p{Cc}\s<>@,"]+`;

/** Names in `email_providers`. */
export const MAIL_PROVIDERS = [
  'sendgrid',
  'smtp',
  'ses',
  'mailgun',
  'postmark',
  'resend',
  'capture',
] as const;
const PROVIDER = `(${MAIL_PROVIDERS.join('|')})`;
const PROVIDER_LIST = MAIL_PROVIDERS.join(', ').replace(/, (\w+)$/, ' or $1');

const secret = (docs: string) => ({ kind: 'secret', schema: secretReference, docs }) as const;
const value = (schema: z.ZodType<string>, docs: string) => ({ kind: 'value', schema, docs }) as const;

export const settingKeys = {
  chat_webhook_url: secret('Default chat for requests without a webhook_url'),
  alert_chat_webhook_url: secret(
    'Further destination of alerts besides the alert address: an incoming webhook of a chat',
  ),
  sendgrid_api_key: secret('API key of the organisation’s SendGrid account'),
  sendgrid_event_key: secret('Public key of SendGrid’s signed event webhook'),
  smtp_url: secret('smtp:// or smtps:// address of the mail server, with user and password'),
  ses_smtp_url: secret('smtps:// address of Amazon SES in its region, with SMTP user and password'),
  ses_topic_arn: value(
    z
      .string()
      .regex(/^arn:aws[a-z-]*:sns:[a-z0-9-]+:\d{12}:[\w.-]{1,256}$/, 'must be the ARN of an SNS topic'),
    'SNS topic that events of Amazon SES come from; others are refused',
  ),
  mailgun_api_key: secret('API key of Mailgun, or sending key of the domain'),
  mailgun_domain: value(
    z
      .string()
      .max(253)
      .regex(/^[a-z0-9-]+(\.[a-z0-9-]+)+$/i, 'must be a domain, such as mg.acme.example'),
    'Domain at Mailgun. Default: the domain of the sender',
  ),
  mailgun_signing_key: secret('HTTP webhook signing key of Mailgun'),
  postmark_server_token: secret('Server API token of Postmark'),
  postmark_webhook_password: secret('Password in the URL of Postmark’s webhooks'),
  resend_api_key: secret('API key of Resend'),
  resend_signing_secret: secret('Signing secret (whsec_…) of Resend’s webhook'),
  webhook_secret: secret(
    'Secret (whsec_…) that signs generic webhooks; two, separated by a blank, during a rotation',
  ),
  email_from: value(mailbox, 'Sender of the organisation’s mail'),
  email_senders: value(
    z
      .string()
      .max(SENDERS_CHARS_MAX)
      .regex(
        new RegExp(`^${SENDER}(,${SENDER})*$`, 'u'),
        'must be addresses and domains, comma-separated: news@acme.example,@alerts.acme.example',
      ),
    'Further senders that sends and templates may choose: addresses, and domains that begin with @',
  ),
  email_reply_to: value(mailbox, 'Reply address of the organisation’s mail'),
  email_providers: value(
    z
      .string()
      .regex(
        new RegExp(`^${PROVIDER}(,${PROVIDER})*$`),
        `must be ${PROVIDER_LIST}, comma-separated, in the order in which they are tried`,
      ),
    `Mail providers in the order in which they are tried: ${MAIL_PROVIDERS.join(', ')}`,
  ),
} as const satisfies Record<string, SettingRow>;

export type SettingKey = keyof typeof settingKeys;
type KeyOfKind<Kind> = {
  [Key in SettingKey]: (typeof settingKeys)[Key]['kind'] extends Kind ? Key : never;
}[SettingKey];
/** Keys for which only a reference is stored. */
export type SecretKey = KeyOfKind<'secret'>;
/** Keys that are stored as they are. */
export type ValueKey = KeyOfKind<'value'>;
/** The stored form: exactly one of the two. */
export type SettingValue = { readonly reference: string } | { readonly value: string };

export function isSettingKey(key: string): key is SettingKey {
  return Object.hasOwn(settingKeys, key);
}
