// Defaults of settings for organisations that the operator has not configured.
// libs/server/organizations reads the settings and shares their table with the CLI.
import { settingKeys, type SettingKey } from '@parley/server/organizations';
import { secretReference } from '@parley/server/runtime';

/** `webhook_secret` has no default: with a shared key one receiver could sign for another. */
export const settingsEnv = {
  CHAT_WEBHOOK_URL: secretReference.optional().describe('Secret reference of the default chat URL'),
  SENDGRID_API_KEY: secretReference.optional().describe('Secret reference of the default SendGrid key'),
  SENDGRID_EVENT_KEY: secretReference
    .optional()
    .describe('Secret reference of the default public key that verifies SendGrid events'),
  SMTP_URL: secretReference
    .optional()
    .describe('Secret reference of the default mail server (smtp:// or smtps://)'),
  EMAIL_FROM: settingKeys.email_from.schema.optional().describe('Default sender of mail'),
  EMAIL_REPLY_TO: settingKeys.email_reply_to.schema.optional().describe('Default reply address of mail'),
  EMAIL_PROVIDERS: settingKeys.email_providers.schema
    .optional()
    .describe('Default mail providers in the order of use (sendgrid, smtp, capture)'),
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
