// The endpoint table of mail providers that report back.
import { z } from 'zod';
import { post, type Endpoint } from '@parley/http';
import type { Deps } from '../deps.ts';
import { sendGridSignature } from './sendgrid-signature.ts';
import { takeSendGridEvents } from './take-sendgrid-events.ts';

/** SendGrid sends up to 768 KiB at a time. */
const EVENTS_BYTES_MAX = 2 * 1024 * 1024;
const EVENTS_MAX = 10_000;

export function emailEndpoints(deps: Deps): Endpoint[] {
  return [
    post(
      '/providers/sendgrid/events/{organization_id}',
      {
        operationId: 'takeSendGridEvents',
        summary: 'SendGrid’s signed event webhook: moves the status of e-mail deliveries',
        scope: 'write',
        params: z.strictObject({ organization_id: z.string().max(255) }),
        body: z
          .array(z.unknown())
          .max(EVENTS_MAX)
          .meta({ id: 'SendGridEvents', description: 'As SendGrid sends them' }),
        bodyBytesMax: EVENTS_BYTES_MAX,
        replies: { 200: z.strictObject({ received: z.int(), moved: z.int() }) },
        credential: sendGridSignature(deps),
      },
      ({ caller, body }) => takeSendGridEvents(deps, caller, body),
    ),
  ];
}
