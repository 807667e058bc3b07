// The endpoint table of mail providers' event webhooks.
import { z } from 'zod';
import { get, post, type Endpoint } from '@parley/server/http';
import type { BaseDeps } from '../../base-deps.ts';
import { acceptMailEvents } from './events/accept-mail-events.ts';
import { eventCredential } from './events/event-credential.ts';
import { eventWebhooks } from './events/event-webhooks.ts';
import { listSenders } from './list-senders.ts';

const eventsAnswer = z.strictObject({
  received: z.int(),
  moved: z.int().describe('Deliveries whose status changed'),
  unmatched: z
    .int()
    .describe('Events of mails that no delivery is known for, unreadable ones and unknown words'),
});

const senderList = z.strictObject({
  items: z.array(
    z
      .strictObject({
        sender: z
          .string()
          .describe('An address, with a display name or bare, or a domain that begins with @'),
        kind: z.enum(['address', 'domain']).describe('`domain`: any address of it'),
        is_default: z.boolean().describe('true: used when neither send nor template names a sender'),
      })
      .meta({ id: 'Sender' }),
  ),
  next_cursor: z.null().describe('Always null: the operator sets about a hundred at most'),
});

export function senderEndpoints(deps: BaseDeps): Endpoint[] {
  return [
    get(
      '/senders',
      {
        operationId: 'listSenders',
        summary: 'List the senders that `from` of a mail may name',
        scope: 'read',
        replies: { 200: senderList },
      },
      ({ caller }) => listSenders(deps, caller.organizationId),
    ),
  ];
}

export function emailEndpoints(deps: BaseDeps): Endpoint[] {
  return eventWebhooks(deps).map((webhook) =>
    post(
      `/providers/${webhook.provider}/events/{organization_id}`,
      {
        operationId: webhook.operationId,
        summary: `${webhook.title}; updates the status of e-mail deliveries and suppresses addresses`,
        scope: 'write',
        params: z.strictObject({ organization_id: z.string().max(255) }),
        body: webhook.body,
        bodyBytesMax: webhook.bodyBytesMax,
        // odd members of events are skipped, not refused
        ...(webhook.provider === 'sendgrid' ? {} : { judgesBody: true }),
        ...(webhook.isText ? { acceptsText: true } : {}),
        replies: { 200: eventsAnswer },
        credential: eventCredential(deps, webhook),
      },
      async ({ caller, body }) => {
        const { events, received } = await webhook.read(body, deps.clock());
        return acceptMailEvents(deps, caller, webhook.provider, events, received);
      },
    ),
  );
}
