// What holds for every organisation that the operator has set nothing for. The table of settings, and how they are read,
// stand in libs/organizations, which the CLI shares.
import { settingKeys, type SettingKey } from '@parley/organizations';
import { secretReference } from '@parley/runtime';

/** `webhook_secret` has no default on purpose: a key that all share would let one receiver sign for another. */
export const settingsEnv = {
  CHAT_WEBHOOK_URL: secretReference
    .optional()
    .describe('Secret reference of the chat URL of organisations that have set none'),
  SENDGRID_API_KEY: secretReference
    .optional()
    .describe('Secret reference of the SendGrid key of organisations that have set none'),
  SENDGRID_EVENT_KEY: secretReference
    .optional()
    .describe('Secret reference of the public key that SendGrid events are verified with, likewise'),
  SMTP_URL: secretReference
    .optional()
    .describe('Secret reference of the mail server (smtp:// or smtps://), likewise'),
  EMAIL_FROM: settingKeys.email_from.schema.optional().describe('Sender of mail, likewise'),
  EMAIL_REPLY_TO: settingKeys.email_reply_to.schema.optional().describe('Where answers to mail go, likewise'),
  EMAIL_PROVIDERS: settingKeys.email_providers.schema
    .optional()
    .describe('Mail providers in the order in which they are tried (sendgrid, smtp, capture), likewise'),
} as const;

type Defaults = { readonly [Variable in keyof typeof settingsEnv]?: string | undefined };

export function settingDefaults(config: Defaults): Partial<Record<SettingKey, string | undefined>> {
  return {
    chat_webhook_url: config.CHAT_WEBHOOK_URL,
    sendgrid_api_key: config.SENDGRID_API_KEY,
    sendgrid_event_key: config.SENDGRID_EVENT_KEY,
    smtp_url: config.SMTP_URL,
    email_from: config.EMAIL_FROM,
    email_reply_to: config.EMAIL_REPLY_TO,
    email_providers: config.EMAIL_PROVIDERS,
  };
}
