// The interface of mail providers and their results. Implemented by sendgrid.ts, smtp.ts, ses.ts,
// http-provider.ts and capture.ts, used by send-mail.ts.
import type { MAIL_PROVIDERS, SecretKey } from '@parley/server/organizations';
import type { BaseDeps } from '../../base-deps.ts';
import type { Mail } from './mail.rules.ts';

export type MailProviderName = (typeof MAIL_PROVIDERS)[number];
/** Those with an event webhook. */
export type EventProviderName = Exclude<MailProviderName, 'smtp' | 'capture'>;

interface Failure {
  readonly errorClass: string;
  /** A constant sentence for the customer. */
  readonly message: string;
  readonly httpStatus?: number | undefined;
}

/** An address of the mail that accepts no mail, and the status code that says so. */
export interface AddressFault {
  readonly address: string;
  readonly code: string;
}

/**
 * - `accepted`: the provider has the mail.
 * - `refused`: because of the mail, so other providers would refuse it too.
 * - `unusable`: this provider failed, another may accept. `again`: it may accept later.
 * - `ambiguous`: all bytes were sent without an answer. The provider may have the mail.
 */
export type MailResult =
  | {
      readonly kind: 'accepted';
      readonly httpStatus?: number | undefined;
      /** The provider's, which its events name. */
      readonly messageId?: string | undefined;
      readonly faults?: readonly AddressFault[];
    }
  | ({
      readonly kind: 'refused';
      readonly status: 'failed' | 'bounced';
      readonly faults?: readonly AddressFault[];
    } & Failure)
  | ({
      readonly kind: 'unusable';
      readonly again: boolean;
      readonly retryAfterMs?: number | undefined;
    } & Failure)
  | ({ readonly kind: 'ambiguous' } & Failure);

export type MailDeps = Pick<
  BaseDeps,
  'config' | 'settings' | 'clock' | 'log' | 'sql' | 'ids' | 'dataSealer' | 'outbound'
>;

export interface MailProvider {
  readonly name: MailProviderName;
  /** The setting of its secret; null when it needs none. */
  readonly secret: SecretKey | null;
  /** Whether this deployment can use it. */
  available(deps: Pick<BaseDeps, 'config'>): boolean;
  /** Exactly what a send would transmit. */
  preview(mail: Mail): Promise<unknown>;
  /** One attempt. @throws SecretUnavailable. Other failures of the provider are results. */
  send(deps: MailDeps, organizationId: string, mail: Mail, signal: AbortSignal): Promise<MailResult>;
}
