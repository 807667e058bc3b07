// Messages of Amazon SNS: their signature, and the confirmation of a subscription
// (https://docs.aws.amazon.com/sns/latest/dg/sns-verify-signature-of-message.html).
import { createVerify, X509Certificate, type KeyObject } from 'node:crypto';
import { z } from 'zod';
import { AppError } from '@parley/envelopes';
import type { Outbound } from '@parley/outbound';
import { isFresh, type Presented } from './event-credential.ts';
import { parseObject } from './signatures.ts';

const text = z.string().max(512 * 1024);
export const snsMessage = z.object({
  Type: z.enum(['Notification', 'SubscriptionConfirmation', 'UnsubscribeConfirmation']),
  MessageId: z.string().regex(/^[\w-]{1,100}$/),
  TopicArn: z.string().max(256),
  Message: text,
  Subject: text.nullish(),
  Timestamp: z.iso.datetime(),
  SubscribeURL: z.string().max(2_048).optional(),
  Token: z.string().max(2_048).optional(),
  SignatureVersion: z.enum(['1', '2']),
  Signature: z.string().max(1_024),
  SigningCertURL: z.string().max(2_048),
});
export type SnsMessage = z.output<typeof snsMessage>;

/** Members that are signed, in this order, when the message has them. */
const SIGNED = {
  Notification: ['Message', 'MessageId', 'Subject', 'Timestamp', 'TopicArn', 'Type'],
  SubscriptionConfirmation: [
    'Message',
    'MessageId',
    'SubscribeURL',
    'Timestamp',
    'Token',
    'TopicArn',
    'Type',
  ],
  UnsubscribeConfirmation: ['Message', 'MessageId', 'SubscribeURL', 'Timestamp', 'Token', 'TopicArn', 'Type'],
} as const satisfies Record<SnsMessage['Type'], readonly (keyof SnsMessage)[]>;

/** By `SignatureVersion`. */
const HASHES = { 1: 'RSA-SHA1', 2: 'RSA-SHA256' } as const;

/** Only SNS has these hosts. A bucket of a customer is below s3.amazonaws.com. */
const SNS_HOST = /^sns\.[a-z0-9-]{3,40}\.amazonaws\.com(\.cn)?$/;
const CERTIFICATE_PATH = /^\/SimpleNotificationService-[0-9a-zA-Z]{1,100}\.pem$/;
/** SNS changes its certificate rarely. */
const CERTIFICATES_MAX = 50;
const TIMEOUT_MS = 5_000;

/** The body behind a URL of Amazon; undefined when it cannot be fetched. */
export type FetchAmazon = (url: string) => Promise<string | undefined>;

export function fetchAmazonBy(outbound: Outbound): FetchAmazon {
  return async (url) => {
    const answer = await outbound.request({ url, method: 'GET', timeoutMs: TIMEOUT_MS, needBody: true });
    return answer.ok ? answer.body : undefined;
  };
}

/** The text that SNS signs. */
export function toSignedText(message: SnsMessage): string {
  return SIGNED[message.Type]
    .filter((name) => message[name] != null)
    .map((name) => `${name}\n${message[name]}\n`)
    .join('');
}

/** Everybody with an account of Amazon can send signed messages, so the topic must be ours. */
export function snsVerifier(fetchAmazon: FetchAmazon) {
  const keys = new Map<string, KeyObject>();
  return async (topicArn: string, { body, nowMs }: Presented): Promise<boolean> => {
    const { data: message } = snsMessage.safeParse(parseObject(body));
    if (message?.TopicArn !== topicArn || !isFresh(Date.parse(message.Timestamp), nowMs)) return false;
    const { SigningCertURL: url, SignatureVersion: version } = message;
    if (!isAtAmazon(url) || !CERTIFICATE_PATH.test(new URL(url).pathname)) return false;
    const key = keys.get(url) ?? (await loadKey(fetchAmazon, url, nowMs));
    if (!key) return false;
    if (keys.size >= CERTIFICATES_MAX) keys.clear();
    keys.set(url, key);
    return createVerify(HASHES[version])
      .update(toSignedText(message))
      .verify(key, message.Signature, 'base64');
  };
}

export function isAtAmazon(url: string): boolean {
  if (!URL.canParse(url)) return false;
  const { protocol, hostname, port, username } = new URL(url);
  return protocol === 'https:' && SNS_HOST.test(hostname) && port === '' && username === '';
}

/** @throws AppError unavailable, after which SNS repeats the message; a 4xx would end it. */
async function loadKey(fetchAmazon: FetchAmazon, url: string, nowMs: number): Promise<KeyObject | undefined> {
  const pem = await fetchAmazon(url);
  if (pem === undefined) throw unreachable('the certificate of Amazon SNS cannot be fetched at the moment');
  try {
    const certificate = new X509Certificate(pem);
    const isValid = Date.parse(certificate.validFrom) <= nowMs && nowMs <= Date.parse(certificate.validTo);
    return isValid ? certificate.publicKey : undefined;
  } catch {
    return undefined; // not a certificate
  }
}

/** Tells SNS that the endpoint wants the messages of the topic. @throws AppError unavailable */
export async function confirmSubscription(fetchAmazon: FetchAmazon, { SubscribeURL: url = '' }: SnsMessage) {
  if (!isAtAmazon(url) || (await fetchAmazon(url)) === undefined)
    throw unreachable('the subscription cannot be confirmed at the moment');
}

function unreachable(message: string): AppError {
  return new AppError('unavailable', message, { headers: { 'retry-after': '60' } });
}
