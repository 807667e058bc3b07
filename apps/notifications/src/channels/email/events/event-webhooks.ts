// The table of mail providers' event webhooks.
import { z } from 'zod';
import { freeForm } from '@parley/envelopes';
import type { BaseDeps } from '../../../base-deps.ts';
import type { EventCredential } from './event-credential.ts';
import type { MailEvent } from './mail-event.rules.ts';
import { readMailgunEvent } from './mailgun-events.rules.ts';
import { readPostmarkEvent } from './postmark-events.rules.ts';
import { readResendEvent } from './resend-events.rules.ts';
import { readSendGridEvents } from './sendgrid-events.rules.ts';
import { isFromSendGrid, SENDGRID_SIGNATURE } from './sendgrid-signature.ts';
import { readSesEvents } from './ses-events.rules.ts';
import { isFromMailgun, isFromPostmark, isFromResend, parseObject } from './signatures.ts';
import { confirmSubscription, snsMessage, snsVerifier } from './sns.ts';

/** SendGrid sends up to 768 KiB at a time. */
const BATCH_BYTES_MAX = 2 * 1024 * 1024;
const BATCH_MAX = 10_000;
/** A message of SNS has at most 256 KiB, in JSON that is escaped twice. */
const EVENT_BYTES_MAX = 1024 * 1024;

export interface EventWebhook extends EventCredential {
  readonly operationId: string;
  readonly title: string;
  readonly body: z.ZodType;
  readonly bodyBytesMax: number;
  /** Text that is not JSON by its content type. */
  readonly isText?: true;
  /** The readable events of a body, and how many it has. */
  read(body: unknown, nowMs: number): Promise<ReadEvents> | ReadEvents;
}

interface ReadEvents {
  readonly events: readonly MailEvent[];
  readonly received: number;
}

export function eventWebhooks({ fetchAmazon }: Pick<BaseDeps, 'fetchAmazon'>): readonly EventWebhook[] {
  return [
    {
      provider: 'sendgrid',
      operationId: 'takeSendGridEvents',
      title: 'SendGrid’s signed event webhook',
      scheme: {
        name: 'sendgridSignature',
        in: 'header',
        parameter: SENDGRID_SIGNATURE,
        description:
          'ECDSA signature of SendGrid’s event webhook over its time stamp header and the raw body.',
      },
      setting: 'sendgrid_event_key',
      placeholder:
        'MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAElqr1S49ajAIstTEBLwNYBzhAuY5Yb/V5NvWnUvqj8ZqQC7JZgiuYQDiQps8gb14qDz6tzdJWeNkU385ZaAsCxg==',
      body: z
        .array(z.unknown())
        .max(BATCH_MAX)
        .meta({ id: 'SendGridEvents', description: 'Events in the format of SendGrid' }),
      bodyBytesMax: BATCH_BYTES_MAX,
      verify: isFromSendGrid,
      read: (body) => {
        const given = body as readonly unknown[];
        return { events: readSendGridEvents(given), received: given.length };
      },
    },
    {
      provider: 'ses',
      operationId: 'takeSesEvents',
      title: 'Events of Amazon SES by Amazon SNS',
      scheme: null, // signed in the body
      setting: 'ses_topic_arn',
      placeholder: 'arn:aws:sns:none',
      body: describeBody('SnsMessage', 'A message of Amazon SNS with an event of Amazon SES'),
      bodyBytesMax: EVENT_BYTES_MAX,
      isText: true,
      verify: snsVerifier(fetchAmazon),
      read: async (body) => {
        const message = snsMessage.parse(body);
        if (message.Type === 'SubscriptionConfirmation') await confirmSubscription(fetchAmazon, message);
        if (message.Type !== 'Notification') return { events: [], received: 0 };
        const events = readSesEvents(parseObject(Buffer.from(message.Message)), message.MessageId);
        return { events, received: Math.max(1, events.length) };
      },
    },
    {
      provider: 'mailgun',
      operationId: 'takeMailgunEvents',
      title: 'Mailgun’s webhooks',
      scheme: null, // signed in the body
      setting: 'mailgun_signing_key',
      placeholder: 'none',
      body: describeBody('MailgunEvent', 'An event in the format of Mailgun'),
      bodyBytesMax: EVENT_BYTES_MAX,
      verify: isFromMailgun,
      read: (body) => ({ events: readMailgunEvent(body), received: 1 }),
    },
    {
      provider: 'postmark',
      operationId: 'takePostmarkEvents',
      title: 'Postmark’s webhooks',
      scheme: {
        name: 'postmarkPassword',
        in: 'header',
        parameter: 'Authorization',
        description: 'Basic authentication with the password that the URL of the webhook has.',
      },
      setting: 'postmark_webhook_password',
      placeholder: 'none',
      body: describeBody('PostmarkEvent', 'An event in the format of Postmark'),
      bodyBytesMax: EVENT_BYTES_MAX,
      verify: isFromPostmark,
      read: (body, nowMs) => ({ events: readPostmarkEvent(body, nowMs), received: 1 }),
    },
    {
      provider: 'resend',
      operationId: 'takeResendEvents',
      title: 'Resend’s webhooks',
      scheme: {
        name: 'svixSignature',
        in: 'header',
        parameter: 'svix-signature',
        description: 'Signature of Svix over the headers svix-id and svix-timestamp and the raw body.',
      },
      setting: 'resend_signing_secret',
      placeholder: `whsec_${'A'.repeat(32)}`,
      body: describeBody('ResendEvent', 'An event in the format of Resend'),
      bodyBytesMax: EVENT_BYTES_MAX,
      verify: isFromResend,
      read: (body) => ({ events: readResendEvent(body), received: 1 }),
    },
  ];
}

function describeBody(id: string, description: string): z.ZodType {
  return freeForm().meta({ id, description });
}
