// The callbacks in /openapi.json (docs/notifications.md#callbacks).
import { z } from 'zod';
import type { WebhookDescription } from '@parley/server/http';
import { notificationStatus } from '../notifications/schemas.ts';

/** Headers of Standard Webhooks. */
const signatureHeaders = z.object({
  'webhook-id': z.string().describe('The `id` of the body'),
  'webhook-timestamp': z.string().describe('Epoch seconds of the attempt'),
  'webhook-signature': z.string().describe('`v1,…`, one for each `webhook_secret` of the organisation'),
});

const describeCallback = (event: string, operationId: string, summary: string): WebhookDescription => ({
  event,
  operationId,
  summary,
  headers: signatureHeaders,
  body: z.strictObject({
    id: z.string().describe('The same in every attempt'),
    event: z.literal(event),
    timestamp: z.iso.datetime().describe('When the callback was created'),
    data: notificationStatus,
  }),
});

export const callbackWebhooks: readonly WebhookDescription[] = [
  describeCallback('notification.settled', 'toldSettled', 'Every channel of a notification has settled'),
  describeCallback(
    'notification.engaged',
    'toldEngaged',
    'A tracked notification was opened, clicked or dismissed for the first time',
  ),
];
