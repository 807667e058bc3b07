// What `callback_url` is told, as /openapi.json describes it (docs/notifications.md#callbacks).
import { z } from 'zod';
import type { WebhookDescription } from '@parley/http';
import { notificationStatus } from '../notify/schemas.ts';

/** Standard Webhooks. */
const signed = z.object({
  'webhook-id': z.string().describe('The `id` of the body'),
  'webhook-timestamp': z.string().describe('Of the attempt, epoch seconds'),
  'webhook-signature': z.string().describe('`v1,…`, one for each `webhook_secret` of the organisation'),
});

const told = (event: string, operationId: string, summary: string): WebhookDescription => ({
  event,
  operationId,
  summary,
  headers: signed,
  body: z.strictObject({
    id: z.string().describe('The same in every attempt'),
    event: z.literal(event),
    timestamp: z.iso.datetime().describe('When it was written'),
    data: notificationStatus,
  }),
});

export const toldCallbacks: readonly WebhookDescription[] = [
  told('notification.settled', 'toldSettled', 'Every channel of a notification has settled'),
  told(
    'notification.engaged',
    'toldEngaged',
    'A notification that is tracked was opened, clicked or dismissed for the first time',
  ),
];
