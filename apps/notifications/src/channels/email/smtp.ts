// A mail server over SMTP through nodemailer. One connection per mail: the server is near, and a
// pool would have to separate organisations and secrets.
import { Readable } from 'node:stream';
import SMTPConnection from 'nodemailer/lib/smtp-connection';
import { parseConnectionUrl } from 'nodemailer/lib/shared';
import type { Secret } from '@parley/server/runtime';
import { mailDocument } from './mail-document.ts';
import { mailTimeoutMs } from '../../config/email.ts';
import type { AddressFault, MailDeps, MailProvider, MailResult } from './mail-provider.ts';
import { listReceivers, type Mail } from './mail.rules.ts';
import { findAddressFault } from './enhanced-status.rules.ts';
import { classifyFailure } from './network-failure.ts';

/** A server that needs the full time-out for every step is cut off. */
const STEPS_AT_FULL_TIME = 2;

/** What differs between mail servers. */
interface SmtpFacts {
  readonly name: 'smtp' | 'ses';
  readonly secret: 'smtp_url' | 'ses_smtp_url';
  /** Headers for the server itself. */
  readonly headers?: (mail: Mail) => Readonly<Record<string, string>>;
  /** The id in the server's reply to an accepted mail, which its events name. */
  readonly messageId?: (reply: string) => string | undefined;
  /** A reply to the mail that is about the account or the sender: another provider may accept. */
  readonly isAboutAccount?: (reply: string) => boolean;
}

export function smtpProvider(facts: SmtpFacts): MailProvider {
  const { name, secret } = facts;
  const document = (mail: Mail) => mailDocument(mail, facts.headers?.(mail));
  return {
    name,
    secret,
    available: () => true,
    preview: async (mail) => (await document(mail)).toString('utf8'),
    send: async (deps, organizationId, mail, signal) => {
      const bytes = await document(mail);
      const result = await deps.settings.use(
        organizationId,
        secret,
        (url) => attempt(deps, url, { mail, document: bytes, facts }, signal),
        (one) => one.kind === 'unusable' && one.errorClass === 'authentication_failed',
      );
      return result ?? unusable(false, 'unconfigured', `The organisation has no ${secret}.`);
    },
  };
}

export const smtp = smtpProvider({ name: 'smtp', secret: 'smtp_url' });

async function attempt(
  deps: MailDeps,
  url: Secret,
  { mail, document, facts }: { mail: Mail; document: Buffer; facts: SmtpFacts },
  signal: AbortSignal,
): Promise<MailResult> {
  const options = parseConnection(url);
  if (!options) {
    const message = `The ${facts.secret} of the organisation is not smtp://… or smtps://…`;
    return unusable(false, 'unusable_secret', message);
  }
  const timeoutMs = mailTimeoutMs(deps.config);
  const connection = new SMTPConnection({
    ...options.server,
    connectionTimeout: timeoutMs,
    greetingTimeout: timeoutMs,
    socketTimeout: timeoutMs,
    dnsTimeout: timeoutMs,
    logger: false,
  });
  // After its end, the server has the whole mail and only the last reply is missing.
  const source = Readable.from([document]);
  const overall = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs * STEPS_AT_FULL_TIME)]);
  try {
    const envelope = { from: mail.from.address, to: listReceivers(mail) };
    const { addresses, errors, reply } = await transmit(connection, options.auth, envelope, source, overall);
    const faults = findFaults(errors);
    if (!addresses.includes(mail.to.address))
      return { kind: 'accepted', faults, messageId: facts.messageId?.(reply) };
    // The copies are sent; a retry would send them again.
    const message = 'The mail server accepted the copies and refused the address itself.';
    return { ...refused('bounced', 'recipient_refused', message), faults };
  } catch (thrown) {
    const error = thrown as SmtpError;
    const { command, response = '' } = error;
    if (command === 'DATA' && facts.isAboutAccount?.(response))
      return unusable(false, 'account_refused', 'The mail server refused the account or the sender.');
    const result = toMailResult(error, source.readableEnded);
    return result.kind === 'refused' ? { ...result, faults: findFaultsOfRefusal(error, mail) } : result;
  } finally {
    connection.close();
    source.destroy();
  }
}

interface Credentials {
  readonly user: string;
  readonly pass: string;
}

