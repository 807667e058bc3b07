// The endpoint table of mail providers' event webhooks.
import { z } from 'zod';
import { post, type Endpoint } from '@parley/server/http';
import type { BaseDeps } from '../../base-deps.ts';
import { sendGridSignature } from './sendgrid-signature.ts';
import { acceptSendGridEvents } from './accept-sendgrid-events.ts';

/** SendGrid sends up to 768 KiB at a time. */
const EVENTS_BYTES_MAX = 2 * 1024 * 1024;
const EVENTS_MAX = 10_000;

const eventsAnswer = z.strictObject({
  received: z.int(),
  moved: z.int().describe('Deliveries whose status changed'),
  unmatched: z.int().describe('Events of mails that no delivery is known for, and unreadable ones'),
});

export function emailEndpoints(deps: BaseDeps): Endpoint[] {
  return [
    post(
      '/providers/sendgrid/events/{organization_id}',
      {
        operationId: 'takeSendGridEvents',
        summary:
          'SendGrid’s signed event webhook; updates the status of e-mail deliveries and suppresses addresses',
        scope: 'write',
        params: z.strictObject({ organization_id: z.string().max(255) }),
        body: z
          .array(z.unknown())
          .max(EVENTS_MAX)
          .meta({ id: 'SendGridEvents', description: 'Events in the format of SendGrid' }),
        bodyBytesMax: EVENTS_BYTES_MAX,
        replies: { 200: eventsAnswer },
        credential: sendGridSignature(deps),
      },
      ({ caller, body }) => acceptSendGridEvents(deps, caller, body),
    ),
  ];
}
