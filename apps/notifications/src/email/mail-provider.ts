// What a mail provider is, and what it may come to when one is asked. sendgrid.ts, smtp.ts and capture.ts are the three;
// send-mail.ts asks them one after the other.
import type { SettingKey } from '@parley/organizations';
import type { Deps } from '../deps.ts';
import type { Mail } from './mail.rules.ts';

export const MAIL_PROVIDERS = ['sendgrid', 'smtp', 'capture'] as const;
export type MailProviderName = (typeof MAIL_PROVIDERS)[number];

interface Failed {
  readonly errorClass: string;
  /** A sentence of constants, which the customer may read. */
  readonly message: string;
  readonly httpStatus?: number | undefined;
}

/**
 * - `accepted`: it is the provider's now.
 * - `refused`: it is the mail, not the provider: another one would say the same.
 * - `unusable`: this provider did not take it, another one may. `again`: nor will this one later, unless it is mended.
 * - `ambiguous`: every byte was sent and no answer came. It may have been taken.
 */
export type MailResult =
  | { readonly kind: 'accepted'; readonly httpStatus?: number | undefined }
  | ({ readonly kind: 'refused'; readonly status: 'failed' | 'bounced' } & Failed)
  | ({
      readonly kind: 'unusable';
      readonly again: boolean;
      readonly retryAfterMs?: number | undefined;
    } & Failed)
  | ({ readonly kind: 'ambiguous' } & Failed);

export type MailDeps = Pick<Deps, 'config' | 'settings' | 'clock' | 'log'>;

export interface MailProvider {
  readonly name: MailProviderName;
  /** The setting whose secret it needs; null for one that needs none. */
  readonly secret: Extract<SettingKey, 'sendgrid_api_key' | 'smtp_url'> | null;
  /** Whether this deployment can use it at all. */
  available(deps: Pick<Deps, 'config'>): boolean;
  /** Exactly what would be sent. */
  preview(mail: Mail): Promise<unknown>;
  /** One attempt. @throws SecretUnavailable, and nothing else that is the provider's fault. */
  send(deps: MailDeps, organizationId: string, mail: Mail, signal: AbortSignal): Promise<MailResult>;
}