/** Host, port, TLS and credentials of an address. Uses TLS whenever the server offers it. */
function parseConnection(url: Secret) {
  const text = url.reveal().trim();
  if (!/^smtps?:\/\/./i.test(text) || !URL.canParse(text)) return null;
  const { host, port, secure, auth, requireTLS, tls } = parseConnectionUrl(text) as {
    host?: string;
    port?: number;
    secure?: boolean;
    auth?: Partial<Credentials>;
    requireTLS?: boolean;
    tls?: object;
  };
  const known = auth?.user === undefined ? undefined : { user: auth.user, pass: auth.pass ?? '' };
  return { server: { host, port, secure, requireTLS, tls }, auth: known };
}

interface Transmitted {
  /** Refused ones, while the server accepted others. */
  readonly addresses: readonly string[];
  readonly errors: readonly SmtpError[];
  readonly reply: string;
}

function transmit(
  connection: SMTPConnection,
  auth: Credentials | undefined,
  envelope: { from: string; to: string[] },
  source: Readable,
  signal: AbortSignal,
): Promise<Transmitted> {
  return new Promise((resolve, reject) => {
    const outOfTime = () => reject(Object.assign(new Error('out of time'), { code: 'ETIMEDOUT' }));
    if (signal.aborted) return outOfTime();
    signal.addEventListener('abort', outOfTime, { once: true });
    connection.once('error', reject);
    connection.once('end', () => reject(Object.assign(new Error('closed'), { code: 'ECONNECTION' })));
    const send = () =>
      connection.send(envelope, source, (error, info) => {
        if (error) return reject(error);
        connection.quit();
        const { rejected: addresses, rejectedErrors: errors = [], response: reply } = info;
        resolve({ addresses, errors, reply });
      });
    connection.connect((error) => {
      if (error) return reject(error);
      if (!auth) return send();
      connection.login({ credentials: auth, ...auth }, (refused) => (refused ? reject(refused) : send()));
    });
  });
}

/** nodemailer's errors: `command` was answered with `responseCode`. */
interface SmtpError {
  readonly code?: string;
  readonly command?: string;
  readonly responseCode?: number;
  readonly response?: string;
  /** Of an answer to RCPT TO. */
  readonly recipient?: string;
  /** When every recipient was refused: one for each. */
  readonly rejectedErrors?: readonly SmtpError[];
}

function findFaults(errors: readonly SmtpError[]): readonly AddressFault[] {
  return errors.flatMap(({ recipient: address, response }) => {
    const code = findAddressFault(response);
    return address === undefined || code === undefined ? [] : { address, code };
  });
}

/** After DATA the answer is about the whole mail, so copies may be at fault. */
function findFaultsOfRefusal(error: SmtpError, { to, cc, bcc }: Mail): readonly AddressFault[] {
  if (error.command === 'DATA' && cc.length + bcc.length === 0)
    return findFaults([{ ...error, recipient: to.address }]);
  return findFaults(error.rejectedErrors ?? []);
}

function toMailResult(error: SmtpError, allSent: boolean): MailResult {
  const { code = '', command = '', responseCode: reply } = error;
  if (reply === undefined) {
    // The client refuses a mail that is too large, or an unsupported address.
    if (code === 'EMESSAGE' || code === 'EENVELOPE')
      return refused('failed', 'message_refused', 'The mail server does not accept this kind of mail.');
    if (code === 'EAUTH') return unusable(false, 'authentication_failed', AUTHENTICATION);
    const failure = classifyFailure(error);
    if (failure.errorClass === 'timeout' && allSent) return { kind: 'ambiguous', ...failure };
    return { kind: 'unusable', again: true, ...failure };
  }
  const answered = `The mail server answered ${reply}.`;
  if (reply < 500)
    return unusable(true, code === 'EAUTH' ? 'authentication_failed' : 'smtp_status', answered);
  if (code === 'EAUTH' || command.startsWith('AUTH'))
    return unusable(false, 'authentication_failed', AUTHENTICATION);
  if (command === 'RCPT TO') return refused('bounced', 'recipient_refused', answered);
  if (command === 'DATA') return refused('failed', 'message_refused', answered);
  // Greeting, EHLO, STARTTLS, MAIL FROM: the server refuses this sender.
  return unusable(false, 'smtp_status', answered);
}

const AUTHENTICATION = 'The mail server refused the user or the password.';

function unusable(again: boolean, errorClass: string, message: string): MailResult {
  return { kind: 'unusable', again, errorClass, message };
}

function refused(
  status: 'failed' | 'bounced',
  errorClass: string,
  message: string,
): Extract<MailResult, { kind: 'refused' }> {
  return { kind: 'refused', status, errorClass, message };
}
