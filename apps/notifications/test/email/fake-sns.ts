// Amazon SNS for tests: signs messages, and serves the certificate that they name
// (https://docs.aws.amazon.com/sns/latest/dg/sns-verify-signature-of-message.html).
import { execFileSync } from 'node:child_process';
import { createSign, randomUUID } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { toSignedText, type SnsMessage } from '../../src/channels/email/events/sns.ts';

export const SNS_TOPIC = 'arn:aws:sns:eu-west-1:123456789012:parley-mail';
export const CERTIFICATE_URL = 'https://sns.eu-west-1.amazonaws.com/SimpleNotificationService-9c6465fa.pem';

export interface SignedRequest {
  readonly body: string;
  readonly headers: Record<string, string>;
}

export function fakeSns() {
  const { key, certificate } = createCertificate();
  const fetched: string[] = [];
  const sns = {
    /** Every URL that was fetched. */
    fetched,
    /** Answers the confirmation of a subscription; undefined: cannot be reached. */
    confirmation: 'ok' as string | undefined,
    fetchAmazon: (url: string): Promise<string | undefined> => {
      fetched.push(url);
      return Promise.resolve(url === CERTIFICATE_URL ? certificate : sns.confirmation);
    },
    /** SNS sends its messages as text. */
    sign: (given: Partial<SnsMessage>, atMs = Date.now(), version: '1' | '2' = '2'): SignedRequest => {
      const message = {
        MessageId: randomUUID(),
        TopicArn: SNS_TOPIC,
        Timestamp: new Date(atMs).toISOString(),
        SignatureVersion: version,
        SigningCertURL: CERTIFICATE_URL,
        ...given,
      } as SnsMessage;
      const signature = createSign(version === '1' ? 'RSA-SHA1' : 'RSA-SHA256').update(toSignedText(message));
      const body = JSON.stringify({ ...message, Signature: signature.sign(key, 'base64') });
      return { body, headers: { 'content-type': 'text/plain; charset=UTF-8' } };
    },
  };
  return sns;
}

function createCertificate() {
  const dir = mkdtempSync(join(tmpdir(), 'parley-sns-'));
  const [key, certificate] = [join(dir, 'key.pem'), join(dir, 'certificate.pem')];
  const options = ['-newkey', 'rsa:2048', '-nodes', '-days', '2', '-subj', '/CN=sns.amazonaws.com'];
  execFileSync('openssl', ['req', '-x509', ...options, '-keyout', key, '-out', certificate], {
    stdio: 'ignore',
  });
  const files = { key: readFileSync(key, 'utf8'), certificate: readFileSync(certificate, 'utf8') };
  rmSync(dir, { recursive: true });
  return files;
}
