// Defaults of settings for organisations that the operator has not configured.
// libs/server/organizations reads the settings and shares their table with the CLI.
import { z } from 'zod';
import { settingKeys } from '@parley/server/organizations';
import { jsonVariable } from '@parley/server/runtime';

const schemaOf = <Key extends keyof typeof settingKeys>(key: Key) => settingKeys[key].schema.optional();

/**
 * `webhook_secret` has no default: with a shared key one receiver could sign for another. Alerts go
 * to a chat of the organisation itself.
 */
const defaults = z.strictObject({
  chat_webhook_url: schemaOf('chat_webhook_url'),
  sendgrid_api_key: schemaOf('sendgrid_api_key'),
  sendgrid_event_key: schemaOf('sendgrid_event_key'),
  smtp_url: schemaOf('smtp_url'),
  ses_smtp_url: schemaOf('ses_smtp_url'),
  ses_topic_arn: schemaOf('ses_topic_arn'),
  mailgun_api_key: schemaOf('mailgun_api_key'),
  mailgun_domain: schemaOf('mailgun_domain'),
  mailgun_signing_key: schemaOf('mailgun_signing_key'),
  postmark_server_token: schemaOf('postmark_server_token'),
  postmark_webhook_password: schemaOf('postmark_webhook_password'),
  resend_api_key: schemaOf('resend_api_key'),
  resend_signing_secret: schemaOf('resend_signing_secret'),
  email_from: schemaOf('email_from'),
  email_senders: schemaOf('email_senders'),
  email_reply_to: schemaOf('email_reply_to'),
  email_providers: schemaOf('email_providers'),
});

export const settingsEnv = {
  SETTING_DEFAULTS: jsonVariable
    .pipe(defaults)
    .prefault('{}')
    .describe(
      'Settings of organisations that have none of their own, as JSON: `{"smtp_url":"file:///run/secrets/smtp","email_from":"Acme <alerts@acme.example>"}`. Keys of `parley settings` except `webhook_secret` and `alert_chat_webhook_url`; secrets as references',
    ),
} as const;
