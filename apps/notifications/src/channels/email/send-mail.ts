// Tries an organisation's mail providers in order until one accepts or finally refuses the mail
// (docs/notifications.md#e-mail).
import { MAIL_PROVIDERS } from '@parley/server/organizations';
import { SecretUnavailable } from '@parley/server/runtime';
import { capture } from './capture.ts';
import type { MailDeps, MailProvider, MailProviderName, MailResult } from './mail-provider.ts';
import type { Mail } from './mail.rules.ts';
import { mailgun } from './mailgun.ts';
import { postmark } from './postmark.ts';
import { resend } from './resend.ts';
import { sendgrid } from './sendgrid.ts';
import { ses } from './ses.ts';
import { smtp } from './smtp.ts';
import { recordMailResult } from './record-mail-result.ts';
import type { Outcome } from '../../outcomes/outcome.ts';

const PROVIDERS: Readonly<Record<MailProviderName, MailProvider>> = {
  sendgrid,
  smtp,
  ses,
  mailgun,
  postmark,
  resend,
  capture,
};

/** Without configuration: the first provider with a secret; in development, a file. */
const DEFAULT_ORDER: readonly MailProviderName[] = MAIL_PROVIDERS.filter((name) => name !== 'capture');

/** In the order of use. Skips providers in `email_providers` whose secret is not set. */
export async function mailProviders(
  deps: Pick<MailDeps, 'config' | 'settings'>,
  organizationId: string,
): Promise<MailProvider[]> {
  const named = await deps.settings.get(organizationId, 'email_providers');
  const order = named === undefined ? DEFAULT_ORDER : (named.split(',') as MailProviderName[]);
  const usable: MailProvider[] = [];
  for (const provider of new Set(order.map((name) => PROVIDERS[name]))) {
    const { secret } = provider;
    const configured = secret === null || (await deps.settings.stored(organizationId, secret)) !== undefined;
    if (configured && provider.available(deps)) usable.push(provider);
  }
  return usable.length === 0 && named === undefined && capture.available(deps) ? [capture] : usable;
}

/** Stops at a refusal and, without EMAIL_RETRY_AMBIGUOUS, at an ambiguous result. */
export async function sendMail(
  deps: MailDeps,
  organizationId: string,
  mail: Mail,
  providers: readonly MailProvider[],
  signal: AbortSignal,
): Promise<Outcome> {
  const unusable: Extract<MailResult, { kind: 'unusable' }>[] = [];
  for (const provider of providers) {
    const result = await sendWith(deps, provider, organizationId, mail, signal);
    deps.log.info(
      {
        notification_id: mail.notificationId,
        organization_id: organizationId,
        provider: provider.name,
        result: result.kind,
        error_class: 'errorClass' in result ? result.errorClass : undefined,
      },
      'email.attempted',
    );
    await recordMailResult(deps, organizationId, provider.name, mail, result);
    switch (result.kind) {
      case 'accepted':
        return { kind: 'sent', httpStatus: result.httpStatus };
      case 'refused':
        return { ...result, kind: 'final' };
      case 'ambiguous':
        if (!deps.config.EMAIL_RETRY_AMBIGUOUS) return { ...result, kind: 'final', status: 'unknown' };
        unusable.push({ ...result, kind: 'unusable', again: true });
        break;
      case 'unusable':
        unusable.push(result);
    }
  }
  return toFailedOutcome(unusable);
}

/** No provider accepted. Retries if one may accept later, after the shortest wait. */
function toFailedOutcome(unusable: readonly Extract<MailResult, { kind: 'unusable' }>[]): Outcome {
  const again = unusable.filter((result) => result.again);
  const [first = NONE] = again.length > 0 ? again : unusable;
  const { errorClass, message, httpStatus } = first;
  if (again.length === 0) return { kind: 'final', status: 'failed', errorClass, message, httpStatus };
  const waits = again.map(({ retryAfterMs = 0 }) => retryAfterMs);
  return { kind: 'retry', errorClass, message, httpStatus, retryAfterMs: Math.min(...waits) };
}

const NONE = {
  errorClass: 'unconfigured',
  message: 'The organisation has no mail provider.',
  httpStatus: undefined,
};

async function sendWith(
  deps: MailDeps,
  provider: MailProvider,
  organizationId: string,
  mail: Mail,
  signal: AbortSignal,
): Promise<MailResult> {
  try {
    return await provider.send(deps, organizationId, mail, signal);
  } catch (error) {
    if (!(error instanceof SecretUnavailable)) throw error;
    deps.log.warn({ err: error, notification_id: mail.notificationId }, 'secret.unavailable');
    return {
      kind: 'unusable',
      again: true,
      errorClass: 'secret_unavailable',
      message: `The secret ${provider.secret} cannot be read at the moment.`,
    };
  }
}
