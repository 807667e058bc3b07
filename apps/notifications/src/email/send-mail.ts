// Asks an organisation's mail providers one after the other, until one takes the mail or says that none will
// (docs/notifications.md#e-mail).
import { SecretUnavailable } from '@parley/runtime';
import type { Outcome } from '../channels/channel.ts';
import { capture } from './capture.ts';
import type { MailDeps, MailProvider, MailProviderName, MailResult } from './mail-provider.ts';
import type { Mail } from './mail.rules.ts';
import { sendgrid } from './sendgrid.ts';
import { smtp } from './smtp.ts';

const PROVIDERS: Readonly<Record<MailProviderName, MailProvider>> = { sendgrid, smtp, capture };

/** Where the organisation and the deployment say nothing: the first whose secret is set; in development, a file. */
const USUAL_ORDER: readonly MailProviderName[] = ['sendgrid', 'smtp'];

/**
 * The providers that the organisation has, in the order in which they are tried. Of those it names (`email_providers`), one
 * whose secret is not set is passed over.
 */
export async function mailProviders(
  deps: Pick<MailDeps, 'config' | 'settings'>,
  organizationId: string,
): Promise<MailProvider[]> {
  const named = await deps.settings.get(organizationId, 'email_providers');
  const order = named === undefined ? USUAL_ORDER : (named.split(',') as MailProviderName[]);
  const usable: MailProvider[] = [];
  for (const provider of new Set(order.map((name) => PROVIDERS[name]))) {
    const { secret } = provider;
    const configured = secret === null || (await deps.settings.stored(organizationId, secret)) !== undefined;
    if (configured && provider.available(deps)) usable.push(provider);
  }
  return usable.length === 0 && named === undefined && capture.available(deps) ? [capture] : usable;
}

/**
 * A provider that did not take the mail is followed by the next one. A mail that a provider refuses is refused, and one of which
 * nobody knows whether it was taken is not sent twice (unless EMAIL_RETRY_AMBIGUOUS).
 */
export async function sendMail(
  deps: MailDeps,
  organizationId: string,
  mail: Mail,
  providers: readonly MailProvider[],
  signal: AbortSignal,
): Promise<Outcome> {
  const passedOver: Extract<MailResult, { kind: 'unusable' }>[] = [];
  for (const provider of providers) {
    const result = await ask(deps, provider, organizationId, mail, signal);
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
    switch (result.kind) {
      case 'accepted':
        return { kind: 'sent', httpStatus: result.httpStatus };
      case 'refused':
        return { ...result, kind: 'final' };
      case 'ambiguous':
        if (!deps.config.EMAIL_RETRY_AMBIGUOUS) return { ...result, kind: 'final', status: 'unknown' };
        passedOver.push({ ...result, kind: 'unusable', again: true });
        break;
      case 'unusable':
        passedOver.push(result);
    }
  }
  return afterAll(passedOver);
}

/** Nobody took it. Worth another attempt if one provider may take it then; the soonest one says when. */
function afterAll(passedOver: readonly Extract<MailResult, { kind: 'unusable' }>[]): Outcome {
  const again = passedOver.filter((result) => result.again);
  const [first = NONE] = again.length > 0 ? again : passedOver;
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

async function ask(
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
